import {
  type BaseInteraction,
  ChannelType,
  type Client,
  Events,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type Guild,
  type GuildBasedChannel,
  type GuildMember,
  type GuildTextBasedChannel,
  PermissionFlagsBits,
  type PermissionsBitField,
  type SendableChannels,
  Status,
  type VoiceBasedChannel,
  type VoiceState,
} from 'discord.js';
import { refusal, UserError } from '../../errors/user-errors.ts';
import { abortable } from '../../services/time/timers.ts';
import { type Text, text } from '../../texts/catalog.ts';

/**
 * Returns a refusal if a moderator's timeout keeps the bot from voice and from writing, because discord.js's permission checks
 * ignore timeouts. Administrators are exempt from timeouts. Replies to commands still work (discord-api-docs issue 6847).
 */
export function timeoutOf(bot: GuildMember): Text | undefined {
  const untilMs = bot.communicationDisabledUntilTimestamp ?? 0;
  if (untilMs <= Date.now() || bot.permissions.has(PermissionFlagsBits.Administrator)) return undefined;
  return refusal('timed-out', { until: `<t:${Math.ceil(untilMs / 1000)}:f>` });
}

/** The bot treats members with Discord's permission "Manage Server" as its admins in the server. */
export const MANAGE_SERVER = PermissionFlagsBits.ManageGuild;

export function mayManage(permissions: Readonly<PermissionsBitField> | null | undefined): boolean {
  return permissions?.has(MANAGE_SERVER) ?? false;
}

/** True if the caller is an admin of the server. False in servers without the bot, because they have no settings. */
export function managesServer(interaction: BaseInteraction): boolean {
  return interaction.inCachedGuild() && mayManage(interaction.memberPermissions);
}

/** True if the bot is allowed to write in a channel without being asked. Threads need a separate permission. */
export function mayWrite(channel: GuildTextBasedChannel, me: GuildMember): boolean {
  const sending = channel.isThread() ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages;
  const isPermitted = channel.permissionsFor(me)?.has([PermissionFlagsBits.ViewChannel, sending]) ?? false;
  return isPermitted && !timeoutOf(me);
}

/** Picks a channel that the bot is allowed to write in: where Discord announces new members, otherwise the topmost. */
export function writableChannel(guild: Guild): (GuildBasedChannel & SendableChannels) | undefined {
  const { me } = guild.members;
  if (!me) return undefined;
  const position = (channel: GuildBasedChannel) => ('rawPosition' in channel ? channel.rawPosition : 0);
  const writable = [...guild.channels.cache.values()]
    .filter((channel) => channel.isTextBased() && !channel.isThread() && !channel.isVoiceBased())
    .filter((channel) => mayWrite(channel, me))
    .sort((one, other) => position(one) - position(other));
  return writable.find((channel) => channel.id === guild.systemChannelId) ?? writable[0];
}

const NEEDED = ['ViewChannel', 'Connect', 'Speak'] as const;
const NEEDED_ON_STAGE = ['ViewChannel', 'Connect'] as const;

const mention = (channel: { readonly id: string }) => `<#${channel.id}>`;

/** Why the bot cannot speak in a channel; checked before joining, because Discord silently ignores a join that it does not allow. */
export function obstacleTo(channel: VoiceBasedChannel, bot: GuildMember): Text | undefined {
  const timeout = timeoutOf(bot);
  if (timeout) return timeout;
  const permissions = channel.permissionsFor(bot);
  const onStage = channel.type === ChannelType.GuildStageVoice;
  const missing = (onStage ? NEEDED_ON_STAGE : NEEDED).filter((name) => !permissions.has(PermissionFlagsBits[name]));
  if (missing.length > 0) {
    return refusal('missing-permissions', {
      channel: mention(channel),
      permissions: { list: missing.map((name) => text(`permission.${name}`)) },
    });
  }
  if (onStage && !mayGoOnStage(permissions)) {
    return refusal('stage', { channel: mention(channel) });
  }
  if (channel.guild.afkChannelId === channel.id) return refusal('afk-channel', { channel: mention(channel) });
  const own = channel.guild.voiceStates.cache.get(bot.id);
  // A server mute is an obstacle only while the bot is in voice: moderators cannot unmute a bot that has not joined.
  if (own?.serverMute && own.channelId) return refusal('server-muted');
  // Counts members by voice states, because `channel.members` would leave out members that are not cached.
  const inside = channel.guild.voiceStates.cache.filter(({ channelId }) => channelId === channel.id);
  const hasRoom =
    channel.userLimit === 0 || inside.size < channel.userLimit || permissions.has(PermissionFlagsBits.MoveMembers);
  if (!hasRoom && !inside.has(bot.id)) {
    return refusal('channel-full', { channel: mention(channel), limit: channel.userLimit });
  }
  return undefined;
}

export function obstacleIn(client: Client, guildId: string, channelId: string): Text | undefined {
  const guild = client.guilds.cache.get(guildId);
  const bot = guild?.members.me;
  // During an outage no channels are known. No obstacle is reported, so that the bot keeps trying to join.
  if (!guild?.available || !bot) return undefined;
  const channel = guild.channels.cache.get(channelId);
  return channel?.isVoiceBased() ? obstacleTo(channel, bot) : refusal('channel-gone', { heard: 'nothing' });
}

export const voiceChannelsOf =
  (holder: Guild | Client | undefined) =>
  (channelId: string): boolean =>
    holder?.channels.cache.get(channelId)?.isVoiceBased() ?? false;

