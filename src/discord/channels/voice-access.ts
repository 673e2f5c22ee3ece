import {
  ChannelType,
  type Client,
  type Guild,
  type GuildMember,
  PermissionFlagsBits,
  type PermissionsBitField,
  Status,
  type VoiceBasedChannel,
  type VoiceState,
} from 'discord.js';
import { refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { VoicePlace } from '../../services/presence/channel-presence.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { whenInvited } from './stage-invitation.ts';
import { timeoutOf } from './timeout.ts';

/** The permissions needed to be heard in a voice channel, in the order in which missing ones are reported. */
const NEEDED = ['ViewChannel', 'Connect', 'Speak'] as const;
const NEEDED_ON_STAGE = ['ViewChannel', 'Connect'] as const;

const mention = (channel: { readonly id: string }) => `<#${channel.id}>`;

/**
 * The reason why the bot could not speak in this channel, or undefined. Checked before joining, because Discord ignores a
 * join without permission or into a full channel, without an error.
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
  // Elsewhere it is no obstacle: no moderator could lift it while the bot stays away.
  if (own?.serverMute && own.channelId) return refusal('server-muted');
  const inside = occupants(channel);
  const hasRoom =
    channel.userLimit === 0 || inside.size < channel.userLimit || permissions.has(PermissionFlagsBits.MoveMembers);
  if (!hasRoom && !inside.has(bot.id)) {
    return refusal('channel-full', { channel: mention(channel), limit: channel.userLimit });
  }
  return undefined;
}

/** The same by channel id, checked again when time has passed since the channel was chosen. */
export function obstacleIn(client: Client, guildId: string, channelId: string): Text | undefined {
  const guild = client.guilds.cache.get(guildId);
  const bot = guild?.members.me;
  // During an outage the channel is unknown, and joining is retried until the outage is over.
  if (!guild?.available || !bot) return undefined;
  const channel = guild.channels.cache.get(channelId);
  return channel?.isVoiceBased() ? obstacleTo(channel, bot) : refusal('channel-gone', { heard: 'nothing' });
}

/** Ids of all members in a voice channel. Read from the voice states: `channel.members` leaves out members not cached. */
function occupants(channel: VoiceBasedChannel): ReadonlySet<string> {
  return new Set(channel.guild.voiceStates.cache.filter((state) => state.channelId === channel.id).map(({ id }) => id));
}

/** Tells which ids are those of voice or stage channels, of a server or of all. */
export const voiceChannelsOf =
  (holder: Pick<Guild | Client, 'channels'> | undefined) =>
  (channelId: string): boolean =>
    holder?.channels.cache.get(channelId)?.isVoiceBased() ?? false;

/** A member without a cached profile counts as human. */
export const isBot = (client: Client, { id, member }: VoiceState): boolean =>
  member?.user.bot ?? id === client.user?.id;

/** Human members in a voice channel other than `withoutUserId`. */
export function countListeners(client: Client, guildId: string, channelId: string, withoutUserId?: string): number {
  const states = client.guilds.cache.get(guildId)?.voiceStates.cache;
  return (
    states?.filter((state) => state.channelId === channelId && state.id !== withoutUserId && !isBot(client, state))
      .size ?? 0
  );
}

/** The channel as the guild speaker needs it. */
export function voicePlace(channel: VoiceBasedChannel): VoicePlace {
  const { guild } = channel;
  return {
    channelId: channel.id,
    adapterCreator: guild.voiceAdapterCreator,
    shardId: guild.shardId,
    knownChannel: () => knownChannel(guild),
    isGatewayConnected: () => guild.shard.status === Status.Ready,
    takeTheFloor: (signal: AbortSignal) => takeTheFloor(guild, signal),
  };
}

function knownChannel({ client, voiceStates, channels }: Guild): string | null | undefined {
  const state = voiceStates.cache.get(client.user.id);
  return state && channels.cache.has(state.channelId ?? '') ? state.channelId : state && null;
}

/** Unsuppressing itself on a stage takes Mute Members; requesting to speak takes Request to Speak. */
const mayGoOnStage = (permissions: Readonly<PermissionsBitField>) =>
  permissions.any([PermissionFlagsBits.MuteMembers, PermissionFlagsBits.RequestToSpeak]);

/** Whether a moderator of the stage has to invite the bot first. */
export function raisesHand(channel: VoiceBasedChannel): boolean {
  if (channel.type !== ChannelType.GuildStageVoice || !channel.guild.members.me) return false;
  return !channel.permissionsFor(channel.guild.members.me).has(PermissionFlagsBits.MuteMembers);
}

/**
 * On a stage the bot arrives in the audience, where it is inaudible: it unsuppresses itself, or requests to speak and
 * waits for the invitation. Does nothing in any other channel.
 */
function takeTheFloor({ members }: Guild, signal: AbortSignal): Promise<void> | undefined {
  const voice = members.me?.voice;
  const stage = voice?.channel;
  if (!voice?.suppress || stage?.type !== ChannelType.GuildStageVoice) return undefined;
  return goOnStage(voice, stage, signal);
}

async function goOnStage(voice: VoiceState, stage: VoiceBasedChannel, signal: AbortSignal): Promise<void> {
  // After an abort the request to speak must not be raised.
  signal.throwIfAborted();
  const permissions = stage.permissionsFor(voice.id);
  if (permissions?.has(PermissionFlagsBits.MuteMembers)) {
    await voice.setSuppressed(false);
    return;
  }
  if (!permissions || !mayGoOnStage(permissions)) throw new UserError(refusal('stage', { channel: mention(stage) }));
  await whenInvited(stage.client, stage, { ask: () => voice.setRequestToSpeak(true), signal });
}
