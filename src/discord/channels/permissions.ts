import {
  type BaseInteraction,
  type Client,
  type Guild,
  type GuildBasedChannel,
  type GuildMember,
  type GuildTextBasedChannel,
  PermissionFlagsBits,
  type PermissionsBitField,
  type SendableChannels,
} from 'discord.js';
import { refusal } from '../../errors/refusals.ts';
import { type Text, text } from '../../texts/catalog.ts';

/**
 * discord.js's permission checks ignore timeouts, and Discord silently ignores a request to join voice. Replies to
 * commands still work (discord-api-docs issue 6847), and administrators are exempt.
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

/** False in servers that the bot is not a member of, because they have no settings. */
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

/** Names the channels whose messages the bot cannot see. Undefined also during an outage of the server. */
export function readingProblem(client: Client, guildId: string, channelIds: readonly string[]): Text | undefined {
  const guild = client.guilds.cache.get(guildId);
  const bot = guild?.members.me;
  if (!guild?.available || !bot) return undefined;
  const unseen = channelIds.filter((id) => {
    const channel = guild.channels.cache.get(id);
    return !channel?.permissionsFor(bot).has(PermissionFlagsBits.ViewChannel);
  });
  if (unseen.length === 0) return undefined;
  return text('settings.reading-unseen', { channels: { list: unseen.map((id) => `<#${id}>`) } });
}