/** A member in voice whose profile is not cached counts as human. */
const isBot = (client: Client, { id, member }: VoiceState): boolean => member?.user.bot ?? id === client.user?.id;

export function countListeners(client: Client, guildId: string, channelId: string, withoutUserId?: string): number {
  const states = client.guilds.cache.get(guildId)?.voiceStates.cache;
  return (
    states?.filter((state) => state.channelId === channelId && state.id !== withoutUserId && !isBot(client, state))
      .size ?? 0
  );
}

export function voicePlace(channel: VoiceBasedChannel) {
  const { guild } = channel;
  return {
    channelId: channel.id,
    adapterCreator: guild.voiceAdapterCreator,
    shardId: guild.shardId,
    knownChannel() {
      const state = guild.voiceStates.cache.get(guild.client.user.id);
      return state && guild.channels.cache.has(state.channelId ?? '') ? state.channelId : state && null;
    },
    isGatewayConnected: () => guild.shard.status === Status.Ready,
    takeTheFloor(signal: AbortSignal) {
      const voice = guild.members.me?.voice;
      const stage = voice?.channel;
      if (!voice?.suppress || stage?.type !== ChannelType.GuildStageVoice) return undefined;
      return goOnStage(voice, stage, signal);
    },
  };
}

/** With Mute Members the bot makes itself a speaker; with Request to Speak it asks the stage's moderators. */
const mayGoOnStage = (permissions: Readonly<PermissionsBitField>) =>
  permissions.any([PermissionFlagsBits.MuteMembers, PermissionFlagsBits.RequestToSpeak]);

/** True on a stage without Mute Members: the bot can speak only after a stage moderator has invited it. */
export function raisesHand(channel: VoiceBasedChannel): boolean {
  if (channel.type !== ChannelType.GuildStageVoice || !channel.guild.members.me) return false;
  return !channel.permissionsFor(channel.guild.members.me).has(PermissionFlagsBits.MuteMembers);
}

async function goOnStage(voice: VoiceState, stage: VoiceBasedChannel, signal: AbortSignal): Promise<void> {
  // The bot gives up becoming a speaker (`signal` aborts) when it leaves the stage, is moved or has to reconnect.
  signal.throwIfAborted();
  const permissions = stage.permissionsFor(voice.id);
  if (permissions?.has(PermissionFlagsBits.MuteMembers)) {
    await voice.setSuppressed(false);
    return;
  }
  if (!permissions || !mayGoOnStage(permissions)) throw new UserError(refusal('stage', { channel: mention(stage) }));
  await whenInvited(stage, () => voice.setRequestToSpeak(true), signal);
}

const INVITATION_MS = 60_000;

/** Rejects with a UserError if no invitation comes in time, with the error of `ask`, or with the signal's reason. */
export async function whenInvited(stage: VoiceBasedChannel, ask: () => Promise<unknown>, signal: AbortSignal) {
  const { client } = stage;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const notInvited = () => reject(new UserError(text('stage.not-invited', { channel: mention(stage) })));
  const timer = setTimeout(notInvited, INVITATION_MS);
  const look = (_: VoiceState, now: VoiceState) => {
    if (now.id !== client.user.id || now.guild.id !== stage.guild.id) return;
    if (now.channelId !== stage.id) notInvited();
    else if (!now.suppress) resolve();
  };
  client.on(Events.VoiceStateUpdate, look);
  try {
    await abortable(Promise.all([ask(), promise]), signal);
  } finally {
    clearTimeout(timer);
    client.off(Events.VoiceStateUpdate, look);
  }
}

/**
 * Follows the server mutes of the bot in gateway events. A mute outlasts leaving voice and restarts, and moderators can
 * lift it only while the bot is in voice. discord.js knows mutes only of members in voice. Must be called before the
 * login, so that no event is missed.
 */
export function followOwnMute(client: Client) {
  const servers = new Set<string>();
  client.on(Events.Raw, ({ t: event, d: data }: GatewayDispatchPayload) => {
    const note = (guildId: string | undefined, userId: string | undefined, mute: boolean | undefined) => {
      if (guildId === undefined || mute === undefined || userId !== client.user?.id) return;
      if (mute) servers.add(guildId);
      else servers.delete(guildId);
    };
    switch (event) {
      case GatewayDispatchEvents.GuildCreate:
        // During a server's outage, GUILD_CREATE has the server's id but no members, so what is known about the bot's
        // mute stays: https://discord.com/developers/docs/events/gateway-events#guild-create
        for (const { user, mute } of data.members ?? []) note(data.id, user.id, mute);
        return;
      case GatewayDispatchEvents.GuildMemberUpdate:
        note(data.guild_id, data.user.id, data.mute);
        return;
      case GatewayDispatchEvents.VoiceStateUpdate:
        note(data.guild_id, data.user_id, data.mute);
    }
  });
  /** True if a moderator muted the bot and it is not in voice now. It has to join before moderators can unmute it. */
  return (guildId: string): boolean =>
    servers.has(guildId) && !client.guilds.cache.get(guildId)?.members.me?.voice.channelId;
}

/** Calls back at once if a person is in voice, and when one joins later, but not for moves: people in voice may soon request speech. */
export function onVoiceArrival(client: Client<true>, callback: () => void): void {
  const isIn = (state: VoiceState) => state.channelId !== null && !isBot(client, state);
  client.on(Events.VoiceStateUpdate, (before, after) => {
    if (before.channelId === null && isIn(after)) callback();
  });
  if (client.guilds.cache.some(({ voiceStates }) => voiceStates.cache.some(isIn))) callback();
}
