import { type Client, PermissionFlagsBits } from 'discord.js';
import { type Text, text } from '../../texts/catalogue.ts';

/** The first of these channels whose messages the bot cannot see; undefined when it sees all, or when that is unknown. */
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
