import { type BaseInteraction, PermissionFlagsBits, type RepliableInteraction, type Role } from 'discord.js';
import { countListeners, mayManage, obstacleTo, voiceChannelsOf } from '../../discord/channels/permissions.ts';
import { parentOfThread } from '../../discord/client/client.ts';
import { quote } from '../../discord/replies/layout.ts';
import { kindOf, refusal, UserError } from '../../errors/user-errors.ts';
import type { GuildSpeakers } from '../../services/playback/guild-speakers.ts';
import { type QueueItem, type QueueView, underWay } from '../../services/queue/queue-item.ts';
import { admissionRefusal, placeRefusal, type Requester, type ServerRules } from '../../services/servers/admission.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { Action } from './command.ts';

/** Returns the reason why a command, button or form cannot be used here; undefined if it can. */
export function guardRefusal(
  interaction: RepliableInteraction,
  { onlyFor, together }: Action<never>,
  speakers: GuildSpeakers,
): Text | undefined {
  if (!interaction.inCachedGuild()) return onlyFor === 'servers' ? text('refused.server-only') : undefined;
  if (!together) return undefined;
  const botChannelId = speakers.find(interaction.guildId)?.channelId;
  const isApart = botChannelId !== undefined && botChannelId !== interaction.member.voice.channelId;
  if (!isApart || interaction.memberPermissions.has(PermissionFlagsBits.MoveMembers)) return undefined;
  return text('refused.other-channel', { channel: `<#${botChannelId}>` });
}

/** Throws a UserError if the server's admins do not allow speech in the voice channel. */
export function mustBeSpokenIn(
  channelId: string,
  { guild, member }: RepliableInteraction<'cached'>,
  rules: ServerRules,
): void {
  const refused = placeRefusal(rules, {
    isAdmin: mayManage(member.permissions),
    voiceChannelId: channelId,
    isVoiceChannel: voiceChannelsOf(guild),
  });
  if (refused) throw new UserError(refused);
}

/** Permissions that a member needs in a voice channel to send the bot there. */
const CALLER_NEEDS = ['ViewChannel', 'Connect', 'Speak'] as const;

/** Throws a UserError if the caller or the bot lacks a permission in the channel, or if the bot is busy elsewhere. */
export function usableChannel(
  interaction: RepliableInteraction<'cached'>,
  speakers: GuildSpeakers,
  namedId: string | undefined,
) {
  const { guild, user, member } = interaction;
  const channel = namedId === undefined ? member.voice.channel : namedChannel(interaction, namedId);
  if (!channel) throw new UserError(text('refused.not-in-voice'));
  const bot = guild.members.me;
  const obstacle = bot ? obstacleTo(channel, bot) : undefined;
  const speaker = speakers.find(guild.id);
  const busyIn = speaker?.occupiedElsewhere(channel.id, user.id) ? speaker.channelId : undefined;
  // A full channel may have room once the bot is free, so the refusal then names the busy bot. Other obstacles would
  // remain, so they are named first.
  const isOnlyFull = kindOf(obstacle) === 'channel-full';
  if (obstacle && !(isOnlyFull && busyIn !== undefined)) throw new UserError(obstacle);
  if (busyIn !== undefined) throw new UserError(text('refused.busy-elsewhere', { channel: `<#${busyIn}>` }));
  return channel;
}

function namedChannel({ guild, member }: RepliableInteraction<'cached'>, channelId: string) {
  const named = guild.channels.cache.get(channelId);
  if (!named?.isVoiceBased()) throw new UserError(refusal('channel-gone', { heard: 'nothing' }));
  const missing = CALLER_NEEDS.filter((name) => !named.permissionsFor(member).has(PermissionFlagsBits[name]));
  if (missing.length === 0) return named;
  const permissions = { list: missing.map((name) => text(`permission.${name}`)) };
  throw new UserError(text('refused.you-lack', { channel: `<#${named.id}>`, permissions }));
}

