import type { VoiceBasedChannel } from 'discord.js';
import { raisesHand } from '../../discord/channels/permissions.ts';
import { type NoteStart, noteWhenOver } from '../../discord/moderation/moderation-log.ts';
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
import type { Submission } from '../../services/playback/speaker-queue.ts';
import type { KeptWords } from '../../services/playback/unspoken.ts';
import { type Delivery, isOver, type QueueItem, type Requested } from '../../services/queue/queue-item.ts';
import { type ChunkProgress, charactersOf } from '../../services/synthesis/parts.ts';
import { type Text, type TextList, text } from '../../texts/catalog.ts';
import { type Reply, type Services, type ShowProgress, type SpeakCall, serverCall } from '../framework/command.ts';
import { goOnName, keptOrigin, laterReply, offeringAgain } from './offers.ts';

interface Followed {
  /** The text as the reply to /replay quotes it; undefined for a new text. */
  readonly replayed: string | undefined;
  readonly needsInvitation: boolean;
  /** Credits that were paid for the text before a restart. */
  readonly creditsBefore: number;
}

export function createFollower(services: Services, { replayed, needsInvitation, creditsBefore }: Followed) {
  let part: ChunkProgress | undefined;
  let changed = () => {};

  function lineOf(item: QueueItem): Text | undefined {
    const { state, position, waitMs } = item;
    const channel = `<#${item.channelId}>`;
    const at = { part: part?.part ?? 1, parts: part?.parts ?? 1 };
    switch (state) {
      case 'paused':
        return text('say.paused', { channel });
      case 'joining':
        return text(needsInvitation ? 'say.raising-hand' : 'say.joining', { channel });
      case 'waiting': {
        // While the queue is paused, a text's waiting time is unknown.
        const unknown = position > 0 ? 'paused' : 'unknown';
        return text('say.waiting', { position, wait: waitMs === undefined ? unknown : clockTime(waitMs) });
      }
      case 'synthesizing':
        if (replayed !== undefined) return undefined;
        return text('say.synthesizing', at);
      case 'speaking': {
        if (replayed !== undefined) return text('replay.speaking', { channel, text: replayed });
        const voice = labels(item.requested.voices);
        return text('say.speaking', { channel, voice, text: shownWords(item, '-# '), ...at });
      }
      default:
        return undefined;
    }
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
    onProgress(progress: ChunkProgress): void {
      part = progress;
      changed();
    },
    /**
     * Resolves with the final reply when the text was spoken, or stopped after it was heard. Rejects with a
     * DeliveryError if the text failed, even if a part was heard.
     */
    async follow(submission: Submission, progress: ShowProgress): Promise<Reply> {
      changed = () => show(submission.item(), progress);
      const unsubscribe = submission.onChanged(changed);
      changed();
      try {
        const delivery = await submission.delivery;
        if (replayed !== undefined) return replayReply(delivery, replayed, services);
        const { speech } = delivery;
        const creditsUsed = speech.creditsUsed + creditsBefore;
        const all = { ...speech, creditsUsed, cached: speech.cached && creditsBefore === 0 };
        return await finalReply(submission.item(), { ...delivery, speech: all }, services);
      } finally {
        unsubscribe();
      }
    },
  };
}

async function finalReply(item: QueueItem, delivery: Delivery, services: Services): Promise<Reply> {
  const { id, order, requested } = item;
  const { outcome, channelId, speech, firstAudioMs, encrypted } = delivery;
  const voice = spokenBy(requested.voices, speech, services);
  const heard = { channel: `<#${channelId}>`, voice, text: shownWords(item) };
  const rows: readonly Row[] = [[button('replay', text('say.replay'), id), button('save', text('say.save'), id)]];
  return {
    lines: [
      text('say.ended', { ...heard, by: endedBy(delivery) }),
      ...outcomeLines(requested, speech, services),
      ...(await speechLines(speech, { userId: order.userId, privately: false }, services)),
    ],
    rows: [...(delivery.isNotKept ? [] : rows), ...otherVoiceRows(item, services)],
    facts: {
      voice: requested.voices[0]?.name,
      spoken: outcome,
      firstAudioMs,
      encrypted,
      ...speechFacts(speech, services),
    },
  };
}

const endedBy = ({ outcome, stoppedBy = 'requester' }: Delivery) => (outcome === 'finished' ? 'nobody' : stoppedBy);

