import {
  type Guild,
  type GuildBasedChannel,
  type GuildMember,
  type GuildTextBasedChannel,
  PermissionFlagsBits,
  type SendableChannels,
} from 'discord.js';
import { timeoutOf } from './timeout.ts';

/** Whether the bot may post unsolicited messages there; threads have a permission of their own. */
export function mayWrite(channel: GuildTextBasedChannel, me: GuildMember): boolean {
  const sending = channel.isThread() ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages;
  const isPermitted = channel.permissionsFor(me)?.has([PermissionFlagsBits.ViewChannel, sending]) ?? false;
  return isPermitted && !timeoutOf(me);
}

/** The channel where new members are announced, else the first text channel, among those the bot may write in. */
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
