import type { Hub } from './hub.ts';
import {
  type Channel,
  commandsOf,
  type Guild,
  type InstallationOwners,
  type Member,
  type RegisteredCommand,
} from './model.ts';
import { channelPermissions, guildPermissions, PERMISSIONS, permissionBits } from './permissions.ts';
import { usualChannel } from './starting-model.ts';

/** The direct messages of two users, or the group of more users, made on first use. */
export function privateChannel(hub: Hub, userIds: readonly string[]): Channel {
  const participants = [...new Set(userIds)].sort();
  const key = participants.join();
  const existing = [...hub.model.dms.values()].find((channel) => channel.participants?.join() === key);
  if (existing) return existing;
  const kind = participants.length > 2 ? 'group' : 'dm';
  const channel = usualChannel({ id: hub.newId(), kind, name: '', participants });
  hub.model.dms.set(channel.id, channel);
  return channel;
}

export const botDirectMessages = (hub: Hub, userId: string): Channel =>
  privateChannel(hub, [hub.model.application.botId, userId]);

/** True for private channels in which the bot is no participant. People may still use its commands there. */
export const isPrivateToOthers = (hub: Hub, channel: Channel): boolean =>
  channel.guildId === undefined && !channel.participants?.includes(hub.model.application.botId);

export function sharesServer(hub: Hub, userId: string): boolean {
  const { botId } = hub.model.application;
  return [...hub.model.guilds.values()].some((guild) => guild.members.has(botId) && guild.members.has(userId));
}

export interface Standing {
  readonly userId: string;
  readonly channel: Channel;
  readonly guild: Guild | undefined;
  readonly member: Member | undefined;
}

/** Discord's numbers for the place of a command: receiving-and-responding#interaction-object-interaction-context-types */
const CONTEXT = { guild: 0, botDm: 1, privateChannel: 2 } as const;

export function contextOf(hub: Hub, channel: Channel) {
  if (channel.guildId !== undefined) return CONTEXT.guild;
  return channel.kind === 'dm' && channel.participants?.includes(hub.model.application.botId)
    ? CONTEXT.botDm
    : CONTEXT.privateChannel;
}

const hasBot = (hub: Hub, guild: Guild | undefined) => guild?.members.has(hub.model.application.botId) === true;

export function ownersOf(hub: Hub, standing: Standing, command: RegisteredCommand): InstallationOwners {
  const { guild, channel, userId } = standing;
  const types: readonly number[] = command.integration_types ?? [0];
  const context = contextOf(hub, channel);
  const byServer =
    context === CONTEXT.guild ? hasBot(hub, guild) : context === CONTEXT.botDm && sharesServer(hub, userId);
  return {
    '0': types.includes(0) && byServer ? (guild?.id ?? '0') : undefined,
    '1': types.includes(1) && hub.model.userInstalls.has(userId) ? userId : undefined,
  };
}

/** Lists the commands that a user may use in a channel: https://discord.com/developers/docs/interactions/application-commands#contexts */
export function commandsAt(hub: Hub, standing: Standing): RegisteredCommand[] {
  const { guild, channel } = standing;
  const context = contextOf(hub, channel);
  return commandsOf(hub.model, hasBot(hub, guild) ? guild?.id : undefined).filter((command) => {
    if (command.contexts && !(command.contexts as number[]).includes(context)) return false;
    if (!command.contexts && command.dm_permission === false && context === CONTEXT.botDm) return false;
    if (command.guild_id !== undefined && command.guild_id !== guild?.id) return false;
    return (
      Object.values(ownersOf(hub, standing, command)).some((owner) => owner !== undefined) &&
      isPermitted(hub, standing, command)
    );
  });
}

/** If the bot is not in the server, anyone may use a command, whatever permissions the command requires. */
function isPermitted(hub: Hub, { guild, member }: Standing, command: RegisteredCommand): boolean {
  if (!guild || !member || !hasBot(hub, guild)) return true;
  const own = guildPermissions(guild, member);
  if (own & PERMISSIONS.Administrator) return true;
  const needed = command.default_member_permissions;
  if (needed === null || needed === undefined) return true;
  // If a command's required permissions are "0", only administrators may use it.
  return BigInt(needed) !== 0n && (own & BigInt(needed)) === BigInt(needed);
}

const IN_PRIVATE = permissionBits(['AttachFiles', 'EmbedLinks', 'MentionEveryone']);

/**
 * The bot's permissions in an interaction's channel (`app_permissions`). Source:
 * interactions/receiving-and-responding#interaction-object-interaction-structure, third note.
 */
export function appPermissions(hub: Hub, { guild, channel, member }: Standing): bigint {
  const nowMs = hub.clock.now();
  if (!guild)
    return contextOf(hub, channel) === CONTEXT.botDm ? IN_PRIVATE | PERMISSIONS.UseExternalEmojis : IN_PRIVATE;
  const bot = guild.members.get(hub.model.application.botId);
  if (bot) return channelPermissions(guild, bot, channel, nowMs);
  // A bot that only the user installed gets at most these permissions, each only if the user has it.
  const own = member ? channelPermissions(guild, member, channel, nowMs) : 0n;
  return own & (IN_PRIVATE | PERMISSIONS.UseExternalEmojis);
}

/** Only the user sees answers if the user lacks Use External Apps where the bot is no member (topics/permissions). */
export function answersInPrivate(hub: Hub, { guild, member, channel }: Standing): boolean {
  if (!guild || !member || hasBot(hub, guild)) return false;
  return !(channelPermissions(guild, member, channel, hub.clock.now()) & PERMISSIONS.UseExternalApps);
}
