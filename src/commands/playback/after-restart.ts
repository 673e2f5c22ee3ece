import { isDeepStrictEqual } from 'node:util';
import { type Client, DiscordAPIError, Events, RESTJSONErrorCodes } from 'discord.js';
import { countListeners, obstacleIn, voicePlace } from '../../discord/channels/permissions.ts';
import { postNotice } from '../../discord/channels/post.ts';
import { knownVoices, type NoteStart, noteWhenOver } from '../../discord/moderation/moderation-log.ts';
import { forbiddenBy } from '../../discord/servers/changed-rules.ts';
import { causeToldBy, refusal, type SpokenCause, UserError } from '../../errors/user-errors.ts';
import type { LeftPlace } from '../../services/cells/ownership.ts';
import type { Submission } from '../../services/playback/speaker-queue.ts';
import { costBefore, creditsBefore, decideComeback, type KeptText } from '../../services/playback/unspoken.ts';
import type { QueueItem } from '../../services/queue/queue-item.ts';
import { mustBeReadTo } from '../../services/servers/admission.ts';
import { withDeadline } from '../../services/time/timers.ts';
import { render, text } from '../../texts/catalog.ts';
import type { Services } from '../framework/command.ts';
import { createFollower } from '../say/replies.ts';
import { createEarlierReplies, factsOf } from './earlier-replies.ts';

interface AfterRestart {
  readonly client: Client<true>;
  readonly services: Services;
  /** The ids in ALLOWED_SERVERS; undefined allows all servers. */
  readonly allowed: readonly string[] | undefined;
}

interface ComebackOptions extends AfterRestart {
  /** The signal aborts if the message is edited or deleted, or if its author opts out, until `over` resolves. */
  readonly followMessage: (
    message: { readonly id: string; readonly authorId: string; readonly channelId: string | undefined },
    over: Promise<unknown>,
  ) => AbortSignal;
  readonly underWay: Set<Promise<void>>;
}

/** How long a start waits for the voice list. After that, the bot splits long texts by default limits. */
const MODELS_DEADLINE_MS = 5_000;
const JOIN_DEADLINE_MS = 20_000;
/** Number of channels per shard that the bot joins at once: a join takes half a second. */
const AT_ONCE = 10;

async function byShards<Item extends { readonly guildId: string }>(
  client: Client,
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const shards = Map.groupBy(items, ({ guildId }) => client.guilds.cache.get(guildId)?.shardId);
  await Promise.all(
    [...shards.values()].flatMap((ofShard) => {
      const left = ofShard.values();
      return Array.from({ length: AT_ONCE }, async () => {
        for (const item of left) await work(item);
      });
    }),
  );
}

/** Rejoins the former voice channels that still have listeners. Never rejects. */
export async function returnToPlaces(
  places: readonly LeftPlace[],
  { client, services, allowed }: AfterRestart,
): Promise<void> {
  const { speakers, reading, log } = services;

  async function goBack({ guildId, channelId, readsChat }: LeftPlace): Promise<void> {
    const channel = client.guilds.cache.get(guildId)?.channels.cache.get(channelId);
    if (!channel?.isVoiceBased() || allowed?.includes(guildId) === false) return;
    if (speakers.refusal || obstacleIn(client, guildId, channelId)) return;
    if (countListeners(client, guildId, channelId) === 0) return;
    const speaker = speakers.of(guildId);
    if (speaker.channelId === undefined) {
      const joining = speaker.join(voicePlace(channel));
      await withDeadline(joining, { timeoutMs: JOIN_DEADLINE_MS, what: 'Going back into a channel' });
    }
    if (readsChat && speaker.channelId === channelId) reading.read(guildId, channelId);
  }

  await byShards(client, places, (place) =>
    goBack(place).catch((error: unknown) =>
      log.warn(
        { err: error, guildId: place.guildId },
        'Voice channel not rejoined after restart: continuing with other servers',
      ),
    ),
  );
}

type Recalled = KeptText & { readonly sound: Awaited<ReturnType<Services['synthesizer']['recall']>> };

