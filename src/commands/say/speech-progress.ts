import type { Content } from '../../discord/replies/content.ts';
import { type Button, button } from '../../discord/replies/layout.ts';
import { clockTime, quote, quoteLines, voiceLabel } from '../../discord/replies/quote.ts';
import { costLines, failureFacts, loggedCost } from '../../errors/explain.ts';
import { type Cost, DeliveryError } from '../../errors/user-errors.ts';
import type { SpeechOrder } from '../../services/playback/speech-order.ts';
import { isOver, type QueuedItem } from '../../services/queue/queue-item.ts';
import type { Delivery } from '../../services/queue/utterance.ts';
import { charactersOf } from '../../services/synthesis/parts.ts';
import type { ChunkProgress, SpeechFacts } from '../../services/synthesis/synthesis-types.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import type { RequestWarning } from '../../speech/request.ts';
import { type Text, type TextList, text } from '../../texts/catalogue.ts';
import type { Facts, Reply, Services } from '../framework/command.ts';
import { ignoredLines } from '../voice-options/speech-options.ts';
import type { ResolvedOrder } from './speak-call.ts';

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
export function shownWords({ order, request }: Pick<ResolvedOrder, 'order' | 'request'>, mark = ''): string {
  return order.isScript ? quoteLines(request.input, mark) : quote(request.input);
}

type Asked = Pick<ResolvedOrder, 'voice' | 'voices'>;
type Known = Services;

const labels = (voices: readonly Voice[]): TextList => ({
  list: [...new Map(voices.map((voice) => [voice.id, voice])).values()].map(voiceLabel),
});

/** The voices that spoke. */
export function spokenBy({ voice, voices = [voice] }: Asked, { speakers }: SpeechFacts, services: Known): TextList {
  if (!speakers) return labels(voices);
  const byId = voicesById(voices, services);
  return labels(speakers.flatMap(({ asked, heard }) => byId(heard) ?? byId(asked) ?? []));
}

/** Those that could not speak, and by whom each was replaced. */
export function stoodInLines({ voice, voices = [voice] }: Asked, { speakers }: SpeechFacts, services: Known): Text[] {
  if (!speakers) return [];
  const byId = voicesById(voices, services);
  return speakers.flatMap(({ asked, heard }) => {
    const [missing, other] = [byId(asked), byId(heard)];
    return missing && other && missing !== other
      ? [text('say.stood-in', { voice: voiceLabel(missing), other: voiceLabel(other) })]
      : [];
  });
}

function voicesById(asked: readonly Voice[], { voices }: Known): (id: string) => Voice | undefined {
  const all = [...asked, ...(voices.known()?.voices ?? [])];
  return (wanted) => all.find(({ id }) => id === wanted);
}

/** Meanwhile, in small print: where the text is on its way; once it is over, that its bill is awaited, if it is. */
export function progressOf(
  item: QueuedItem,
  resolved: ResolvedOrder,
  part: ChunkProgress | undefined,
  services: Services,
): Content | undefined {
  if (isOver(item)) return part?.kind === 'ending' ? { lines: [text('say.ending')] } : undefined;
  const line = stateLine(item, resolved, part);
  if (!line) return undefined;
  const isDear = part && part.parts > 1 && part.isBilled && !services.bot.localVoice;
  return {
    lines: [
      line,
      ...(part?.busyForMs === undefined ? [] : [text('say.busy', { seconds: Math.ceil(part.busyForMs / 1_000) })]),
      ...(isDear ? [text('say.billed', { characters: charactersOf(resolved.billed), parts: part.parts })] : []),
    ],
    rows: [endButtons(item)],
  };
}

/** What ends it, on its own or with all that waits behind it. */
export function endButtons({ id, state }: QueuedItem): readonly Button[] {
  return [button('skip', text('say.skip'), id), ...(state === 'waiting' ? [] : [button('stop', text('say.stop'), id)])];
}

function stateLine(item: QueuedItem, resolved: ResolvedOrder, part: ChunkProgress | undefined): Text | undefined {
  const { voice, voices = [voice], needsInvitation } = resolved;
  const { state, stage, channelId } = item;
  const [number, count] = [part?.part ?? 1, part?.parts ?? 1];
  if (state === 'preparing' && stage !== 'joining') {
    return count > 1 ? text('say.synthesising-part', { part: number, parts: count }) : text('say.synthesising');
  }
  if (state !== 'speaking') return wayLine(item, needsInvitation);
  const what = {
    channel: `<#${channelId}>`,
    voice: labels(voices),
    text: shownWords(resolved, '-# '),
  };
  return count > 1 ? text('say.speaking-part', { ...what, part: number, parts: count }) : text('say.speaking', what);
}

/** What anything in the queue may have to wait for: its turn, the bot's way into the channel, the end of a pause. */
export function wayLine(
  { state, stage, position = 0, waitMs, channelId }: QueuedItem,
  needsInvitation = false,
): Text | undefined {
  const channel = `<#${channelId}>`;
  if (state === 'paused') return text('say.paused', { channel });
  if (state === 'preparing' && stage === 'joining') {
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
export function finalReply(
  resolved: ResolvedOrder,
  { id, ...delivery }: Delivery & { readonly id: string },
  services: Services,
): Reply {
  const { voice } = resolved;
  const { outcome, stoppedBy: by = 'requester', channelId, speech } = delivery;
  const heard = { channel: `<#${channelId}>`, voice: spokenBy(resolved, speech, services), text: shownWords(resolved) };
  return {
    lines: [
      outcome === 'finished' ? text('say.spoken', heard) : text('say.stopped', { ...heard, by }),
      ...outcomeLines(resolved, speech, services),
    ],
    rows: delivery.isNotKept ? [] : [[button('replay', text('say.replay'), id), button('save', text('say.save'), id)]],
    facts: {
      voice: voice.name,
      spoken: outcome,
      firstAudioMs: delivery.firstAudioMs,
      encrypted: delivery.encrypted,
      ...speechFacts(speech),
    },
  };
}

/** Below what was made: what its order found, who spoke it, options that the voice ignores, and the cost. */
export function outcomeLines(resolved: ResolvedOrder, facts: SpeechFacts, services: Services): Text[] {
  const { order, voice, notes } = resolved;
  return [
    ...notes,
    ...stoodInLines(resolved, facts, services),
    ...ignoredLines(voiceLabel(voice), facts.warnings.filter(isOfOrder(order))),
    ...speechLines(facts, services),
  ];
}

/** What is kept for all texts, and ignored by this voice, was told when it was set, and is by `/voice show`. */
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
