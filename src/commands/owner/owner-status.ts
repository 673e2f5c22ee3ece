import { quote } from '../../discord/replies/quote.ts';
import type { FirstAudioKind, Percentiles } from '../../services/monitoring/metrics.ts';
import type { BotStatus, WhatMustBeReady } from '../../services/monitoring/readiness.ts';
import { type PlainTextKey, type Text, text } from '../../texts/catalogue.ts';
import type { Reply } from '../framework/command.ts';

const BYTES_PER_MB = 1024 * 1024;
/** How many models are named in a line. */
const MODELS = 20;
/** Of fewer texts the 95th percentile would be the longest time, or none that there was. */
const ENOUGH_FOR_PERCENTILES = 20;

const CHECKS: Readonly<Record<WhatMustBeReady, PlainTextKey>> = {
  discord: 'owner.status.check.discord',
  commands: 'owner.status.check.commands',
  store: 'owner.status.check.store',
  speech: 'owner.status.check.speech',
  joining: 'owner.status.check.joining',
};

/** How the bot is, a line for each thing; what it has not had yet is left out. */
export function statusReply(status: BotStatus): Reply {
  const { version, startedAtMs, discord, speakers, queues, cache, openCircuits, lostAudio, draining } = status;
  const lines = [text('owner.status.title', { version, since: `<t:${Math.round(startedAtMs / 1000)}:R>` })];
  if (draining) lines.push(text('owner.status.draining'));
  if (discord) {
    const { shardsReady: ready, shards, servers, pingMs } = discord;
    const ping = pingMs < 0 ? 'unknown' : `${Math.round(pingMs)}`;
    lines.push(text('owner.status.discord', { ready, shards, servers, ping }));
  }
  if (speakers) lines.push(text('owner.status.speakers', { ...speakers }));
  if (queues) lines.push(text('owner.status.queues', { ...queues }));
  lines.push(...firstAudioLines(status));
  if (cache) {
    const { memoryHits: memory, diskHits: disk, misses, bytes } = cache;
    const megabytes = Math.round((bytes / BYTES_PER_MB) * 10) / 10;
    lines.push(text('owner.status.cache', { memory, disk, misses, megabytes }));
  }
  if (openCircuits.length === 0) lines.push(text('owner.status.no-circuits'));
  else lines.push(text('owner.status.circuits', { models: listOf(openCircuits) }));
  if (lostAudio.length > 0) lines.push(text('owner.status.lost-audio', { models: listOf(lostAudio) }));
  const checks = Object.keys(CHECKS) as WhatMustBeReady[];
  lines.push(...checks.map((check) => checkLine(check, status.checks[check])));
  return { lines };
}

const listOf = (models: readonly string[]) => ({ list: models.slice(0, MODELS).map((model) => quote(model, 40)) });

/** The state is in the words of /readyz and of the log, where it can be looked for. */
function checkLine(check: WhatMustBeReady, state = '?'): Text {
  const name = text(CHECKS[check]);
  return state === 'ok' ? text('owner.status.ok', { name }) : text('owner.status.trouble', { name, state });
}

function firstAudioLines({ firstAudio }: BotStatus): Text[] {
  const kinds = Object.entries(firstAudio) as [FirstAudioKind, Percentiles][];
  if (kinds.length === 0) return [text('owner.status.nothing-spoken')];
  return [
    text('owner.status.first-sound'),
    ...kinds.map(([kind, { count, p50Ms, p95Ms, p99Ms, longestMs }]) => {
      const ofKind = { kind: text(`owner.status.kind.${kind}`), count };
      return count < ENOUGH_FOR_PERCENTILES
        ? text('owner.status.longest', { ...ofKind, longest: Math.round(longestMs) })
        : text('owner.status.percentiles', { ...ofKind, p50: p50Ms, p95: p95Ms, p99: p99Ms });
    }),
  ];
}
