import { isDeepStrictEqual } from 'node:util';
import { type Client, DiscordAPIError, Events, RESTJSONErrorCodes } from 'discord.js';
import type { Logger } from 'pino';
import { postNotice } from '../../discord/channels/post.ts';
import { countListeners, obstacleIn, voicePlace } from '../../discord/channels/voice-access.ts';
import type { NoteStart } from '../../discord/moderation/moderation-log.ts';
import { knownVoices, noteOfDelivery, noteWhenOver } from '../../discord/moderation/moderation-notes.ts';
import { forbiddenBy } from '../../discord/servers/changed-rules.ts';
import { causeToldBy, refusal, type SpokenCause } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Submission } from '../../services/playback/guild-speaker-types.ts';
import {
  costBefore,
  creditsBefore,
  decideComeback,
  type KeptText,
  type Told,
  type UnspokenKeeper,
} from '../../services/playback/unspoken.ts';
import { mustBeReadTo, OptedOutError } from '../../services/servers/opt-outs.ts';
import type { RecalledPurchase } from '../../services/synthesis/purchases.ts';
import { withDeadline } from '../../services/time/deadline.ts';
import { render, type Text, text } from '../../texts/catalog.ts';
import type { Services } from '../framework/command.ts';
import { createPartsWatch } from '../say/speech-progress.ts';
import { createResumedReplies, factsOf } from './unspoken-reply.ts';

interface ComebackOptions {
  /** Logged in. */
  readonly client: Client<true>;
  readonly unspoken: UnspokenKeeper;
  readonly services: Services;
  /** ALLOWED_SERVERS; undefined: all. The others are left. */
  readonly allowed: readonly string[] | undefined;
  /** Ends the reading of a message when that is edited or deleted, or its author opts out. */
  readonly followMessage: (
    message: { readonly id: string; readonly authorId: string; readonly channelId: string | undefined },
    over: Promise<unknown>,
  ) => AbortSignal;
  /** Replies that are still to be given. */
  readonly underWay: Set<Promise<void>>;
  readonly log: Logger;
}

/** How parts are cut depends on the service's models. */
const MODELS_DEADLINE_MS = 5_000;
/** The next server of a shard waits no longer for this one's join. */
const JOIN_DEADLINE_MS = 20_000;

type Recalled = KeptText & { readonly sound: readonly RecalledPurchase[] };

