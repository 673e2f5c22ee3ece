import { type GuildMember, PermissionFlagsBits } from 'discord.js';
import { refusal } from '../../errors/refusals.ts';
import type { Text } from '../../texts/catalogue.ts';

/**
 * The reason why the bot can neither speak nor write in a server during a moderator's timeout; undefined without one.
 * discord.js's permissions ignore timeouts, and Discord ignores a join without an error. Replies to commands still pass
 * (discord-api-docs issue 6847), and administrators are exempt.
 */
export function timeoutOf(bot: GuildMember): Text | undefined {
  const untilMs = bot.communicationDisabledUntilTimestamp ?? 0;
  if (untilMs <= Date.now() || bot.permissions.has(PermissionFlagsBits.Administrator)) return undefined;
  return refusal('timed-out', { until: `<t:${Math.ceil(untilMs / 1000)}:f>` });
}
