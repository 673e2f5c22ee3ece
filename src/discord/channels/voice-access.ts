import {
  ChannelType,
  type Client,
  Events,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type Guild,
  type GuildMember,
  PermissionFlagsBits,
  type PermissionsBitField,
  Status,
  type VoiceBasedChannel,
  type VoiceState,
} from 'discord.js';
import { kindOf, refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { GuildSpeakers } from '../../services/playback/guild-speakers.ts';
import type { VoicePlace } from '../../services/presence/channel-presence.ts';
import { placeRefusal } from '../../services/servers/admission.ts';
import { rulesOf, type ServerRules } from '../../services/servers/server-rules.ts';
import type { ServerSettings } from '../../services/servers/server-settings.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { timeoutOf } from './permissions.ts';

const NEEDED = ['ViewChannel', 'Connect', 'Speak'] as const;
const NEEDED_ON_STAGE = ['ViewChannel', 'Connect'] as const;

const mention = (channel: { readonly id: string }) => `<#${channel.id}>`;

/**
 * Returns why the bot could not speak in a voice channel; undefined if it can. Must be checked before joining: Discord
 * ignores a join without permission or into a full channel, and reports no error.
 */
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
  // A moderator's mute is only an obstacle while the bot is in voice: moderators cannot lift it at other times.
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

/**
 * Returns why the bot could not speak in the voice channel with the id `channelId`; undefined if it can. The channel
 * may have been deleted after it was chosen, which is also a reason.
 */
export function obstacleIn(client: Client, guildId: string, channelId: string): Text | undefined {
  const guild = client.guilds.cache.get(guildId);
  const bot = guild?.members.me;
  // During an outage Discord shows no channels. The bot then keeps trying to join until the outage ends.
  if (!guild?.available || !bot) return undefined;
  const channel = guild.channels.cache.get(channelId);
  return channel?.isVoiceBased() ? obstacleTo(channel, bot) : refusal('channel-gone', { heard: 'nothing' });
}

export const voiceChannelsOf =
  (holder: Guild | Client | undefined) =>
  (channelId: string): boolean =>
    holder?.channels.cache.get(channelId)?.isVoiceBased() ?? false;

/** A voice channel member without a cached profile counts as human. */
const isBot = (client: Client, { id, member }: VoiceState): boolean => member?.user.bot ?? id === client.user?.id;

export function countListeners(client: Client, guildId: string, channelId: string, withoutUserId?: string): number {
  const states = client.guilds.cache.get(guildId)?.voiceStates.cache;
  return (
    states?.filter((state) => state.channelId === channelId && state.id !== withoutUserId && !isBot(client, state))
      .size ?? 0
  );
}

export function voicePlace(channel: VoiceBasedChannel): VoicePlace {
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
    takeTheFloor: (signal: AbortSignal) => takeTheFloor(guild, signal),
  };
}

/**
 * True if the bot can speak on a stage: Mute Members lets it unsuppress itself, Request to Speak lets it ask for the
 * floor.
 */
const mayGoOnStage = (permissions: Readonly<PermissionsBitField>) =>
  permissions.any([PermissionFlagsBits.MuteMembers, PermissionFlagsBits.RequestToSpeak]);

/** True if a stage moderator has to invite the bot before it can speak on the stage. */
export function raisesHand(channel: VoiceBasedChannel): boolean {
  if (channel.type !== ChannelType.GuildStageVoice || !channel.guild.members.me) return false;
  return !channel.permissionsFor(channel.guild.members.me).has(PermissionFlagsBits.MuteMembers);
}

/**
 * On a stage, the bot starts in the audience, where nobody hears it. It unsuppresses itself, or requests to speak and
 * waits for the invitation. Does nothing in any other channel.
 */
function takeTheFloor({ members }: Guild, signal: AbortSignal): Promise<void> | undefined {
  const voice = members.me?.voice;
  const stage = voice?.channel;
  if (!voice?.suppress || stage?.type !== ChannelType.GuildStageVoice) return undefined;
  return goOnStage(voice, stage, signal);
}

async function goOnStage(voice: VoiceState, stage: VoiceBasedChannel, signal: AbortSignal): Promise<void> {
  // The signal aborts when the bot leaves the stage, is moved or has to reconnect. A request to speak must not follow,
  // because it would come after that stay on the stage has ended.
  signal.throwIfAborted();
  const permissions = stage.permissionsFor(voice.id);
  if (permissions?.has(PermissionFlagsBits.MuteMembers)) {
    await voice.setSuppressed(false);
    return;
  }
  if (!permissions || !mayGoOnStage(permissions)) throw new UserError(refusal('stage', { channel: mention(stage) }));
  await whenInvited(stage.client, stage, { ask: () => voice.setRequestToSpeak(true), signal });
}

/** How long the bot waits for a stage moderator to invite it to speak. */
const INVITATION_MS = 60_000;

