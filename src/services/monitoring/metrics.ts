import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PlayedClip } from '../../audio/connection/voice-session-types.ts';

/**
 * What delayed the first audio of an utterance.
 * - 'cached': nothing, as the bot was in the voice channel and the audio was cached.
 * - 'joined': making the audio; the bot was already in the voice channel.
 * - 'cold': joining the voice channel, and making the audio if it was not cached.
 * - 'queued': earlier utterances in the queue.
 * - 'part': making a later part of a long text; measured from the end of the part before.
 */
const FIRST_AUDIO_KINDS = ['cached', 'joined', 'cold', 'queued', 'part'] as const;
export type FirstAudioKind = (typeof FIRST_AUDIO_KINDS)[number];

interface MetricSources {
  readonly speakers: () => { readonly joined: number; readonly speaking: number };
  /** Number of queued texts in all servers together, and in the server with the longest queue. */
  readonly queues: () => { readonly waiting: number; readonly longest: number };
  readonly cache: () => Readonly<Record<'memoryHits' | 'diskHits' | 'misses' | 'bytes', number>>;
  /** True for a model whose quota is used up, so that the bot requests no speech from it. */
  readonly circuits: () => Iterable<readonly [model: string, isOpen: boolean]>;
  /** True for a model whose paid audio does not arrive, so that the bot pays for it only as a trial. */
  readonly lostAudio: () => Iterable<readonly [model: string, isStopped: boolean]>;
  /** `pingMs` is the round trip of the last heartbeat, averaged over the shards; negative before the first heartbeat. */
  readonly discord: () => Readonly<Record<'servers' | 'shards' | 'shardsReady' | 'pingMs', number>>;
  readonly draining: () => boolean;
}

type Found<Name extends keyof MetricSources> = ReturnType<MetricSources[Name]>;

/** Registers metrics that are read from `sources` at each request of /metrics. A missing or failing source is left out. */
function registerSourced(register: Registry, sources: Partial<MetricSources>, log: Logger): void {
  const registers = [register];

  function found<Name extends keyof MetricSources>(source: Name): Found<Name> | undefined {
    try {
      return sources[source]?.() as Found<Name> | undefined;
    } catch (error) {
      log.warn({ err: error, source }, 'Could not read a metric: /metrics leaves it out');
      return undefined;
    }
  }

  function gauge<Name extends keyof MetricSources>(
    source: Name,
    name: string,
    help: string,
    read: (value: Found<Name>) => number,
  ): void {
    const metric = new Gauge({
      name,
      help,
      registers,
      collect() {
        const value = found(source);
        if (value === undefined) metric.remove();
        else metric.set(read(value));
      },
    });
  }

  function byModel(source: 'circuits' | 'lostAudio', name: string, help: string): void {
    const metric = new Gauge({
      name,
      help,
      labelNames: ['model'],
      registers,
      collect() {
        metric.reset();
        for (const [model, is] of found(source) ?? []) metric.set({ model }, Number(is));
      },
    });
  }

  gauge('speakers', 'crier_speakers_joined', 'Servers in whose voice channel the bot is.', ({ joined }) => joined);
  gauge('speakers', 'crier_speakers_speaking', 'Servers that packets are sent to.', ({ speaking }) => speaking);
  gauge('queues', 'crier_queue_waiting', 'Texts that wait to be spoken, in all servers.', ({ waiting }) => waiting);
  gauge('queues', 'crier_queue_longest', 'Texts that wait in the server with most of them.', ({ longest }) => longest);
  gauge('cache', 'crier_cache_bytes', 'Memory held by speech that was made before.', ({ bytes }) => bytes);
  const lookups = new Counter({
    name: 'crier_cache_requests_total',
    help: 'Texts that were looked for among the speech made before.',
    labelNames: ['outcome'],
    registers,
    collect() {
      lookups.reset();
      const cache = found('cache');
      if (!cache) return;
      lookups.inc({ outcome: 'memory' }, cache.memoryHits);
      lookups.inc({ outcome: 'disk' }, cache.diskHits);
      lookups.inc({ outcome: 'miss' }, cache.misses);
    },
  });
  gauge('discord', 'crier_servers', 'Servers the bot is in.', ({ servers }) => servers);
  gauge('discord', 'crier_discord_shards', 'Connections to Discord; 0 before the login.', ({ shards }) => shards);
  gauge('discord', 'crier_discord_shards_ready', 'Those of them that are up.', ({ shardsReady }) => shardsReady);
  gauge(
    'discord',
    'crier_discord_ping_seconds',
    'Round trip of the last heartbeat to Discord; NaN before the first.',
    ({ pingMs }) => (pingMs < 0 ? Number.NaN : pingMs / 1000),
  );
  gauge('draining', 'crier_draining', '1 while the bot finishes what it speaks before it ends.', Number);

  byModel(
    'circuits',
    'crier_speech_quota_circuit_open',
    '1 for a model whose quota is used up and which is not asked for now.',
  );
  byModel(
    'lostAudio',
    'crier_speech_audio_lost',
    '1 for a model whose paid audio does not arrive and which is paid for only as a trial.',
  );
}

/** The histogram's buckets are narrowest around the latency targets for cached speech (5, 10 and 15 ms). */
const FIRST_AUDIO_SECONDS = [
  0.002, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 10, 15, 20, 30, 45, 60,
];
const REQUEST_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

interface MetricsOptions {
  readonly version: string;
  /** True to also measure CPU, memory, event loop and garbage collection: costs 0.4 % of a core. */
  readonly ofProcess: boolean;
  readonly log: Logger;
}

