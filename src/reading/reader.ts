import { failureFacts } from '../errors/explain.ts';
import { DeliveryError, refusal, UserError } from '../errors/user-errors.ts';
import { caughtUp } from '../services/playback/guild-speakers.ts';
import type { Submission } from '../services/playback/speaker-queue.ts';
import type { Kept } from '../services/playback/unspoken.ts';
import type { ServerRules } from '../services/servers/admission.ts';
import { charactersOf } from '../services/synthesis/parts.ts';
import { BlockedWordError } from '../services/text/blocked-words.ts';
import { createAges, withDeadline } from '../services/time/timers.ts';
import { isSpeakable } from '../speech/interface/models.ts';
import { text } from '../texts/catalog.ts';
import { chosenVoice, createNaming, createNotices, type Dismissals, unasked } from './chosen-voice.ts';
import { decide, type Posted, type ReadingServices } from './decision.ts';
import { comesTooSoon, troubleOf } from './reading-trouble.ts';
import { lineOf, shortName } from './spoken-line.ts';

interface FollowedMessage {
  readonly id: string;
  readonly authorId: string;
  readonly channelId: string | undefined;
}

interface UnderWay extends FollowedMessage {
  /** The message's text; undefined for a message from before the restart. */
  readonly content: string | undefined;
  readonly end: AbortController;
  accepted: { readonly submission: Submission; readonly uncount: (failure: unknown) => void } | undefined;
}

export interface ReadingNotes {
  onRead(message: Posted, submission: Submission, kept: Kept | undefined): void;
  onBlocked(message: Posted): void;
}

interface ReaderOptions extends ReadingServices, ReadingNotes {
  readonly dismissals: Dismissals;
  readonly now: () => number;
}

/** A message that takes longer to prepare for the queue is not read aloud: the conversation has moved on. */
const PREPARATION_MS = 10_000;
/** Maximum number of messages of a server in preparation. Further messages are not read aloud. */
const MAX_PREPARED = 30;

/** All messages of a server share a lane, because the texts of a lane are spoken in their order. */
const LANE = 'messages';