/**
 * Requests to speak and resolves when a stage moderator has invited the bot. Rejects with a UserError if the invitation
 * does not come in time or the bot is moved away. Rejects with any error of `ask`, which sends the request, and with
 * the signal's reason.
 */
export async function whenInvited(
  client: Client,
  stage: VoiceBasedChannel,
  { ask, signal }: { readonly ask: () => Promise<unknown>; readonly signal: AbortSignal },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const notInvited = () => reject(new UserError(text('stage.not-invited', { channel: `<#${stage.id}>` })));
  const timer = setTimeout(notInvited, INVITATION_MS);
  const look = (_: VoiceState, now: VoiceState) => {
    if (now.id !== client.user?.id || now.guild.id !== stage.guild.id) return;
    if (now.channelId !== stage.id) notInvited();
    else if (!now.suppress) resolve();
  };
  client.on(Events.VoiceStateUpdate, look);
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp);
  try {
    await Promise.all([ask(), promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    client.off(Events.VoiceStateUpdate, look);
  }
}

/**
 * Servers in which a moderator has muted the bot. A mute outlasts the bot's stay and its process, and Discord lifts it
 * only while the bot is in voice. discord.js knows mutes only for members in voice.
 */
const muted = new WeakMap<Client, Set<string>>();

/** Records the bot's server mutes from gateway events. Must be called before the login, to see the first event. */
export function followOwnMute(client: Client): void {
  const servers = new Set<string>();
  muted.set(client, servers);
  client.on(Events.Raw, ({ t: event, d: data }: GatewayDispatchPayload) => {
    const note = (guildId: string | undefined, userId: string | undefined, mute: boolean | undefined) => {
      if (guildId === undefined || mute === undefined || userId !== client.user?.id) return;
      if (mute) servers.add(guildId);
      else servers.delete(guildId);
    };
    switch (event) {
      case GatewayDispatchEvents.GuildCreate:
        // During a server's outage, GUILD_CREATE has the server's id but no members:
        // https://discord.com/developers/docs/events/gateway-events#guild-create
        for (const { user, mute } of data.members ?? []) note(data.id, user.id, mute);
        return;
      case GatewayDispatchEvents.GuildMemberUpdate:
        note(data.guild_id, data.user.id, data.mute);
        return;
      case GatewayDispatchEvents.VoiceStateUpdate:
        note(data.guild_id, data.user_id, data.mute);
    }
  });
}

/**
 * True if the last event about the bot showed a server mute. False while the bot is in voice, where moderators can lift
 * the mute.
 */
export function wasMutedBefore(client: Client, guildId: string): boolean {
  const own = client.guilds.cache.get(guildId)?.members.me?.voice;
  return !own?.channelId && (muted.get(client)?.has(guildId) ?? false);
}

/** Calls back when a human member joins voice in any server. Calls back at once if a member is already in voice. */
export function onVoiceArrival(client: Client<true>, callback: () => void): void {
  const isIn = (state: VoiceState) => state.channelId !== null && !isBot(client, state);
  client.on(Events.VoiceStateUpdate, (before, after) => {
    if (before.channelId === null && isIn(after)) callback();
  });
  if (client.guilds.cache.some(({ voiceStates }) => voiceStates.cache.some(isIn))) callback();
}

/**
 * Has the bot leave a voice channel that an admin has just forbidden. It would be useless there and missing elsewhere.
 * If an admin brings the bot back later, it stays.
 */
export function leaveForbidden(
  client: Client,
  speakers: GuildSpeakers,
  guildId: string,
  { before, after }: { readonly before: ServerRules; readonly after: ServerRules },
): void {
  const speaker = speakers.find(guildId);
  const voiceChannelId = speaker?.channelId;
  if (!speaker || voiceChannelId === undefined) return;
  const where = { isAdmin: false, voiceChannelId, isVoiceChannel: voiceChannelsOf(client) };
  const refusal = placeRefusal(after, where);
  if (refusal && !placeRefusal(before, where)) speaker.sendAway(refusal);
}

/** Obstacles that only an admin can remove. Others, such as too many members, pass by themselves. */
const LASTING: ReadonlySet<string | undefined> = new Set(['afk-channel', 'missing-permissions', 'stage']);

/** Returns what keeps the bot out of a server's auto-join channel for good; undefined if nothing does. */
export function autoJoinProblem(client: Client, guildId: string, settings: ServerSettings): Text | undefined {
  const { autoJoinChannel: voiceChannelId } = settings;
  const guild = client.guilds.cache.get(guildId);
  if (voiceChannelId === undefined || !guild) return undefined;
  const obstacle = obstacleIn(client, guildId, voiceChannelId);
  if (kindOf(obstacle) === 'channel-gone') return text('settings.auto-join-gone');
  const where = { isAdmin: false, voiceChannelId, isVoiceChannel: voiceChannelsOf(guild) };
  const why = LASTING.has(kindOf(obstacle)) ? obstacle : placeRefusal(rulesOf(settings), where);
  return why && text('settings.auto-join-obstacle', { why });
}
