import { failureFacts } from '../errors/explain.ts';
import { refusal } from '../errors/refusals.ts';
import { DeliveryError, UserError } from '../errors/user-errors.ts';
import { caughtUp } from '../services/playback/guild-speakers.ts';
import type { Submission } from '../services/playback/speaker-queue.ts';
import type { Kept } from '../services/playback/unspoken.ts';
import type { Delivery } from '../services/queue/queue-item.ts';
import type { ServerRules } from '../services/servers/server-rules.ts';
import { charactersOf } from '../services/synthesis/parts.ts';
import { BlockedWordError } from '../services/text/blocked-words.ts';
import { createAges } from '../services/time/arrival-ages.ts';
import { withDeadline } from '../services/time/deadline.ts';
import type { SpeechRequest } from '../speech/request.ts';
import { text } from '../texts/catalog.ts';
import { chosenVoice, unasked, voiceNameOf } from './chosen-voice.ts';
import { decide, type Posted } from './decision.ts';
import { createNaming, createNotices, type Dismissals } from './reader-memory.ts';
import { comesTooSoon, troubleOf } from './reading-trouble.ts';
import type { ReadingServices } from './services.ts';
import { shortName, spokenLine } from './spoken-line.ts';

export interface Reader {
  /** In the order in which messages are posted. */
  posted(message: Posted): void;
  /** A message that waits is read with its new words, or left out where its old ones may be billed; one that is heard goes on. */
  edited(message: Posted): void;
  /** A message of before the start is in the queue again: the signal aborts when it is edited, deleted or its author opts out. */
  follow(message: FollowedMessage, over: Promise<unknown>): AbortSignal;
  /** Removes an unspoken message from the queue, and stops one that is playing. */
  deleted(messageIds: readonly string[]): void;
  channelsDeleted(channelIds: readonly string[]): void;
  left(guildId: string): void;
  /** Withdraws all messages. Idempotent. */
  close(): void;
}

interface FollowedMessage {
  readonly id: string;
  readonly authorId: string;
  readonly channelId: string | undefined;
}

/** A message that is being prepared, waits or is spoken. */
interface UnderWay extends FollowedMessage {
  /** Undefined of one of before the start. */
  readonly content: string | undefined;
  readonly end: AbortController;
  /** Once it is in the queue. */
  accepted: { readonly submission: Submission; readonly uncount: (failure: unknown) => void } | undefined;
}

export interface ReadingNotes {
  /** A message was accepted for reading. */
  onRead(note: {
    readonly message: Posted;
    readonly request: SpeechRequest;
    readonly delivery: Promise<Delivery>;
    readonly kept: Kept | undefined;
    readonly isBleeped: boolean;
  }): void;
  /** A message was rejected for a blocked word. */
  onBlocked(message: Posted): void;
}

interface ReaderOptions extends ReadingServices, ReadingNotes {
  readonly dismissals: Dismissals;
  /** A monotonic clock with any origin. */
  readonly now?: () => number;
}

/** For looking up names, voices and preferences; after that the conversation has moved on. */
const PREPARATION_MS = 10_000;
/** Messages of one server in preparation. Further ones are not read. */
const MAX_PREPARED = 30;

/** The queue lane of all messages, so that a conversation keeps its order. */
const LANE = 'messages';

