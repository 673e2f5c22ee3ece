import { failureFacts } from '../errors/explain.ts';
import { refusal } from '../errors/refusals.ts';
import { DeliveryError, UserError } from '../errors/user-errors.ts';
import type { Submission } from '../services/playback/guild-speaker-types.ts';
import { caughtUp } from '../services/playback/guild-speakers.ts';
import type { Kept } from '../services/playback/unspoken.ts';
import type { Delivery, SpeechOrder } from '../services/queue/queue-item.ts';
import type { ServerRules } from '../services/servers/server-rules.ts';
import { charactersOf } from '../services/synthesis/parts.ts';
import { BlockedWordError } from '../services/text/blocked-words.ts';
import { createAges } from '../services/time/arrival-ages.ts';
import { withDeadline } from '../services/time/deadline.ts';
import { isSpeakable } from '../speech/interface/tags.ts';
import type { SpeechRequest } from '../speech/request.ts';
import { text } from '../texts/catalog.ts';
import { languageOfMessage, localeOfText, requestFor, voiceNameOf } from './chosen-voice.ts';
import { type Author, decide, type Posted } from './decision.ts';
import { createNaming, createNotices, type Dismissals } from './reader-memory.ts';
import { comesTooSoon, troubleOf } from './reading-trouble.ts';
import type { ReadingServices } from './services.ts';
import { lineOf, shortName } from './spoken-line.ts';

