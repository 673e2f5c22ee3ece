import {
  type Channel,
  ChannelType,
  type Client,
  Events,
  type Message,
  MessageFlags,
  MessageType,
  PermissionFlagsBits,
  type VoiceState,
} from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { kindOf } from '../../errors/user-errors.ts';
import type { Reading } from '../../reading/auto-join.ts';
import type { Channels, Posted } from '../../reading/decision.ts';
import { createJoinedChats } from '../../services/presence/channel-presence.ts';
import { placeRefusal, rulesOf } from '../../services/servers/admission.ts';
import type { ServerSettings } from '../../services/servers/server-settings.ts';
import type { SpokenNames } from '../../services/voices/voices.ts';
import { render, type Text, text } from '../../texts/catalog.ts';
import { countListeners, mayManage, obstacleIn, voiceChannelsOf, voicePlace } from '../channels/permissions.ts';
import { postNotice } from '../channels/post.ts';
import { createFirstTime } from '../client/events.ts';
import { mentionedNames, readableParts } from './readable-parts.ts';

/** Obstacles that only an admin can remove; others, such as a full channel, pass by themselves. */
const LASTING: ReadonlySet<string | undefined> = new Set(['afk-channel', 'missing-permissions', 'stage']);

export const createReadingPlaces = (client: Client, isOn: boolean) => ({
  ...createJoinedChats(),
  isOn,
  /** Names the channels whose messages the bot cannot see. Undefined if there are none, or during a server outage. */
  problem(guildId: string, channelIds: readonly string[]): Text | undefined {
    const guild = client.guilds.cache.get(guildId);
    const bot = guild?.members.me;
    if (!guild?.available || !bot) return undefined;
    const unseen = channelIds.filter((id) => {
      const channel = guild.channels.cache.get(id);
      return !channel?.permissionsFor(bot).has(PermissionFlagsBits.ViewChannel);
    });
    if (unseen.length === 0) return undefined;
    return text('settings.reading-unseen', { channels: { list: unseen.map((id) => `<#${id}>`) } });
  },
  /** Returns the obstacle in a server's auto-join channel that an admin has to remove; undefined if there is none. */
  autoJoinProblem(guildId: string, settings: ServerSettings): Text | undefined {
    const { autoJoinChannel: voiceChannelId } = settings;
    const guild = client.guilds.cache.get(guildId);
    if (voiceChannelId === undefined || !guild) return undefined;
    const obstacle = obstacleIn(client, guildId, voiceChannelId);
    if (kindOf(obstacle) === 'channel-gone') return text('settings.auto-join-gone');
    const where = { isAdmin: false, voiceChannelId, isVoiceChannel: voiceChannelsOf(guild) };
    const why = LASTING.has(kindOf(obstacle)) ? obstacle : placeRefusal(rulesOf(settings), where);
    return why && text('settings.auto-join-obstacle', { why });
  },
});

export type ReadingPlaces = ReturnType<typeof createReadingPlaces>;

export const createChannels = (client: Client, log: Logger): Channels => ({
  listeners: (guildId, channelId) => countListeners(client, guildId, channelId),
  placeIn(guildId, channelId) {
    const channel = client.guilds.cache.get(guildId)?.channels.cache.get(channelId);
    // During an outage of the server, no channels are known.
    if (!channel?.isVoiceBased() || !channel.guild.available || !channel.guild.members.me) return undefined;
    return obstacleIn(client, guildId, channelId) ?? voicePlace(channel);
  },
  notify: (guildId, channelId, words, locale) =>
    void postNotice(client, { guildId, channelId, content: render(words, locale) }, log),
});

/** How many pending replies of other bots are remembered. Discord allows 15 minutes to fill in a reply, but most take seconds. */
const MAX_DEFERRED = 1_000;

interface ReadingRoutes {
  readonly client: Client;
  /** The servers in ALLOWED_SERVERS; undefined allows all servers. */
  readonly allowed: readonly string[] | undefined;
  readonly spokenNames: SpokenNames;
  readonly reading: Reading;
}

