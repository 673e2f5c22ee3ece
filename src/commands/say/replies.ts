import type { VoiceBasedChannel } from 'discord.js';
import { raisesHand } from '../../discord/channels/permissions.ts';
import { type NoteStart, noteOfDelivery, noteWhenOver } from '../../discord/moderation/moderation-log.ts';
import {
  button,
  clockTime,
  quote,
  quoteLines,
  type Row,
  voiceLabel,
  voiceName,
  voiceWithModel,
} from '../../discord/replies/layout.ts';
import { costLines, failureFacts, loggedCost } from '../../errors/explain.ts';
import { type Cost, DeliveryError } from '../../errors/user-errors.ts';
import type { Submission } from '../../services/playback/speaker-queue.ts';
import {
  type Delivery,
  isOver,
  type QueueItem,
  type Requested,
  type SpeechOrder,
} from '../../services/queue/queue-item.ts';
import { type ChunkProgress, charactersOf, type SpeechFacts } from '../../services/synthesis/parts.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { type Text, type TextList, text } from '../../texts/catalog.ts';
import {
  type Facts,
  type Reply,
  type Services,
  type ShowProgress,
  type SpeakCall,
  serverCall,
  type Work,
} from '../framework/command.ts';
import { goOnName, keptOrigin } from './offers.ts';

interface Followed {
  /** The text as the reply to /replay quotes it; undefined for a new text. */
  readonly replayed: string | undefined;
  readonly needsInvitation: boolean;
  /** Credits that were paid for the text before a restart. */
  readonly creditsBefore: number;
}

export interface Follower {
  onProgress(progress: ChunkProgress): void;
  /**
   * Resolves with the final reply when the text was spoken, or stopped after it was heard. Rejects with a DeliveryError
   * if the text failed, even if a part was heard.
   */
  follow(submission: Submission, progress: ShowProgress): Promise<Reply>;
}

export function createFollower(services: Services, followed: Followed): Follower {
  const { replayed, needsInvitation, creditsBefore } = followed;
  let part: ChunkProgress | undefined;
  let changed = () => {};

  function lineOf(item: QueueItem): Text | undefined {
    const { state, channelId } = item;
    if (replayed === undefined && (state === 'synthesizing' || state === 'speaking')) return partLine(item, part);
    if (state === 'speaking') return text('replay.speaking', { channel: `<#${channelId}>`, text: replayed ?? '' });
    return wayLine(item, needsInvitation);
  }

  function show(item: QueueItem, progress: ShowProgress): void {
    if (isOver(item.state)) {
      if (part?.kind === 'ending') progress({ lines: [text('say.ending')] });
      return;
    }
    const line = lineOf(item);
    if (!line) return;
    const lines = [line];
    if (part?.busyForMs !== undefined) lines.push(text('say.busy', { seconds: Math.ceil(part.busyForMs / 1_000) }));
    if (part && part.parts > 1 && part.isBilled && !services.bot.localVoice) {
      lines.push(text('say.billed', { characters: charactersOf(item.requested.billed), parts: part.parts }));
    }
    const end = [button('skip', text('say.skip'), item.id)];
    if (item.state !== 'waiting') end.push(button('stop', text('say.stop'), item.id));
    progress({ lines, rows: [end] }, item.state === 'speaking');
  }

  return {
    onProgress(progress) {
      part = progress;
      changed();
    },
    async follow(submission, progress) {
      changed = () => show(submission.item(), progress);
      const unsubscribe = submission.onChanged(changed);
      changed();
      try {
        const delivery = await submission.delivery;
        if (replayed !== undefined) return replayReply(delivery, replayed, services);
        const { speech } = delivery;
        const creditsUsed = speech.creditsUsed + creditsBefore;
        const all = { ...speech, creditsUsed, cached: speech.cached && creditsBefore === 0 };
        const item = submission.item();
        const spent = await speechLines(all, { userId: item.order.userId, privately: false }, services);
        return finalReply(item, { ...delivery, speech: all }, spent, services);
      } finally {
        unsubscribe();
      }
    },
  };
}