function replayReply(delivery: Delivery, words: string, { bot }: Services): Reply {
  const { outcome, channelId, firstAudioMs, encrypted } = delivery;
  const lines = [text('replay.ended', { channel: `<#${channelId}>`, text: words, by: endedBy(delivery) })];
  if (!bot.localVoice) lines.push(text('spent.cached'));
  return { lines, facts: { spoken: outcome, firstAudioMs, encrypted } };
}

/** Quotes a script line by line. The Markdown `mark` begins each line but the first, which has it already. */
export function shownWords({ order, requested: { request } }: KeptWords, mark = ''): string {
  return order.isScript ? quoteLines(request.input, mark) : quote(request.input);
}

type Voices = Requested['voices'];
type SpeechFacts = Delivery['speech'];

function labels(voices: Voices): TextList {
  const all = [...new Map(voices.map((voice) => [voice.id, voice])).values()];
  return { list: all.map((voice) => (all.length > 1 ? voiceName(voice) : voiceLabel(voice))) };
}

export function spokenBy(voices: Voices, { speakers }: SpeechFacts, services: Services): TextList {
  if (!speakers) return labels(voices);
  const byId = voicesById(voices, services);
  return labels(speakers.flatMap(({ asked, heard }) => byId(heard) ?? byId(asked) ?? []));
}

export function stoodInLines(voices: Voices, { speakers }: SpeechFacts, services: Services): Text[] {
  if (!speakers) return [];
  const byId = voicesById(voices, services);
  return speakers.flatMap(({ asked, heard }) => {
    const [missing, other] = [byId(asked), byId(heard)];
    return missing && other && missing !== other
      ? [text('say.stood-in', { voice: voiceName(missing), other: voiceName(other) })]
      : [];
  });
}

function voicesById(asked: Voices, { voices }: Services) {
  const all = [...asked, ...(voices.known()?.voices ?? [])];
  return (wanted: string) => all.find(({ id }) => id === wanted);
}

export function outcomeLines(requested: Requested, facts: SpeechFacts, services: Services): Text[] {
  return [...requested.notes, ...stoodInLines(requested.voices, facts, services)];
}

/** A button for a voice of the same name that supports the options which the requested voice ignored. */
export function otherVoiceRows({ order, requested }: KeptWords, { pending }: Services): Row[] {
  const { takenBy: voice } = requested;
  if (!voice) return [];
  const again = { ...order, voice: voice.id, isConfirmed: false, wasAccepted: false };
  const label = text('say.with-voice', { voice: voiceWithModel(voice, (words) => words) });
  return [[button(goOnName(order.privately), label, pending.put('order', again))]];
}

export function speechFacts(facts: SpeechFacts, { bot }: Services) {
  const { requestId, model, inputCharacters, creditsUsed, mayBeMore, creditsRemaining, cached } = facts;
  const cost = bot.localVoice ? undefined : { creditsUsed, creditsMayBeSpent: mayBeMore, creditsRemaining };
  return { requestId, model, inputCharacters, ...cost, cached };
}

/**
 * Tells the account's balance instead of the requester's own limit if only an owner sees the reply, or if everyone may
 * see the balance. Empty if speech is free.
 */
export async function speechLines(
  { cached, creditsUsed: used, creditsRemaining: left, ownLeft, mayBeMore }: SpeechFacts,
  payer: { readonly userId: string; readonly privately: boolean },
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
  readonly note: NoteStart | undefined;
  readonly replayed: Followed['replayed'];
}

/** The text is queued before “… is thinking” is shown, so that it starts sooner and texts keep their order. */
export function followed(
  call: SpeakCall,
  { channel, note, replayed }: Accepted,
  submit: (onProgress: (progress: ChunkProgress) => void) => Submission,
) {
  const { interaction, services, answered } = serverCall(call);
  const follower = createFollower(services, { replayed, needsInvitation: raisesHand(channel), creditsBefore: 0 });
  const submission = submit(follower.onProgress);
  const { order, requested, channelId } = submission.item();
  const kind = replayed === undefined ? 'say' : 'replay';
  const kept = services.speakers.unspoken.keep(submission, {
    words: { order, requested },
    origin: keptOrigin(interaction, { kind, channelId, authorId: order.authorId }),
  });
  void answered.then(() => kept?.told());
  noteWhenOver(services, note && { ...note, channelId: channel.id }, submission.delivery, kept);
  return async (progress: ShowProgress) => {
    try {
      return await follower.follow(submission, progress);
    } catch (error) {
      if (kept?.comesBack) return laterReply(error, services);
      throw replayed === undefined ? await offeringAgain(error, order, requested, services) : error;
    }
  };
}
