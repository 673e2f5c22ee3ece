import type { Content } from '../../discord/replies/content.ts';
import { type Button, button } from '../../discord/replies/layout.ts';
import { clockTime, quote, quoteLines, voiceLabel } from '../../discord/replies/quote.ts';
import { costLines, failureFacts, loggedCost } from '../../errors/explain.ts';
import { type Cost, DeliveryError } from '../../errors/user-errors.ts';
import {
  type Delivery,
  isOver,
  type QueueItem,
  type Requested,
  type SpeechOrder,
} from '../../services/queue/queue-item.ts';
import { charactersOf } from '../../services/synthesis/parts.ts';
import type { ChunkProgress, SpeechFacts } from '../../services/synthesis/synthesis-types.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import type { RequestWarning } from '../../speech/request.ts';
import { type Text, type TextList, text } from '../../texts/catalog.ts';
import type { Facts, Reply, Services } from '../framework/command.ts';
import { ignoredLines } from '../voice-options/speech-options.ts';

/** The part of a text that is being made or spoken. */
export interface PartsWatch {
  readonly onProgress: (progress: ChunkProgress) => void;
  latest: ChunkProgress | undefined;
  onChanged: () => void;
}

export function createPartsWatch(): PartsWatch {
  const watch: PartsWatch = {
    latest: undefined,
    onChanged: () => undefined,
    onProgress(progress) {
      watch.latest = progress;
      watch.onChanged();
    },
  };
  return watch;
}

/** The text for the reply: a script line by line, each but the first with the mark of its kind of print. */
export function shownWords({ isScript }: SpeechOrder, { request }: Requested, mark = ''): string {
  return isScript ? quoteLines(request.input, mark) : quote(request.input);
}

const labels = (voices: readonly Voice[]): TextList => ({
  list: [...new Map(voices.map((voice) => [voice.id, voice])).values()].map(voiceLabel),
});

/** What is known of those who were asked to speak. */
interface Asked {
  readonly voices: readonly Voice[];
}

/** The voices that spoke. */
export function spokenBy({ voices }: Asked, { speakers }: SpeechFacts, services: Services): TextList {
  if (!speakers) return labels(voices);
  const byId = voicesById(voices, services);
  return labels(speakers.flatMap(({ asked, heard }) => byId(heard) ?? byId(asked) ?? []));
}

/** The voices that could not speak, with their replacements. */
export function stoodInLines({ voices }: Asked, { speakers }: SpeechFacts, services: Services): Text[] {
  if (!speakers) return [];
  const byId = voicesById(voices, services);
  return speakers.flatMap(({ asked, heard }) => {
    const [missing, other] = [byId(asked), byId(heard)];
    return missing && other && missing !== other
      ? [text('say.stood-in', { voice: voiceLabel(missing), other: voiceLabel(other) })]
      : [];
  });
}

function voicesById(asked: readonly Voice[], { voices }: Services): (id: string) => Voice | undefined {
  const all = [...asked, ...(voices.known()?.voices ?? [])];
  return (wanted) => all.find(({ id }) => id === wanted);
}

/** Meanwhile, in small print: where the text is on its way; once it is over, that its bill is awaited, if it is. */
export function progressOf(
  item: QueueItem,
  part: ChunkProgress | undefined,
  services: Services,
  needsInvitation = false,
): Content | undefined {
  if (isOver(item.state)) return part?.kind === 'ending' ? { lines: [text('say.ending')] } : undefined;
  const line = stateLine(item, part, needsInvitation);
  if (!line) return undefined;
  const isDear = part && part.parts > 1 && part.isBilled && !services.bot.localVoice;
  return {
    lines: [
      line,
      ...(part?.busyForMs === undefined ? [] : [text('say.busy', { seconds: Math.ceil(part.busyForMs / 1_000) })]),
      ...(isDear ? [text('say.billed', { characters: charactersOf(item.requested.billed), parts: part.parts })] : []),
    ],
    rows: [endButtons(item)],
  };
}

/** What ends it, on its own or with all that waits behind it. */
export function endButtons({ id, state }: QueueItem): readonly Button[] {
  return [button('skip', text('say.skip'), id), ...(state === 'waiting' ? [] : [button('stop', text('say.stop'), id)])];
}

function stateLine(item: QueueItem, part: ChunkProgress | undefined, needsInvitation: boolean): Text | undefined {
  const { order, requested, state, channelId } = item;
  const [number, count] = [part?.part ?? 1, part?.parts ?? 1];
  if (state === 'synthesizing') {
    return count > 1 ? text('say.synthesizing-part', { part: number, parts: count }) : text('say.synthesizing');
  }
  if (state !== 'speaking') return wayLine(item, needsInvitation);
  const what = {
    channel: `<#${channelId}>`,
    voice: labels(requested.voices),
    text: shownWords(order, requested, '-# '),
  };
  return count > 1 ? text('say.speaking-part', { ...what, part: number, parts: count }) : text('say.speaking', what);
}