/** The metrics contain no texts and no ids of servers, channels or members. */
export function createMetrics({ version, ofProcess, log }: MetricsOptions) {
  const register = new Registry();
  const registers = [register];
  const sources: Partial<MetricSources> = {};
  if (ofProcess) collectDefaultMetrics({ register });

  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers });

  new Gauge({
    name: 'crier_info',
    help: 'Always 1; the version is its label.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  const firstAudio = new Histogram({
    name: 'crier_first_audio_seconds',
    help: 'From an interaction to the first packet of its speech; of a later part, from the end of the part before.',
    labelNames: ['kind'],
    buckets: FIRST_AUDIO_SECONDS,
    registers,
  });
  const clips = counter('crier_clips_total', 'Clips by how playing them ended.', ['outcome']);
  const heard = counter(
    'crier_clips_encrypted_total',
    'Clips of which something was sent, by whether all of that was end-to-end encrypted.',
    ['encrypted'],
  );
  const sent = counter('crier_packets_sent_total', 'Packets of speech that were sent; each lasts 20 ms.');
  const late = counter('crier_packets_late_total', 'Packets of speech not sent within 10 ms of their time.');
  const skipped = counter('crier_packets_skipped_total', 'Turns of 20 ms within a clip that passed without a packet.');
  const lost = counter('crier_packets_lost_total', 'Packets that were never sent because their clip broke off.');
  const unheard = counter(
    'crier_packets_unheard_total',
    'Packets that were sent and did not arrive at the voice server; they are sent again.',
  );
  const joins = counter('crier_voice_joins_total', 'Joins of voice channels by how they ended.', ['outcome']);
  const requests = counter('crier_speech_requests_total', 'Calls of the speech service by how they ended.', [
    'endpoint',
    'outcome',
  ]);
  const requestSeconds = new Histogram({
    name: 'crier_speech_request_duration_seconds',
    help: 'How long calls of the speech service took, waiting for a turn and repetitions included.',
    labelNames: ['endpoint'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const creditsUsed = counter('crier_credits_used_total', 'Credits that the speech service billed for speech.');
  const creditsLost = counter(
    'crier_credits_lost_total',
    'Credits counted for speech requests without an answer, which may have been billed.',
  );
  const creditsRemaining = new Gauge({
    name: 'crier_credits_remaining',
    help: 'Credits left, as the speech service said last, less those counted as lost since.',
    registers,
  });
  // An unknown balance of credits has no metric: zero would be wrong.
  creditsRemaining.remove();
  let lastRemaining: number | undefined;
  const storeFailures = counter('crier_store_failures_total', 'What the store did not read or write.', ['table']);
  const commands = counter('crier_commands_total', 'Commands by how they ended.', ['command', 'outcome']);
  registerSourced(register, sources, log);

  // Prometheus shows a counter's first event as an increase only if the counter existed before.
  for (const kind of FIRST_AUDIO_KINDS) firstAudio.zero({ kind });
  for (const outcome of ['finished', 'stopped', 'truncated']) clips.inc({ outcome }, 0);
  for (const encrypted of ['yes', 'no']) heard.inc({ encrypted }, 0);
  for (const outcome of ['joined', 'timeout', 'failed']) joins.inc({ outcome }, 0);
  for (const outcome of ['ok', 'insufficient-credits', 'invalid-api-key'])
    requests.inc({ endpoint: 'speech', outcome }, 0);
  storeFailures.inc({ table: 'health' }, 0);

  return {
    firstAudio({ kind, ms }: { readonly kind: FirstAudioKind; readonly ms: number }): void {
      firstAudio.observe({ kind }, ms / 1000);
      log.debug({ waitKind: kind, ms: Math.round(ms * 10) / 10 }, 'Measured the wait for the first audio');
    },
    /** The server's id is for the log only: metrics contain no ids. */
    played({ guildId, outcome, packetsSent, lateCount, skippedCount, lostCount, encrypted }: PlayedClip): void {
      clips.inc({ outcome });
      if (packetsSent > 0) heard.inc({ encrypted: encrypted ? 'yes' : 'no' });
      sent.inc(packetsSent);
      late.inc(lateCount);
      skipped.inc(skippedCount);
      lost.inc(lostCount);
      log.debug(
        {
          guildId,
          outcome,
          packetsSent,
          latePackets: lateCount,
          skippedTurns: skippedCount,
          unsentPackets: lostCount,
          encrypted,
        },
        'Finished or stopped playing audio',
      );
    },
    unheard: (packets: number) => unheard.inc(packets),
    joinEnded: (outcome: string) => joins.inc({ outcome }),
    speechCall({ ms, ...labels }: { readonly endpoint: string; readonly outcome: string; readonly ms: number }): void {
      requests.inc(labels);
      requestSeconds.observe({ endpoint: labels.endpoint }, ms / 1000);
    },
    creditsUsed: (credits: number) => creditsUsed.inc(credits),
    creditsRemaining(remaining: number): void {
      creditsRemaining.set(remaining);
      lastRemaining = remaining;
    },
    creditsLost(credits: number): void {
      creditsLost.inc(credits);
      // The balance is estimated until the speech service states it again.
      if (lastRemaining === undefined) return;
      lastRemaining = Math.max(0, lastRemaining - credits);
      creditsRemaining.set(lastRemaining);
    },
    storeFailed: (table: string) => storeFailures.inc({ table }),
    commandAnswered: (answered: { readonly command: string; readonly outcome: string }) => commands.inc(answered),
    sources: sources as Readonly<Partial<MetricSources>>,
    watch: (added: Partial<MetricSources>) => void Object.assign(sources, added),
    contentType: register.contentType as string,
    text: () => register.metrics(),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