/** Throws a UserError before a member writes or pays for a text that nobody would hear. */
export function mustHaveListeners({ client, guildId }: RepliableInteraction<'cached'>, channelId: string): void {
  if (countListeners(client, guildId, channelId) > 0) return;
  throw new UserError(text('refused.nobody-there', { channel: `<#${channelId}>` }));
}

/**
 * The server whose cooldown applies, or null for direct messages and servers without the bot. All these count as one
 * place, because a person could otherwise use the bot elsewhere instead of waiting.
 */
export const countedIn = (interaction: BaseInteraction): string | null =>
  interaction.inCachedGuild() ? interaction.guildId : null;

export function requesterOf(interaction: BaseInteraction<'cached'>): Requester {
  const { member, user } = interaction;
  return {
    userId: user.id,
    roleIds: [...member.roles.cache.keys()],
    isAdmin: mayManage(member.permissions),
    textChannelId: textChannelOf(interaction),
    voiceChannelId: member.voice.channelId ?? undefined,
  };
}

export function mustBeAdmitted(interaction: BaseInteraction<'cached'>, rules: ServerRules): void {
  const refused = admissionRefusal(rules, requesterOf(interaction));
  if (refused) throw new UserError(refused);
}

/** A thread counts as its parent channel, even a private thread that discord.js does not know. */
function textChannelOf({ channel, channelId }: BaseInteraction<'cached'>): string | undefined {
  if (channelId === null) return undefined;
  if (channel?.isThread()) return channel.parentId ?? undefined;
  return parentOfThread(channelId) ?? channelId;
}

/** View Channel alone does not let a member listen: admins may lock a visible voice channel by denying Connect. */
const TO_ENTER = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.Connect;

/** Members may read their own texts, and all texts in voice channels that they may enter. */
export function mayRead({ user, guild, member }: BaseInteraction<'cached'>, { order, channelId }: QueueItem): boolean {
  if (order.userId === user.id) return true;
  return guild.channels.cache.get(channelId)?.permissionsFor(member).has(TO_ENTER) ?? false;
}

export function mustBeReadable(interaction: BaseInteraction<'cached'>, item: QueueItem): void {
  if (!mayRead(interaction, item)) throw new UserError(text('replay.unseen'));
}

/** Another member's text becomes “…” unless all roles that see the reply may listen in the text's voice channel. */
export function wordsInPublic(
  { user, guild, channel }: BaseInteraction<'cached'>,
  { order: { userId }, channelId, requested: { request } }: QueueItem,
): string {
  const voice = guild.channels.cache.get(channelId);
  const mayListen = (role: Role) => voice?.permissionsFor(role)?.has(TO_ENTER) === true;
  const isReader = (role: Role) => channel?.permissionsFor(role)?.has(PermissionFlagsBits.ViewChannel) !== false;
  const isForAll =
    userId === user.id ||
    channel?.id === channelId ||
    guild.roles.cache.every((role) => !isReader(role) || mayListen(role));
  return isForAll ? quote(request.input) : '…';
}

/** Members who may move or mute others could silence the bot anyway. */
export const isModerator = ({ memberPermissions }: BaseInteraction<'cached'>): boolean =>
  memberPermissions.has(PermissionFlagsBits.MoveMembers) || memberPermissions.has(PermissionFlagsBits.MuteMembers);

/** A text may be ended by its requester, a moderator or, once the requester has left the channel, any listener. */
export function mayEnd(interaction: BaseInteraction<'cached'>, { order, channelId }: QueueItem): boolean {
  const { user, guild } = interaction;
  if (order.userId === user.id || isModerator(interaction)) return true;
  const isThere = (userId: string) => guild.voiceStates.cache.get(userId)?.channelId === channelId;
  return !isThere(order.userId) && isThere(user.id);
}

export const firstOfOthers = (interaction: BaseInteraction<'cached'>, view: QueueView): QueueItem | undefined =>
  underWay(view).find((item) => !mayEnd(interaction, item));