export function createReader(options: ReaderOptions) {
  const { settings, speakers, texts, voices, optOuts, channels, dismissals, log, now } = options;
  const { cooldown } = speakers;
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

  /** Removes a message from `underWay`, unless an edited version has already taken its place there. */
  function forget(one: UnderWay): void {
    if (underWay.get(one.id) === one) underWay.delete(one.id);
  }

  /** Prepares the messages of a server one after another, so that a slow lookup does not change their order. */
  function posted(message: Posted): void {
    const { guildId } = message;
    const askedAtMs = performance.now();
    ages.cameIn(message.atMs);
    const line = lines.get(guildId) ?? { last: Promise.resolve(), size: 0 };
    if (line.size >= MAX_PREPARED) {
      log.debug({ guildId, messageId: message.id }, 'Message not read aloud: server has too many waiting messages');
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

  /**
   * Replaces a waiting message by its edited version. If the old version may already be billed, or is from before a
   * restart, neither is spoken. A message that is playing continues.
   */
  function edited(message: Posted): void {
    const earlier = underWay.get(message.id);
    if (!earlier || earlier.content === message.content) return;
    const { submission, uncount } = earlier.accepted ?? {};
    if (submission && submission.item().state !== 'waiting') return;
    earlier.end.abort();
    const isPaid = submission?.isRequested() === true && !options.circumstances.localVoice;
    if (isPaid || earlier.content === undefined) return;
    // The old version is not spoken, so it must not count toward the author's limit on texts.
    uncount?.(new DeliveryError(undefined, { kind: 'none' }, new UserError(refusal('stopped'))));
    posted(message);
  }

  /** Resolves with true if the message is queued. Never rejects. */
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
    const line = await lineOfMessage(message, serverRules, limited);
    if (!line) return false;
    const { request, isBleeped } = line;
    limited.throwIfAborted();
    // The author or the bot may have moved while the message was prepared.
    const voiceChannelId = placeOf(message, serverRules);
    if (voiceChannelId === undefined) return false;
    const speaker = { userId: author.id, isAdmin: author.isAdmin };
    if (cooldown.waitMs(guildId, speaker, serverRules) > 0) {
      // Bots and webhooks get no notice that their messages come too fast.
      if (author.kind !== 'member') return false;
      throw comesTooSoon(serverRules, author.isAdmin);
    }
    const place = channels.placeIn(guildId, voiceChannelId);
    if (!place) throw new UserError(refusal('channel-gone', { heard: 'nothing' }));
    if ('key' in place) throw new UserError(place);
    // Later notices, such as why the bot left, belong where members last used a command, not where it reads messages.
    const said = unasked('reading', LANE, { userId: author.id, authorId: author.id, request, isBleeped });
    const { signal } = one.end;
    const submission = speakers.of(guildId).submit({ ...said, place, askedAtMs, signal });
    const uncount = cooldown.count(guildId, speaker, serverRules);
    one.accepted = { submission, uncount };
    const where = { channelId: place.channelId, textChannelId: message.channelId, messageId: message.id };
    const kept = speakers.unspoken.keep(submission, {
      words: said,
      origin: { kind: 'message', guildId, userId: author.id, lane: LANE, ...where },
    });
    const undo = naming.follows(guildId, line.who);
    options.onRead(message, submission, kept);
    submission.delivery.then(
      ({ outcome, speech }) => {
        forget(one);
        const { requestId, model, creditsUsed, cached } = speech;
        const { voiceId } = request.voice;
        const voice = voices.known()?.voices.find(({ id }) => id === voiceId)?.name ?? voiceId;
        const facts = { guildId, ...where, userId: author.id, voice, outcome, requestId, model, creditsUsed, cached };
        log.info(facts, 'Finished or stopped reading a message aloud');
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

  /** The words for a message and their voice; undefined if the message has nothing to speak. Rejects with a BlockedWordError. */
  async function lineOfMessage(message: Posted, serverRules: ServerRules, signal: AbortSignal) {
    const { guildId, content, attachments, stickers, replyTo, author, guildLocale } = message;
    const { maxCharacters, confirmAboveCharacters } = serverRules;
    const chosen = await chosenVoice({ guildId, userId: author.id, guildLocale }, options);
    const language = await chosen.languageOf(content);
    const locale = chosen.localeOf(language) ?? serverRules.language ?? guildLocale;
    const repliedName = replyTo?.id === undefined ? undefined : await voices.spokenNames.of(replyTo.id, guildId);
    const { words, isBleeped } = await texts.ofWritten(content, {
      ...(await message.names(signal)),
      guildId,
      locale,
      now: message.atMs,
      tags: 'remove',
      attachments,
      stickers,
      replyTo: repliedName ?? replyTo?.name,
    });
    if (!isSpeakable(words)) return undefined;
    // An author is identified by id and name, because a webhook can post under any name.
    const who = `${author.id} ${author.name}`;
    const isNamed = naming.isNamed(guildId, who, serverRules.autoReadNames);
    const name = isNamed ? await nameOf(message, locale) : undefined;
    const form = replyTo ? 'replies' : content.trim() === '' ? 'sent' : 'says';
    // Nobody confirms the cost of a chat message, so it is cut to the length that needs no confirmation.
    const limit = Math.min(maxCharacters, confirmAboveCharacters);
    const asked = await chosen.requestFor(lineOf({ words, name, form, locale, limit }), language);
    const asWritten = caughtUp(asked, serverRules, speakers.find(guildId));
    // The style is billed again with each part of a text. If that exceeds the character limit, the style is dropped.
    const billed = charactersOf(options.synthesizer.billedTexts(asWritten, 'listener'));
    const request = billed > confirmAboveCharacters ? { ...asWritten, style: undefined } : asWritten;
    return { who, isBleeped, request };
  }

  async function nameOf({ guildId, author }: Posted, locale: string): Promise<string> {
    const chosen = author.kind === 'member' ? await voices.spokenNames.of(author.id, guildId) : undefined;
    try {
      return (await texts.ofReadable(shortName(chosen ?? author.name, locale), { guildId, locale })).words;
    } catch (error) {
      // A blocked word in the author's name must not block the message.
      if (error instanceof BlockedWordError) return shortName('', locale);
      throw error;
    }
  }

  function placeOf(message: Posted, serverRules: ServerRules): string | undefined {
    const { guildId, id: messageId } = message;
    const botChannelId = speakers.find(guildId)?.channelId;
    const decision = decide(message, serverRules, {
      botChannelId,
      listeners: botChannelId === undefined ? 0 : channels.listeners(guildId, botChannelId),
      isDismissed: (channelId) => dismissals.holds(channelId),
      isJoinedChat: (channelId) => options.joinedChats.isRead(guildId, channelId),
      ageMs: ages.ageMs(message.atMs),
      isVoiceChannel: (channelId) => channels.placeIn(guildId, channelId) !== undefined,
    });
    if (decision.kind === 'read') return decision.voiceChannelId;
    if (decision.why !== 'not-chosen')
      log.debug({ guildId, messageId, why: decision.why }, 'A rule kept a message from being read aloud');
    return undefined;
  }

  async function failed(message: Posted, error: unknown): Promise<void> {
    const { guildId, channelId, id: messageId, author } = message;
    if (error instanceof BlockedWordError) options.onBlocked(message);
    const trouble = troubleOf(error, options.circumstances);
    if (trouble.kind === 'logged')
      log.warn({ err: trouble.error, guildId, messageId }, 'An error kept a message from being read aloud');
    else log.debug({ guildId, messageId, why: trouble.why }, 'A message’s text was refused: not reading it aloud');
    if (trouble.kind !== 'told') return;
    if (failureFacts(error).kind === 'own-queue-full' && author.kind !== 'member') return;
    const kind = trouble.isAuthorsOwn ? `${trouble.why} ${author.id}` : trouble.why;
    if (!notices.take(guildId, kind)) return;
    log.info({ guildId, why: trouble.why }, 'Message not read aloud: posting the reason in its channel');
    const serverRules = await settings.of(guildId);
    const locale = serverRules.language ?? message.guildLocale;
    const member = author.kind === 'webhook' ? shortName(author.name, locale) : `<@${author.id}>`;
    channels.notify(guildId, channelId, text('reading.trouble', { member, why: trouble.words }), locale);
  }

  return {
    /** Must be called in the order in which messages are posted, because they are read aloud in that order. */
    posted,
    edited,
    /**
     * Registers a message that is queued again after a restart. The returned signal aborts when the message is edited
     * or deleted, or when its author opts out.
     */
    follow(message: FollowedMessage, over: Promise<unknown>): AbortSignal {
      const one = begin(message, undefined);
      void over.then(() => forget(one));
      return one.end.signal;
    },
    deleted(messageIds: readonly string[]): void {
      for (const id of messageIds) underWay.get(id)?.end.abort();
    },
    channelsDeleted: (channelIds: readonly string[]) =>
      endWhere(({ channelId }) => channelId !== undefined && channelIds.includes(channelId)),
    left: naming.forget,
    close() {
      stopOptingOut();
      endWhere(() => true);
    },
  };
}
