import { type GuildMember, PermissionFlagsBits } from 'discord.js';
import { type Text, text } from '../../texts/catalogue.ts';

/**
 * Why the bot can neither speak nor write in a server while a moderator has given it a timeout; undefined without one.
 * discord.js's permissions know nothing of timeouts, and Discord ignores a join in silence. Answers to commands pass
 * (discord-api-docs issue 6847), and administrators are not bound.
 */
export function timeoutOf(bot: GuildMember): Text | undefined {
  const untilMs = bot.communicationDisabledUntilTimestamp ?? 0;
  if (untilMs <= Date.now() || bot.permissions.has(PermissionFlagsBits.Administrator)) return undefined;
  return text('refused.timed-out', { until: `<t:${Math.ceil(untilMs / 1000)}:f>` });
}