/** What anything in the queue may have to wait for: its turn, the bot's way into the channel, the end of a pause. */
export function wayLine({ state, position, waitMs, channelId }: QueueItem, needsInvitation = false): Text | undefined {
  const channel = `<#${channelId}>`;
  if (state === 'paused') return text('say.paused', { channel });
  if (state === 'joining') {
    return text(needsInvitation ? 'say.raising-hand' : 'say.joining', { channel });
  }
  if (state !== 'waiting') return undefined;
  if (waitMs !== undefined) return text('say.waiting-for', { position, wait: clockTime(waitMs) });
  // Behind a pause there is no telling for how long.
  return text(position > 0 ? 'say.waiting-paused' : 'say.waiting', { position });
}

/** It was dropped because the process ends, and comes back after the next start: spoken, unless it may be billed. */
export function laterReply(error: unknown, { bot }: Services): Reply {
  const cost: Cost = error instanceof DeliveryError ? error.cost : { kind: 'none' };
  const logged = loggedCost(cost);
  // Its requester is asked then, see decideComeback.
  const isBegun = error instanceof DeliveryError && error.wasHeard;
  const billed = isBegun ? 'begun' : logged?.creditsMayBeSpent && !bot.localVoice ? 'maybe' : 'no';
  const why = text(failureFacts(error).kind === 'session-ended' ? 'resumed.once-mended' : 'resumed.later', { billed });
  return {
    lines: [why, ...(cost.kind === 'none' || bot.localVoice ? [] : costLines(cost))],
    facts: { spoken: 'after the next start', ...logged },
  };
}

/** In the end: what was heard, what it cost, and what can be done with it. */
export function finalReply({ id, order, requested }: QueueItem, delivery: Delivery, services: Services): Reply {
  const { outcome, stoppedBy: by = 'requester', channelId, speech } = delivery;
  const heard = {
    channel: `<#${channelId}>`,
    voice: spokenBy(requested, speech, services),
    text: shownWords(order, requested),
  };
  return {
    lines: [
      outcome === 'finished' ? text('say.spoken', heard) : text('say.stopped', { ...heard, by }),
      ...outcomeLines(order, requested, speech, services),
    ],
    rows: delivery.isNotKept ? [] : [[button('replay', text('say.replay'), id), button('save', text('say.save'), id)]],
    facts: {
      voice: requested.voices[0]?.name,
      spoken: outcome,
      firstAudioMs: delivery.firstAudioMs,
      encrypted: delivery.encrypted,
      ...speechFacts(speech),
    },
  };
}

/** Below what was made: what its order found, who spoke it, options that the voice ignores, and the cost. */
export function outcomeLines(order: SpeechOrder, requested: Requested, facts: SpeechFacts, services: Services): Text[] {
  const { notes, voices } = requested;
  const [first] = voices;
  return [
    ...notes,
    ...stoodInLines(requested, facts, services),
    ...(first ? ignoredLines(voiceLabel(first), facts.warnings.filter(isOfOrder(order))) : []),
    ...speechLines(facts, services),
  ];
}

/**
 * If this voice ignores an option kept for all texts, the member saw that when setting it, and sees it in `/voice
 * show`.
 */
const isOfOrder =
  ({ speechOptions, output }: SpeechOrder) =>
  ({ field }: RequestWarning): boolean => {
    const given: Partial<Record<RequestWarning['field'], unknown>> = { ...speechOptions, ...output };
    return given[field] !== undefined;
  };

/** For the log: what was paid for, nothing of what was said. */
export function speechFacts({
  requestId,
  model,
  inputCharacters,
  creditsUsed,
  mayBeMore,
  creditsRemaining,
  cached,
}: SpeechFacts): Facts {
  return {
    requestId,
    model,
    inputCharacters,
    creditsUsed,
    creditsMayBeSpent: mayBeMore,
    creditsRemaining,
    cached,
  };
}

/** What something spoken cost, as the small print of a reply; nothing for the local voice, which is free. */
export function speechLines(
  facts: Pick<SpeechFacts, 'cached' | 'creditsUsed' | 'creditsRemaining' | 'mayBeMore'>,
  { bot }: Services,
): Text[] {
  if (bot.localVoice) return [];
  const { cached, creditsUsed, creditsRemaining, mayBeMore } = facts;
  const unknown = mayBeMore ? [text('spent.maybe-more')] : [];
  if (cached) return [text('spent.cached')];
  if (creditsRemaining === undefined) return [text('spent.used', { used: creditsUsed }), ...unknown];
  return [text('credits.used-and-left', { used: creditsUsed, left: creditsRemaining }), ...unknown];
}