/** Reads aloud the messages of the channels that admins have chosen. */
export interface Reader {
  /** In the order in which messages are posted. */
  posted(message: Posted): void;
  /** A message that waits is read with its new words, or left out where its old ones may be billed; one that is heard goes on. */
  edited(message: Posted): void;
  /** A message of before the start is in the queue again: the signal aborts when it is edited, deleted or its author opts out. */
  follow(message: FollowedMessage, over: Promise<unknown>): AbortSignal;
  /** Removes an unspoken message from the queue, and stops one that is playing. */
  deleted(messageIds: readonly string[]): void;
  /** The same for all messages of these channels. */
  channelsDeleted(channelIds: readonly string[]): void;
  /** The bot has left a voice channel. */
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

/** A message that was read, or should have been. */
export interface ReadNote {
  readonly message: Posted;
  readonly request: SpeechRequest;
  readonly delivery: Promise<Delivery>;
  readonly kept: Kept | undefined;
  /** A blocked word in it was bleeped. */
  readonly isBleeped: boolean;
}

interface NamedLine {
  readonly who: string;
  /** The words within this many characters; the rest is announced. */
  within(limit: number): string;
  /** The language of the written text. */
  readonly language: string | undefined;
  readonly isBleeped: boolean;
}

/** Reports what becomes of messages. */
export interface ReadingNotes {
  /** A message was accepted for reading. */
  onRead(note: ReadNote): void;
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
const MOST_PREPARED = 30;
const speakerOf = ({ author: { id: userId, isAdmin } }: Posted) => ({ userId, isAdmin });

/** The queue lane of all messages, so that a conversation keeps its order. */
const LANE = 'messages';

export function createReader(options: ReaderOptions): Reader {
  const { settings, speakers, voices, texts, optOuts, channels, dismissals, log } = options;
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

  /** A message whose edit has taken its place is kept. */
  function forget(messageId: string, signal: AbortSignal): void {
    if (underWay.get(messageId)?.end.signal === signal) underWay.delete(messageId);
  }

  /** Messages of a server are handled one after another: a slow lookup must not let the next one overtake. */
  function posted(message: Posted): void {
    const { guildId } = message;
    const askedAtMs = performance.now();
    ages.cameIn(message.atMs);
    const line = lines.get(guildId) ?? { last: Promise.resolve(), size: 0 };
    if (line.size >= MOST_PREPARED) {
      log.debug({ guildId, messageId: message.id }, 'Not read: too many messages at once');
      return;
    }
    const end = new AbortController();
    const { channelId, content } = message;
    underWay.set(message.id, {
      id: message.id,
      authorId: message.author.id,
      channelId,
      content,
      end,
      accepted: undefined,
    });
    lines.set(guildId, line);
    line.size += 1;
    line.last = line.last.then(async () => {
      const isAccepted = await prepare(message, askedAtMs, end.signal);
      if (!isAccepted) forget(message.id, end.signal);
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
  async function prepare(message: Posted, askedAtMs: number, signal: AbortSignal): Promise<boolean> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(PREPARATION_MS)]);
    try {
      return await withDeadline(read(message, askedAtMs, signal, limited), {
        timeoutMs: PREPARATION_MS,
        what: 'Preparing a message',
        signal,
      });
    } catch (error) {
      if (!signal.aborted) await failed(message, error);
      return false;
    }
  }

  async function read(message: Posted, askedAtMs: number, signal: AbortSignal, limited: AbortSignal): Promise<boolean> {
    const { guildId, author } = message;
    const serverRules = await settings.of(guildId);
    if (!placeOf(message, serverRules) || (await optOuts.has(author.id))) return false;
    const line = await lineFor(message, serverRules, limited);
    if (!line) return false;
    // No one can be asked here: of a longer message, only the part below the confirmation limit is read.
    const limit = serverRules.confirmAboveCharacters;
    const words = line.within(Math.min(serverRules.maxCharacters, limit));
    const { guildLocale } = message;
    const whose = { guildId, userId: author.id, rules: serverRules, guildLocale, language: line.language };
    const asWritten = caughtUp(await requestFor(words, whose, options), serverRules, speakers.find(guildId));
    // A style is billed with every part of the text.
    const isDear = charactersOf(options.synthesizer.billedTexts(asWritten, 'listener')) > limit;
    const request = isDear ? { ...asWritten, style: undefined } : asWritten;
    limited.throwIfAborted();
    // Checked again: the members may have changed the channel meanwhile.
    const voiceChannelId = placeOf(message, serverRules);
    if (voiceChannelId === undefined || !isRested(message, serverRules)) return false;
    const { who, isBleeped } = line;
    speak(message, { voiceChannelId, request, who, isBleeped, askedAtMs, signal, serverRules });
    return true;
  }

  /**
   * True if the cooldown is over. Throws a UserError, once in a while, for a member's message that comes too soon; a
   * bot's message is dropped.
   */
  function isRested(message: Posted, serverRules: ServerRules): boolean {
    if (cooldown.waitMs(message.guildId, speakerOf(message), serverRules) <= 0) return true;
    const { kind, isAdmin } = message.author;
    if (kind === 'member') throw comesTooSoon(serverRules, isAdmin);
    return false;
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

  async function lineFor(
    message: Posted,
    serverRules: ServerRules,
    signal: AbortSignal,
  ): Promise<NamedLine | undefined> {
    const { guildId, content, attachments, stickers, replyTo, replyToId, author, guildLocale } = message;
    const whose = { guildId, userId: author.id, rules: serverRules, guildLocale };
    const language = await languageOfMessage(content, whose, options);
    const locale = (await localeOfText(language, whose, options)) ?? serverRules.language ?? guildLocale;
    const repliedName = replyToId === undefined ? undefined : await voices.spokenNames.of(replyToId, guildId);
    const { words, isBleeped } = await texts.ofWritten(content, {
      ...(await message.names(signal)),
      guildId,
      locale,
      now: message.atMs,
      tags: 'remove',
      attachments,
      stickers,
      replyTo: replyTo === undefined ? undefined : (repliedName ?? replyTo),
    });
    if (!isSpeakable(words)) return undefined;
    // Webhooks can use any name.
    const who = `${author.id} ${author.name}`;
    const isNamed = naming.isNamed(guildId, who, serverRules.autoReadNames);
    const name = isNamed ? await nameOf(author, guildId, locale) : undefined;
    const kind = replyTo !== undefined ? 'reply' : content.trim() === '' ? 'files' : 'text';
    const parts = { words, name, kind, locale } as const;
    return {
      who,
      language,
      isBleeped,
      within: (limit) => lineOf({ ...parts, limit }),
    };
  }

  async function nameOf({ id, name: displayed, kind }: Author, guildId: string, locale: string): Promise<string> {
    const chosen = kind === 'member' ? await voices.spokenNames.of(id, guildId) : undefined;
    try {
      return (await texts.ofReadable(shortName(chosen ?? displayed, locale), { guildId, locale })).words;
    } catch (error) {
      // The words may be spoken even if the author's name is blocked.
      if (error instanceof BlockedWordError) return shortName('', locale);
      throw error;
    }
  }

  function speak(
    message: Posted,
    ready: {
      voiceChannelId: string;
      request: SpeechRequest;
      who: string;
      isBleeped: boolean;
      askedAtMs: number;
      signal: AbortSignal;
      serverRules: ServerRules;
    },
  ): void {
    const { guildId, author } = message;
    const { request, isBleeped, askedAtMs, signal, serverRules } = ready;
    const place = channels.placeIn(guildId, ready.voiceChannelId);
    if (!place) throw new UserError(refusal('channel-gone', { heard: 'nothing' }));
    if ('key' in place) throw new UserError(place);
    // Without the text channel: further notices belong where commands are used.
    const order: SpeechOrder = {
      userId: author.id,
      authorId: author.id,
      from: 'reading',
      lane: LANE,
      words: request.input,
      as: 'voice',
      speechOptions: {},
      output: {},
    };
    const requested = { request, voices: [], billed: [], isBleeped, notes: [] };
    const submission = speakers.of(guildId).submit({
      place,
      order,
      requested,
      askedAtMs,
      signal,
    });
    const speaker = speakerOf(message);
    cooldown.take(guildId, speaker, serverRules);
    const uncount = cooldown.ifUnspoken(guildId, speaker, serverRules);
    const one = underWay.get(message.id);
    if (one) one.accepted = { submission, uncount };
    const where = { channelId: place.channelId, textChannelId: message.channelId, messageId: message.id };
    const kept = speakers.unspoken.keep(submission, {
      words: { order, requested },
      origin: { kind: 'message', guildId, userId: author.id, lane: LANE, ...where },
    });
    const undo = naming.follows(guildId, ready.who);
    options.onRead({ message, request, delivery: submission.delivery, kept, isBleeped });
    submission.delivery.then(
      ({ outcome, speech }) => {
        forget(message.id, signal);
        const { requestId, model, creditsUsed, cached } = speech;
        const voice = voiceNameOf(request, voices);
        const what = { guildId, ...where, userId: author.id, voice, outcome, requestId, model, creditsUsed, cached };
        log.info(what, 'Read a message');
      },
      (error: unknown) => {
        forget(message.id, signal);
        undo();
        if (signal.aborted) return;
        uncount(error);
        void failed(message, error);
      },
    );
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
      const end = new AbortController();
      underWay.set(message.id, { ...message, content: undefined, end, accepted: undefined });
      void over.then(() => forget(message.id, end.signal));
      return end.signal;
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