export function createReader(options: ReaderOptions): Reader {
  const { settings, speakers, voices, optOuts, channels, dismissals, log } = options;
  const { cooldown } = speakers;
  const now = options.now ?? (() => performance.now());
  const ages = createAges(now);
  const naming = createNaming(now);
  const notices = createNotices(now);
  const underWay = new Map<string, UnderWay>();
  const lines = new Map<string, { last: Promise<void>; size: number }>();
  const stopOptingOut = optOuts.onOptedOut((userId) => endWhere(({ authorId }) => authorId === userId));

  function endWhere(matches: (one: UnderWay) => boolean): void {
    for (const one of underWay.values()) if (matches(one)) one.end.abort();
  }

  function begin(one: FollowedMessage, content: string | undefined): UnderWay {
    const begun = { ...one, content, end: new AbortController(), accepted: undefined };
    underWay.set(one.id, begun);
    return begun;
  }

  /** An edit that has taken its place stays. */
  function forget(one: UnderWay): void {
    if (underWay.get(one.id) === one) underWay.delete(one.id);
  }

  /** Messages of a server are handled one after another: a slow lookup must not let the next one overtake. */
  function posted(message: Posted): void {
    const { guildId } = message;
    const askedAtMs = performance.now();
    ages.cameIn(message.atMs);
    const line = lines.get(guildId) ?? { last: Promise.resolve(), size: 0 };
    if (line.size >= MAX_PREPARED) {
      log.debug({ guildId, messageId: message.id }, 'Not read: too many messages at once');
      return;
    }
    const { id, channelId, content, author } = message;
    const one = begin({ id, channelId, authorId: author.id }, content);
    lines.set(guildId, line);
    line.size += 1;
    line.last = line.last.then(async () => {
      const isAccepted = await prepare(message, one, askedAtMs);
      if (!isAccepted) forget(one);
      line.size -= 1;
      if (line.size === 0) lines.delete(guildId);
    });
  }

  function edited(message: Posted): void {
    const earlier = underWay.get(message.id);
    if (!earlier || earlier.content === message.content) return;
    const { submission, uncount } = earlier.accepted ?? {};
    if (submission && submission.item().state !== 'waiting') return;
    earlier.end.abort();
    const isPaid = submission?.isRequested() === true && !options.circumstances.localVoice;
    if (isPaid || earlier.content === undefined) return;
    // It counts as one text of its author.
    uncount?.(new DeliveryError(undefined, { kind: 'none' }, new UserError(refusal('stopped'))));
    posted(message);
  }

  /** Resolves with whether it will be played; never rejects. */
  async function prepare(message: Posted, one: UnderWay, askedAtMs: number): Promise<boolean> {
    const { signal } = one.end;
    const [timeoutMs, what] = [PREPARATION_MS, 'Preparing a message'];
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      return await withDeadline(read(message, one, askedAtMs, limited), { timeoutMs, what, signal });
    } catch (error) {
      if (!signal.aborted) await failed(message, error);
      return false;
    }
  }

  async function read(message: Posted, one: UnderWay, askedAtMs: number, limited: AbortSignal): Promise<boolean> {
    const { guildId, author } = message;
    const serverRules = await settings.of(guildId);
    if (!placeOf(message, serverRules) || (await optOuts.has(author.id))) return false;
    const { guildLocale } = message;
    const chosen = await chosenVoice({ guildId, userId: author.id, rules: serverRules, guildLocale }, options);
    const line = await spokenLine(message, serverRules, { chosen, naming, services: options, signal: limited });
    if (!line) return false;
    // No one can be asked here: of a longer message, only the part below the confirmation limit is read.
    const limit = serverRules.confirmAboveCharacters;
    const words = line.within(Math.min(serverRules.maxCharacters, limit));
    const asWritten = caughtUp(await chosen.requestFor(words, line.language), serverRules, speakers.find(guildId));
    // A style is billed with every part of the text.
    const isDear = charactersOf(options.synthesizer.billedTexts(asWritten, 'listener')) > limit;
    const request = isDear ? { ...asWritten, style: undefined } : asWritten;
    limited.throwIfAborted();
    // The members may have changed the channel meanwhile.
    const voiceChannelId = placeOf(message, serverRules);
    if (voiceChannelId === undefined) return false;
    const speaker = { userId: author.id, isAdmin: author.isAdmin };
    if (cooldown.waitMs(guildId, speaker, serverRules) > 0) {
      // A bot's message is left out without a word.
      if (author.kind !== 'member') return false;
      throw comesTooSoon(serverRules, author.isAdmin);
    }
    const place = channels.placeIn(guildId, voiceChannelId);
    if (!place) throw new UserError(refusal('channel-gone', { heard: 'nothing' }));
    if ('key' in place) throw new UserError(place);
    const { isBleeped } = line;
    // Without the text channel: further notices belong where commands are used.
    const said = unasked('reading', LANE, { userId: author.id, authorId: author.id, request, isBleeped });
    const { signal } = one.end;
    const submission = speakers.of(guildId).submit({ ...said, place, askedAtMs, signal });
    cooldown.take(guildId, speaker, serverRules);
    const uncount = cooldown.ifUnspoken(guildId, speaker, serverRules);
    one.accepted = { submission, uncount };
    const where = { channelId: place.channelId, textChannelId: message.channelId, messageId: message.id };
    const kept = speakers.unspoken.keep(submission, {
      words: said,
      origin: { kind: 'message', guildId, userId: author.id, lane: LANE, ...where },
    });
    const undo = naming.follows(guildId, line.who);
    options.onRead({ message, request, delivery: submission.delivery, kept, isBleeped });
    submission.delivery.then(
      ({ outcome, speech }) => {
        forget(one);
        const { requestId, model, creditsUsed, cached } = speech;
        const voice = voiceNameOf(request, voices);
        const facts = { guildId, ...where, userId: author.id, voice, outcome, requestId, model, creditsUsed, cached };
        log.info(facts, 'Read a message');
      },
      (error: unknown) => {
        forget(one);
        undo();
        if (signal.aborted) return;
        uncount(error);
        void failed(message, error);
      },
    );
    return true;
  }

  function placeOf(message: Posted, serverRules: ServerRules): string | undefined {
    const { guildId, id: messageId } = message;
    const botChannelId = speakers.find(guildId)?.channelId;
    const decision = decide(message, serverRules, {
      botChannelId,
      listeners: botChannelId === undefined ? 0 : channels.listeners(guildId, botChannelId),
      isDismissed: (channelId) => dismissals.holds(guildId, channelId),
      isJoinedChat: (channelId) => options.joinedChats.isRead(guildId, channelId),
      ageMs: ages.ageMs(message.atMs),
      isVoiceChannel: (channelId) => channels.placeIn(guildId, channelId) !== undefined,
    });
    if (decision.kind === 'read') return decision.voiceChannelId;
    if (decision.why !== 'not-chosen') log.debug({ guildId, messageId, why: decision.why }, 'Not read');
    return undefined;
  }

  async function failed(message: Posted, error: unknown): Promise<void> {
    const { guildId, channelId, id: messageId, author } = message;
    if (error instanceof BlockedWordError) options.onBlocked(message);
    const trouble = troubleOf(error, options.circumstances);
    if (trouble.kind === 'logged') log.warn({ err: trouble.error, guildId, messageId }, 'A message could not be read');
    else log.debug({ guildId, messageId, why: trouble.why }, 'A message was not read');
    if (trouble.kind !== 'told') return;
    // Members need not hear of a bot with a full queue, just as with its limit in ten seconds.
    if (failureFacts(error).kind === 'own-queue-full' && author.kind !== 'member') return;
    const kind = trouble.isAuthorsOwn ? `${trouble.why} ${author.id}` : trouble.why;
    if (!notices.take(guildId, kind)) return;
    log.info({ guildId, why: trouble.why }, 'Messages cannot be read: posted the reason in their channel');
    const serverRules = await settings.of(guildId);
    const locale = serverRules.language ?? message.guildLocale;
    const member = author.kind === 'webhook' ? shortName(author.name, locale) : `<@${author.id}>`;
    channels.notify(guildId, channelId, text('reading.trouble', { member, why: trouble.words }), locale);
  }

  return {
    posted,
    edited,
    follow(message, over) {
      const one = begin(message, undefined);
      void over.then(() => forget(one));
      return one.end.signal;
    },
    deleted(messageIds) {
      for (const id of messageIds) underWay.get(id)?.end.abort();
    },
    channelsDeleted: (channelIds) =>
      endWhere(({ channelId }) => channelId !== undefined && channelIds.includes(channelId)),
    left: naming.forget,
    close() {
      stopOptingOut();
      endWhere(() => true);
    },
  };
}