/** Speaks what was accepted before the last end of the process, and says what became of the rest. Never rejects. */
export async function comeBack(options: ComebackOptions): Promise<void> {
  const { client, unspoken, services, allowed, log } = options;
  const { settings: rules, speakers, synthesizer } = services;
  const replies = createResumedReplies({ client, services, log });
  /** Servers with an outage. */
  const awaited = new Set<string>();

  /** Servers of a shard come one after another: the next joins and purchases begin when the first are done. */
  async function inTurn(guildIds: readonly string[]): Promise<void> {
    for (const guildId of guildIds) await attempt(guildId);
  }

  async function attempt(guildId: string): Promise<void> {
    if (client.guilds.cache.get(guildId)?.available === false) {
      awaited.add(guildId);
      return;
    }
    try {
      const first = await resume(guildId);
      if (first) await withDeadline(joined(first), { timeoutMs: JOIN_DEADLINE_MS, what: 'Coming back' });
    } catch (error) {
      log.warn({ err: error, guildId }, 'Returning to a server failed or takes long');
    }
  }

  /** Resolves with the first text that is spoken there. */
  async function resume(guildId: string): Promise<Submission | undefined> {
    // Items are looked up one by one: with thousands left, searching all of them each time would block the event loop.
    const stillLeft = (ofServer.get(guildId) ?? []).flatMap(({ id }) => unspoken.stillLeft(id) ?? []);
    const recalled = await Promise.all(stillLeft.map((one) => recall(one).catch(staysKept(one))));
    const unread = new Map<string, number>();
    let first: Submission | undefined;
    for (const one of recalled) {
      const submission = one && (await lookAfter(one, unread).catch(staysKept(one)));
      first ??= submission;
    }
    for (const [channelId, count] of unread) tellUnread(guildId, channelId, count);
    return first;
  }

  /** What fails with one text holds up no other. */
  const staysKept = (one: KeptText) => (error: unknown) => {
    if (speakers.refusal) return undefined;
    log.warn({ err: error, ...factsOf(one) }, 'Could not restore a text from before the restart: it stays stored');
    return undefined;
  };

  /** Resolves with what is spoken. Counts messages that are not by their channels. */
  async function lookAfter(one: Recalled, unread: Map<string, number>): Promise<Submission | undefined> {
    const { guildId, channelId, kind, textChannelId } = one.origin;
    // The bot is being stopped again: they stay kept. Or forgotten meanwhile, at its member's wish.
    if (speakers.refusal || !isLeft(one)) return undefined;
    const decision = decideComeback(one, {
      isServerThere: client.guilds.cache.has(guildId),
      obstacle: obstacleIn(client, guildId, channelId),
      listeners: countListeners(client, guildId, channelId),
      isFree: services.bot.localVoice,
      sound: one.sound,
    });
    const outcome = decision.kind === 'speak' ? await speak(one) : decision.why.key;
    if (decision.kind === 'tell') {
      tell(one, decision);
      if (kind === 'message' && textChannelId !== undefined)
        unread.set(textChannelId, (unread.get(textChannelId) ?? 0) + 1);
    }
    const submission = typeof outcome === 'string' ? undefined : outcome;
    log.info({ ...factsOf(one), decision: submission ? 'speak' : outcome }, 'A text of before the start');
    return submission;
  }

  const isLeft = ({ id }: KeptText) => unspoken.stillLeft(id) !== undefined;

  async function recall(one: KeptText): Promise<Recalled> {
    if (!one.words) return { ...one, sound: [] };
    return { ...one, sound: await synthesizer.recall(one.words.requested.request) };
  }

  /** Resolves with what is spoken, or with why nothing is. */
  async function speak(one: Recalled): Promise<Submission | string> {
    const { kind, messageId, userId, textChannelId } = one.origin;
    const over = Promise.withResolvers<void>();
    // First: it may also be deleted, or its author opt out, while it is looked at.
    const signal =
      messageId === undefined
        ? undefined
        : options.followMessage({ id: messageId, authorId: userId, channelId: textChannelId }, over.promise);
    let submission: Submission | undefined;
    try {
      const isThere = kind !== 'message' || (await isStillThere(one));
      if (isThere) await mustBeAllowed(one);
      // The bot is being stopped again, which ends the following of messages, too: it stays kept.
      if (speakers.refusal) return 'kept';
      if (!isLeft(one)) return 'forgotten';
      if (!isThere || signal?.aborted) {
        noteUnspoken(one, undefined);
        unspoken.drop(one.id);
        return 'taken-back';
      }
      submission = submit(one, signal);
      return submission;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const cost = costBefore(one, { isFree: services.bot.localVoice, sound: one.sound });
      const { text: why, toOthers } = error;
      tell(one, { why, toOthers, cost, mayTryAgain: toOthers === undefined && !(error instanceof OptedOutError) });
      return error.text.key;
    } finally {
      const ended = () => over.resolve();
      if (submission) submission.delivery.then(ended, ended);
      else ended();
    }
  }

  /** What admins forbade since, also in the moment before: of a text that is not in the queue they end nothing. */
  async function mustBeAllowed(one: Recalled): Promise<void> {
    const { origin, words } = one;
    const { guildId, userId, channelId: voiceChannelId, authorId } = origin;
    const asked = { guildId, userId, voiceChannelId, request: words?.requested.request };
    for (;;) {
      const present = await rules.of(guildId);
      const refusal = await forbiddenBy(present, asked, client, services.texts);
      if (refusal) throw refusal;
      await mustBeReadTo(services.privacy.optOuts, { userId, authorId });
      if (isDeepStrictEqual(rules.known(guildId), present)) return;
    }
  }

  function submit(one: Recalled, signal: AbortSignal | undefined): Submission {
    const { guildId, channelId } = one.origin;
    const channel = client.guilds.cache.get(guildId)?.channels.cache.get(channelId);
    if (!channel?.isVoiceBased() || !one.words) throw new UserError(refusal('channel-gone', { heard: 'nothing' }));
    const parts = createPartsWatch();
    const credits = creditsBefore(one.sound, one.acceptedAtMs);
    const submission = speakers.of(guildId).submit({
      place: voicePlace(channel),
      id: one.id,
      order: one.words.order,
      requested: one.words.requested,
      onProgress: parts.onProgress,
      wasPaidBefore: credits > 0,
      signal,
    });
    const kept = unspoken.keepOn(submission, one);
    noteWhenOver(services, noteOf(one), submission.delivery.then(noteOfDelivery), kept, credits);
    const resumed = { submission, kept, parts, creditsBefore: credits };
    if (one.origin.reply) finish(one, replies.follow(one, resumed));
    return submission;
  }

  function noteOf(one: Recalled): NoteStart {
    const { origin, words } = one;
    const { guildId, userId, kind, channelId, authorId } = origin;
    const asked = words?.requested;
    return {
      guildId,
      userId,
      channelId,
      characters: asked?.request.input.length,
      kind: kind === 'message' ? 'auto-read' : kind !== 'say' ? kind : authorId !== undefined ? 'message' : 'command',
      voices:
        kind === 'message'
          ? asked && knownVoices(asked.request, services.voices)
          : kind === 'say'
            ? asked?.voices
            : undefined,
      isBleeped: kind === 'say' ? asked?.isBleeped : undefined,
    };
  }

  /** A failure after a start that has no other cause comes from the restart. */
  const causeOfSilence = (why: Text): SpokenCause => causeToldBy(why) ?? 'stopping';

  /** It is over; what was over before the start is noted already. */
  function noteUnspoken(one: Recalled, cause: SpokenCause | undefined): void {
    const { state, words, sound, acceptedAtMs } = one;
    if (state === 'spoken' || state === 'failed') return;
    const isBillKnown = words !== undefined && sound.every(({ kind }) => kind !== 'maybe-billed');
    const credits = isBillKnown ? creditsBefore(sound, acceptedAtMs) : undefined;
    services.moderation.note({ ...noteOf(one), outcome: state === 'started' ? 'failed' : 'unspoken', cause, credits });
  }

  /** False if the author opted out meanwhile, or if the message was edited or deleted. */
  async function isStillThere({ origin: { userId, textChannelId = '', messageId = '' } }: KeptText): Promise<boolean> {
    if (await services.privacy.optOuts.has(userId)) return false;
    const channel = client.channels.cache.get(textChannelId);
    if (!channel?.isTextBased()) return false;
    try {
      const { editedTimestamp } = await channel.messages.fetch(messageId);
      return editedTimestamp === null;
    } catch (error) {
      if (error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.UnknownMessage) return false;
      // The bot may read what is posted, and not what was.
      log.info({ err: error }, 'Could not check whether a queued message still exists');
    }
    return true;
  }

  function tell(one: Recalled, answer: Told): void {
    const over = () => {
      noteUnspoken(one, causeOfSilence(answer.why));
      unspoken.drop(one.id);
    };
    // What cannot be told now is over at the next start.
    if (one.origin.kind === 'message') over();
    else finish(one, replies.tell(one, answer).then(over));
  }

  /** What cannot be told stays kept, and the next start tells it. */
  function finish(one: KeptText, replying: Promise<void>): void {
    const work = replying
      .catch((error: unknown) => {
        log.warn({ err: error, ...factsOf(one) }, 'Could not reach a requester from before the restart');
      })
      .finally(() => options.underWay.delete(work));
    options.underWay.add(work);
  }

  function tellUnread(guildId: string, channelId: string, count: number): void {
    const locale = rules.known(guildId).language ?? client.guilds.cache.get(guildId)?.preferredLocale;
    if (locale === undefined) return;
    void postNotice(client, { guildId, channelId, content: render(text('resumed.messages', { count }), locale) }, log);
  }

  const isAllowed = (guildId: string) => allowed === undefined || allowed.includes(guildId);
  const left = unspoken.left();
  for (const { id, origin } of left) if (!isAllowed(origin.guildId)) unspoken.drop(id);
  const ofServer = Map.groupBy(left, ({ origin }) => origin.guildId);
  const guildIds = [...ofServer.keys()].filter(isAllowed);
  if (guildIds.length === 0) return;
  log.info({ texts: left.length, servers: guildIds.length }, 'Restoring texts from before the restart');
  client.on(Events.GuildAvailable, ({ id }) => {
    if (awaited.delete(id)) void attempt(id);
  });
  await withDeadline(services.voices.list(), { timeoutMs: MODELS_DEADLINE_MS, what: 'Listing the voices' }).catch(
    (error: unknown) => log.info({ err: error }, 'The list of voices has not arrived yet'),
  );
  const byShard = Map.groupBy(guildIds, (guildId) => client.guilds.cache.get(guildId)?.shardId);
  await Promise.all([...byShard.values()].map(inTurn));
}

/** Resolves when the bot is in the channel for this text, or when that is over. */
function joined({ delivery, item, onChanged }: Submission): Promise<void> {
  const isThere = () => {
    const { state } = item();
    return state !== 'waiting' && state !== 'joining';
  };
  return new Promise((resolve) => {
    const unsubscribe = onChanged(() => {
      if (isThere()) end();
    });
    const end = () => {
      unsubscribe();
      resolve();
    };
    delivery.then(end, end);
    if (isThere()) end();
  });
}