/** Passes messages and members' moves in voice to `reading`. If READ_MESSAGES is off, Discord sends the bot no messages. */
export function routeReading(routes: ReadingRoutes): void {
  const { client, allowed, reading, spokenNames } = routes;
  const isAllowed = (guildId: string) => allowed === undefined || allowed.includes(guildId);
  /** Arrival times of other bots' pending replies ("is thinking…"), which are empty until their first edit. */
  const deferredAtMs = new LRUCache<string, number>({ max: MAX_DEFERRED });
  const pass = (message: Message, atMs: number, to: (message: Posted) => void = reading.posted) => {
    const posted = postedOf(message, atMs, spokenNames);
    if (posted && isAllowed(posted.guildId)) to(posted);
  };
  const isFirst = createFirstTime();
  client.on(Events.MessageCreate, (message) => {
    if (!isFirst(message.id)) return;
    if (message.flags.has(MessageFlags.Loading)) deferredAtMs.set(message.id, performance.now());
    else pass(message, message.createdTimestamp);
  });
  client.on(Events.MessageUpdate, (_, message) => {
    const cameAtMs = deferredAtMs.get(message.id);
    if (cameAtMs !== undefined && !message.flags.has(MessageFlags.Loading)) {
      deferredAtMs.delete(message.id);
      // Another bot fills in its pending reply, which Discord does not mark as an edit. The time of the content is the
      // reply's creation plus the time since it arrived, since the host's clock may be wrong.
      pass(message, message.editedTimestamp ?? message.createdTimestamp + performance.now() - cameAtMs);
    } else if (message.editedTimestamp !== null) pass(message, message.editedTimestamp, reading.edited);
  });
  client.on(Events.MessageDelete, ({ id }) => reading.deleted([id]));
  client.on(Events.MessageBulkDelete, (messages) => reading.deleted([...messages.keys()]));
  // A deleted channel ends the reading of messages in it and its threads: Discord sends no deletion events for these messages.
  const channelDeleted = (channel: Channel) =>
    reading.channelsDeleted([channel.id, ...('threads' in channel ? channel.threads.cache.keys() : [])]);
  client.on(Events.ChannelDelete, channelDeleted);
  client.on(Events.ThreadDelete, channelDeleted);
  client.on(Events.VoiceStateUpdate, (before, after) => {
    reading.audienceChanged(after.guild.id);
    const move = moveOf(before, after);
    if (move && isAllowed(move.guildId)) reading.moved(move);
  });
}

function postedOf(message: Message, atMs: number, spokenNames: SpokenNames): Posted | undefined {
  if (!message.inGuild() || message.system || isOwn(message)) return undefined;
  const { guild, channel, author, member, client } = message;
  const { mentioned, ...parts } = readableParts(message);
  const isOpenThread = channel.isThread() && channel.type !== ChannelType.PrivateThread;
  return {
    id: message.id,
    guildId: guild.id,
    channelId: message.channelId,
    parentChannelId: (isOpenThread && channel.parentId) || undefined,
    author: {
      id: author.id,
      name: member?.displayName ?? author.displayName,
      kind: message.webhookId ? 'webhook' : author.bot ? 'bot' : 'member',
      roleIds: [...(member?.roles.cache.keys() ?? [])],
      isAdmin: mayManage(member?.permissions),
      voiceChannelId: guild.voiceStates.cache.get(author.id)?.channelId ?? undefined,
    },
    isSilent: message.flags.has(MessageFlags.SuppressNotifications),
    atMs,
    ...parts,
    replyTo: repliedTo(message),
    guildLocale: guild.preferredLocale,
    names: (signal) =>
      mentionedNames({ words: parts.content, client, guild, reader: member, spokenNames, mentioned, signal }),
  };
}

function isOwn({ author, client, applicationId }: Message<true>): boolean {
  return author.id === client.user.id || applicationId === client.application.id;
}

function repliedTo({ mentions, guild, reference, type }: Message<true>): Posted['replyTo'] {
  if (type !== MessageType.Reply || !reference) return undefined;
  const replied = mentions.repliedUser;
  const member = replied && guild.members.cache.get(replied.id);
  return { id: replied?.id, name: (member ?? replied)?.displayName ?? '' };
}

function moveOf(before: VoiceState, after: VoiceState) {
  const member = after.member ?? before.member;
  if (before.channelId === after.channelId || !member || member.user.bot) return undefined;
  const { guild } = after;
  return {
    guildId: guild.id,
    userId: member.id,
    name: member.displayName,
    from: before.channelId ?? undefined,
    to: after.channelId ?? undefined,
    guildLocale: guild.preferredLocale,
  };
}