/** Speaks the texts that the previous process accepted, or tells their requesters why not. Never rejects. */
export async function comeBack({ client, services, allowed, followMessage, underWay }: ComebackOptions): Promise<void> {
  const { settings, speakers, synthesizer, privacy, texts, log } = services;
  const { unspoken } = speakers;
  const isFree = services.bot.localVoice;
  const replies = createEarlierReplies(client, services);
  const awaited = new Set<string>();

  async function attempt(guildId: string): Promise<void> {
    if (client.guilds.cache.get(guildId)?.available === false) {
      awaited.add(guildId);
      return;
    }
    try {
      const first = await resume(guildId);
      if (first) await withDeadline(joined(first), { timeoutMs: JOIN_DEADLINE_MS, what: 'Coming back' });
    } catch (error) {
      log.warn({ err: error, guildId }, 'No voice connection yet for restored texts: other servers follow');
    }
  }

  async function resume(guildId: string): Promise<Submission | undefined> {
    // There may be thousands of stored texts: a search through all of them for each server would block the event loop.
    const stillLeft = (ofServer.get(guildId) ?? []).flatMap((one) => unspoken.stillLeft(one) ?? []);
    const recalled = await Promise.all(stillLeft.map((one) => recall(one).catch(staysKept(one))));
    const unread = new Map<string, number>();
    let first: Submission | undefined;
    for (const one of recalled) {
      const submission = one && (await lookAfter(one, unread).catch(staysKept(one)));
      first ??= submission;
    }
    const locale = settings.known(guildId).language ?? client.guilds.cache.get(guildId)?.preferredLocale;
    for (const [channelId, count] of locale === undefined ? [] : unread) {
      const content = render(text('resumed.messages', { count }), locale);
      void postNotice(client, { guildId, channelId, content }, log);
    }
    return first;
  }

  const staysKept = (one: KeptText) => (error: unknown) => {
    if (speakers.refusal) return undefined;
    log.warn({ err: error, ...factsOf(one) }, 'Could not restore a queued text: the next start retries');
    return undefined;
  };

  async function recall(one: KeptText): Promise<Recalled> {
    return { ...one, sound: one.words ? await synthesizer.recall(one.words.requested.request) : [] };
  }

  const isLeft = (one: KeptText) => unspoken.stillLeft(one) !== undefined;

  /**
   * Queues a stored text, or tells its requester why it is not spoken and resolves with undefined. Counts an unspoken
   * chat message in `unread`, by text channel.
   */
  async function lookAfter(one: Recalled, unread: Map<string, number>): Promise<Submission | undefined> {
    const { guildId, channelId, kind, textChannelId } = one.origin;
    // If the bot is stopping again, the text stays stored for the next start. A text that is gone was deleted with
    // /forget.
    if (speakers.refusal || !isLeft(one)) return undefined;
    const decision = decideComeback(one, {
      isServerThere: client.guilds.cache.has(guildId),
      obstacle: obstacleIn(client, guildId, channelId),
      listeners: countListeners(client, guildId, channelId),
      isFree,
      sound: one.sound,
    });
    if (decision.kind === 'tell') {
      tell(one, decision);
      if (kind === 'message' && textChannelId !== undefined)
        unread.set(textChannelId, (unread.get(textChannelId) ?? 0) + 1);
    }
    const outcome = decision.kind === 'speak' ? await speak(one) : decision.why.key;
    const submission = typeof outcome === 'string' ? undefined : outcome;
    log.info(
      { ...factsOf(one), decision: submission ? 'speak' : outcome },
      'Checked a restored text: `decision` says if it is spoken',
    );
    return submission;
  }

  /** Resolves with the reason for the log if the text is not queued. */
  async function speak(one: Recalled): Promise<Submission | string> {
    const { kind, messageId, userId, textChannelId } = one.origin;
    const over = Promise.withResolvers<void>();
    // The message may be deleted, or its author may opt out, during the checks.
    const signal =
      messageId === undefined
        ? undefined
        : followMessage({ id: messageId, authorId: userId, channelId: textChannelId }, over.promise);
    let submission: Submission | undefined;
    try {
      const isThere = kind !== 'message' || (await isStillThere(one));
      if (isThere) await mustBeAllowed(one);
      // If the bot is stopping again, the text stays stored for the next start. The stop also aborts `signal`.
      if (speakers.refusal) return 'kept';
      if (!isLeft(one)) return 'forgotten';
      if (!isThere || signal?.aborted) {
        noteUnspoken(one, undefined);
        unspoken.drop(one);
        return 'taken-back';
      }
      submission = submit(one, signal);
      return submission;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const { text: why, toOthers } = error;
      const mayTryAgain = toOthers === undefined && error.kind !== 'opted-out';
      tell(one, { why, toOthers, cost: costBefore(one, { isFree, sound: one.sound }), mayTryAgain });
      return why.key;
    } finally {
      if (submission) submission.delivery.finally(over.resolve).catch(() => undefined);
      else over.resolve();
    }
  }

  async function isStillThere({ origin: { userId, textChannelId = '', messageId = '' } }: KeptText): Promise<boolean> {
    if (await privacy.optOuts.has(userId)) return false;
    const channel = client.channels.cache.get(textChannelId);
    if (!channel?.isTextBased()) return false;
    try {
      const { editedTimestamp } = await channel.messages.fetch(messageId);
      return editedTimestamp === null;
    } catch (error) {
      if (error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.UnknownMessage) return false;
      // Fetching the message fails without the permission Read Message History. The text is then spoken unchecked.
      log.info({ err: error }, 'Could not check if a message still exists: speaking it');
      return true;
    }
  }

  /**
   * Rejects if the server's rules no longer allow the text. The check is repeated if the rules change during it,
   * because a change cancels only texts that are already queued.
   */
  async function mustBeAllowed({ origin, words }: Recalled): Promise<void> {
    const { guildId, userId, channelId: voiceChannelId, authorId } = origin;
    const asked = { guildId, userId, voiceChannelId, request: words?.requested.request };
    for (;;) {
      const rules = await settings.of(guildId);
      const forbidden = await forbiddenBy(rules, asked, client, texts);
      if (forbidden) throw forbidden;
      await mustBeReadTo(privacy.optOuts, userId, authorId);
      if (isDeepStrictEqual(settings.known(guildId), rules)) return;
    }
  }

  function submit(one: Recalled, signal: AbortSignal | undefined): Submission {
    const { guildId, channelId, kind } = one.origin;
    const channel = client.guilds.cache.get(guildId)?.channels.cache.get(channelId);
    if (!channel?.isVoiceBased() || !one.words) throw new UserError(refusal('channel-gone', { heard: 'nothing' }));
    const { order, requested } = one.words;
    const credits = creditsBefore(one.sound, one.acceptedAtMs);
    const follower = createFollower(services, {
      replayed: kind === 'replay' ? replies.wordsOf(one) : undefined,
      needsInvitation: false,
      creditsBefore: credits,
    });
    const submission = speakers.of(guildId).submit({
      place: voicePlace(channel),
      order,
      requested,
      onProgress: follower.onProgress,
      restored: { id: one.id, wasPaidBefore: credits > 0 },
      signal,
    });
    const kept = unspoken.keepOn(submission, one);
    noteWhenOver(services, noteOf(one), submission.delivery, kept, credits);
    if (one.origin.reply) finish(one, replies.follow(one, { submission, kept, follower, creditsBefore: credits }));
    return submission;
  }

  function noteOf({ origin, words }: Recalled): NoteStart {
    const { guildId, userId, kind, channelId, authorId } = origin;
    const asked = words?.requested;
    const note = { guildId, userId, channelId, characters: asked?.request.input.length };
    if (kind === 'message') {
      return { ...note, kind: 'auto-read', voices: asked && knownVoices(asked.request, services.voices) };
    }
    if (kind !== 'say') return { ...note, kind };
    const typed = authorId === undefined ? 'command' : 'message';
    return { ...note, kind: typed, voices: asked?.voices, isBleeped: asked?.isBleeped };
  }

  /** A text that ended before the restart already has its note in the moderation log. */
  function noteUnspoken(one: Recalled, cause: SpokenCause | undefined): void {
    const { state, words, sound, acceptedAtMs } = one;
    if (state === 'spoken' || state === 'failed') return;
    const isBillKnown = words !== undefined && sound.every(({ kind }) => kind !== 'maybe-billed');
    const credits = isBillKnown ? creditsBefore(sound, acceptedAtMs) : undefined;
    services.moderation.note({ ...noteOf(one), outcome: state === 'started' ? 'failed' : 'unspoken', cause, credits });
  }

  function tell(one: Recalled, answer: Parameters<typeof replies.tell>[1]): void {
    const over = () => {
      noteUnspoken(one, causeToldBy(answer.why) ?? 'stopping');
      unspoken.drop(one);
    };
    // A command's text stays stored until its requester has the answer. A chat message needs no answer.
    if (one.origin.kind === 'message') over();
    else finish(one, replies.tell(one, answer).then(over));
  }

  /** If the answer cannot be sent, the text stays stored, and the bot answers after its next start. */
  function finish(one: KeptText, replying: Promise<void>): void {
    const work = replying
      .catch((error: unknown) => {
        log.warn({ err: error, ...factsOf(one) }, 'Reply to a restored text failed: the next start retries');
      })
      .finally(() => underWay.delete(work));
    underWay.add(work);
  }

  const isAllowed = (guildId: string) => allowed === undefined || allowed.includes(guildId);
  const left = unspoken.left();
  for (const one of left) if (!isAllowed(one.origin.guildId)) unspoken.drop(one);
  const ofServer = Map.groupBy(left, ({ origin }) => origin.guildId);
  const servers = [...ofServer.keys()].filter(isAllowed).map((guildId) => ({ guildId }));
  if (servers.length === 0) return;
  log.info(
    { texts: left.length, servers: servers.length },
    'Found texts from before the restart: speaking or declining each',
  );
  client.on(Events.GuildAvailable, ({ id }) => {
    if (awaited.delete(id)) void attempt(id);
  });
  await withDeadline(services.voices.list(), { timeoutMs: MODELS_DEADLINE_MS, what: 'Listing the voices' }).catch(
    (error: unknown) => log.info({ err: error }, 'No voice list yet: splitting long texts at default lengths'),
  );
  await byShards(client, servers, ({ guildId }) => attempt(guildId));
}

function joined({ delivery, item, onChanged }: Submission): Promise<unknown> {
  return new Promise((resolve) => {
    const look = ({ state }: QueueItem) => {
      if (state !== 'waiting' && state !== 'joining') resolve(undefined);
    };
    delivery.finally(onChanged(look)).then(resolve, resolve);
    look(item());
  });
}
