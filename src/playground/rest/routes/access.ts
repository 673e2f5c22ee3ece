import type { Interaction } from '../../state/interactions.ts';
import {
  type Channel,
  findChannel,
  type Guild,
  MESSAGE_FLAGS,
  type Member,
  type MessageContent,
} from '../../state/model.ts';
import { channelPermissions, PERMISSIONS, type PermissionName, permissionBits } from '../../state/permissions.ts';
import { isPrivateToOthers } from '../../state/private-channels.ts';
import { apiError } from '../errors.ts';
import { type Call, param } from '../router.ts';

/** The server in the path, with the bot as its member. */
export function guildOf(call: Call): { guild: Guild; bot: Member } {
  const guild = call.hub.model.guilds.get(param(call, 'guildId'));
  const bot = guild?.members.get(call.hub.model.application.botId);
  if (!guild || !bot) throw apiError('unknownGuild');
  if (!guild.available) throw apiError('missingAccess');
  return { guild, bot };
}

/** The channel in the path; 50001 when the bot may not see it. In direct messages every permission counts as given. */
export function channelOf(call: Call): { channel: Channel; guild: Guild | undefined; bits: bigint } {
  const { model, clock } = call.hub;
  const channel = findChannel(model, param(call, 'channelId'));
  if (!channel) throw apiError('unknownChannel');
  if (isPrivateToOthers(call.hub, channel)) throw apiError('missingAccess');
  if (channel.guildId === undefined)
    return { channel, guild: undefined, bits: permissionBits(Object.keys(PERMISSIONS) as PermissionName[]) };
  const guild = model.guilds.get(channel.guildId);
  const bot = guild?.members.get(model.application.botId);
  if (!guild || !bot) throw apiError('missingAccess');
  const bits = channelPermissions(guild, bot, channel, clock.now());
  if (!(bits & PERMISSIONS.ViewChannel)) throw apiError('missingAccess');
  return { channel, guild, bits };
}

/** Who may manage threads could open it first: no bot here does. */
export function mustBeOpen({ isLocked = false }: Channel): void {
  if (isLocked) throw apiError('threadArchived');
}

export function needs(bits: bigint, ...names: PermissionName[]): void {
  const needed = permissionBits(names);
  if ((bits & needed) !== needed) throw apiError('missingPermissions');
}

/**
 * An answer to an interaction may attach files anywhere (change log, 29 June 2022), but a voice message needs its own
 * permission: of the bot, or of the requester where the bot is not a member.
 */
export function needsToAnswer({ hub }: Call, { guild, channel, userId }: Interaction, { flags }: MessageContent): void {
  if (!guild || !(flags & MESSAGE_FLAGS.IsVoiceMessage)) return;
  const member = guild.members.get(hub.model.application.botId) ?? guild.members.get(userId);
  const bits = member ? channelPermissions(guild, member, channel, hub.clock.now()) : 0n;
  if (!(bits & PERMISSIONS.SendVoiceMessages)) throw apiError('voiceMessageForbidden');
}