function partLine({ order, requested, state, channelId }: QueueItem, progress: ChunkProgress | undefined): Text {
  const [part, parts] = [progress?.part ?? 1, progress?.parts ?? 1];
  if (state === 'synthesizing') {
    return parts > 1 ? text('say.synthesizing-part', { part, parts }) : text('say.synthesizing');
  }
  const voice = labels(requested.voices);
  const what = { channel: `<#${channelId}>`, voice, text: shownWords(order, requested, '-# ') };
  return parts > 1 ? text('say.speaking-part', { ...what, part, parts }) : text('say.speaking', what);
}

function wayLine({ state, position, waitMs, channelId }: QueueItem, needsInvitation: boolean): Text | undefined {
  const channel = `<#${channelId}>`;
  if (state === 'paused') return text('say.paused', { channel });
  if (state === 'joining') return text(needsInvitation ? 'say.raising-hand' : 'say.joining', { channel });
  if (state !== 'waiting') return undefined;
  if (waitMs !== undefined) return text('say.waiting-for', { position, wait: clockTime(waitMs) });
  // While the queue is paused, a text's waiting time is unknown.
  return text(position > 0 ? 'say.waiting-paused' : 'say.waiting', { position });
}

function finalReply(
  { id, order, requested }: QueueItem,
  delivery: Delivery,
  spent: readonly Text[],
  services: Services,
): Reply {
  const { outcome, stoppedBy: by = 'requester', channelId, speech, firstAudioMs, encrypted } = delivery;
  const voice = spokenBy(requested.voices, speech, services);
  const heard = { channel: `<#${channelId}>`, voice, text: shownWords(order, requested) };
  const rows: readonly Row[] = [[button('replay', text('say.replay'), id), button('save', text('say.save'), id)]];
  return {
    lines: [
      outcome === 'finished' ? text('say.spoken', heard) : text('say.stopped', { ...heard, by }),
      ...outcomeLines(requested, speech, services),
      ...spent,
    ],
    rows: [...(delivery.isNotKept ? [] : rows), ...otherVoiceRows(order, requested, services)],
    facts: {
      voice: requested.voices[0]?.name,
      spoken: outcome,
      firstAudioMs,
      encrypted,
      ...speechFacts(speech, services),
    },
  };
}

function replayReply(delivery: Delivery, words: string, { bot }: Services): Reply {
  const { outcome, stoppedBy: by = 'requester', channelId, firstAudioMs, encrypted } = delivery;
  const heard = { channel: `<#${channelId}>`, text: words };
  const lines = [outcome === 'finished' ? text('replay.spoken', heard) : text('replay.stopped', { ...heard, by })];
  if (!bot.localVoice) lines.push(text('spent.cached'));
  return { lines, facts: { spoken: outcome, firstAudioMs, encrypted } };
}

/** The reply if the bot stops first. After the next start, it speaks the text or, if that may be billed again, asks. */
export function laterReply(error: unknown, { bot }: Services): Reply {
  const cost: Cost = error instanceof DeliveryError ? error.cost : { kind: 'none' };
  const logged = bot.localVoice ? undefined : loggedCost(cost);
  // The bot repeats a partly heard text only if the requester wants that.
  const isBegun = error instanceof DeliveryError && error.wasHeard;
  const billed = isBegun ? 'begun' : logged?.creditsMayBeSpent ? 'maybe' : 'no';
  const why = text(failureFacts(error).kind === 'session-ended' ? 'resumed.once-mended' : 'resumed.later', { billed });
  return {
    lines: [why, ...(cost.kind === 'none' || bot.localVoice ? [] : costLines(cost))],
    facts: { spoken: 'after the next start', ...logged },
  };
}

/** Quotes a script line by line. The Markdown `mark` begins each line but the first, which has it already. */
export function shownWords({ isScript }: SpeechOrder, { request }: Requested, mark = ''): string {
  return isScript ? quoteLines(request.input, mark) : quote(request.input);
}

function labels(voices: readonly Voice[]): TextList {
  const all = [...new Map(voices.map((voice) => [voice.id, voice])).values()];
  return { list: all.map((voice) => (all.length > 1 ? voiceName(voice) : voiceLabel(voice))) };
}

export function spokenBy(voices: readonly Voice[], { speakers }: SpeechFacts, services: Services): TextList {
  if (!speakers) return labels(voices);
  const byId = voicesById(voices, services);
  return labels(speakers.flatMap(({ asked, heard }) => byId(heard) ?? byId(asked) ?? []));
}

export function stoodInLines(voices: readonly Voice[], { speakers }: SpeechFacts, services: Services): Text[] {
  if (!speakers) return [];
  const byId = voicesById(voices, services);
  return speakers.flatMap(({ asked, heard }) => {
    const [missing, other] = [byId(asked), byId(heard)];
    return missing && other && missing !== other
      ? [text('say.stood-in', { voice: voiceName(missing), other: voiceName(other) })]
      : [];
  });
}

function voicesById(asked: readonly Voice[], { voices }: Services): (id: string) => Voice | undefined {
  const all = [...asked, ...(voices.known()?.voices ?? [])];
  return (wanted) => all.find(({ id }) => id === wanted);
}

export function outcomeLines(requested: Requested, facts: SpeechFacts, services: Services): Text[] {
  return [...requested.notes, ...stoodInLines(requested.voices, facts, services)];
}

/** The other voice has the same name and supports the options that the first one ignored. */
export function otherVoiceRows(order: SpeechOrder, { takenBy: voice }: Requested, { pending }: Services): Row[] {
  if (!voice) return [];
  const again = { ...order, voice: voice.id, isConfirmed: false, wasAccepted: false };
  const label = text('say.with-voice', { voice: voiceWithModel(voice, (words) => words) });
  return [[button(goOnName(order.privately), label, pending.put('order', again))]];
}

export function speechFacts(facts: SpeechFacts, { bot }: Services): Facts {
  const { requestId, model, inputCharacters, creditsUsed, mayBeMore, creditsRemaining, cached } = facts;
  const cost = bot.localVoice ? undefined : { creditsUsed, creditsMayBeSpent: mayBeMore, creditsRemaining };
  return { requestId, model, inputCharacters, ...cost, cached };
}

interface Payer {
  readonly userId: string;
  readonly privately: boolean;
}

/**
 * Tells the account's balance instead of the requester's own limit if only an owner sees the reply, or if everyone may
 * see the balance. Empty if speech is free.
 */
export async function speechLines(
  { cached, creditsUsed: used, creditsRemaining: left, ownLeft, mayBeMore }: SpeechFacts,
  payer: Payer,
  { bot }: Services,
): Promise<Text[]> {
  if (bot.localVoice) return [];
  if (cached) return [text('spent.cached')];
  const isAccounts = bot.showsBalance || (payer.privately && (await bot.owners.isOwner(payer.userId)));
  let line = text('spent.used', { used });
  if (!isAccounts && ownLeft) line = text('spent.used-and-own-left', { used, ...ownLeft });
  if (isAccounts && left !== undefined) line = text('credits.used-and-left', { used, left });
  return mayBeMore ? [line, text('spent.maybe-more')] : [line];
}

interface Accepted {
  readonly channel: VoiceBasedChannel;
  readonly kind: 'say' | 'replay';
  readonly note: NoteStart | undefined;
  readonly replayed: string | undefined;
}

/** The text is queued before “… is thinking” is shown, so that it starts sooner and texts keep their order. */
export function followed(
  call: SpeakCall,
  { channel, kind, note, replayed }: Accepted,
  submit: (onProgress: Follower['onProgress']) => Submission,
): Work {
  const { interaction, services, answered } = serverCall(call);
  const follower = createFollower(services, {
    replayed,
    needsInvitation: raisesHand(channel),
    creditsBefore: 0,
  });
  const submission = submit(follower.onProgress);
  const { order, requested, channelId } = submission.item();
  const kept = services.speakers.unspoken.keep(submission, {
    words: { order, requested },
    origin: keptOrigin(interaction, { kind, channelId, authorId: order.authorId }),
  });
  void answered.then(() => kept?.told());
  noteWhenOver(services, note && { ...note, channelId: channel.id }, submission.delivery.then(noteOfDelivery), kept);
  return async (progress) => {
    try {
      return await follower.follow(submission, progress);
    } catch (error) {
      if (kept?.comesBack) return laterReply(error, services);
      throw error;
    }
  };
}
