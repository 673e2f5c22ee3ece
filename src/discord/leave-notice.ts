import { type Client, DiscordAPIError, MessageFlags, PermissionFlagsBits } from 'discord.js';
import type { Logger } from 'pino';
import { leavingText } from '../services/guild-speaker-leaving.ts';
import type { Leaving } from '../services/guild-speaker-types.ts';
import type { ServerRulesBook } from '../services/server-rules.ts';
import { render, type Text } from '../texts/catalogue.ts';

interface LeaveNoticeOptions {
  readonly client: Client;
  readonly rules: ServerRulesBook;
  readonly log: Logger;
}

/** Says in the text channel that the bot was last used from why it has left voice, unless the server wants it hushed. */
export function createLeaveNotice({ client, rules, log }: LeaveNoticeOptions): (leaving: Leaving) => void {
  async function tell(what: Text, { guildId, textChannelId }: Leaving): Promise<void> {
    const { hushed, language } = rules.known(guildId);
    const guild = client.guilds.cache.get(guildId);
    const channel = textChannelId === undefined ? undefined : client.channels.cache.get(textChannelId);
    if (hushed || !guild?.members.me || !channel?.isSendable() || channel.isDMBased()) return;
    const sending = channel.isThread() ? PermissionFlagsBits.SendMessagesInThreads : PermissionFlagsBits.SendMessages;
    if (!channel.permissionsFor(guild.members.me)?.has([PermissionFlagsBits.ViewChannel, sending])) return;
    const content = render(what, language ?? guild.preferredLocale);
    await channel.send({ content, flags: [MessageFlags.SuppressNotifications], allowedMentions: { parse: [] } });
  }

  return (leaving) => {
    const what = leavingText(leaving);
    if (!what) return;
    tell(what, leaving).catch((error: unknown) => {
      // A permission that was just taken away, a channel that was just deleted: nobody is wronged by the silence.
      const level = error instanceof DiscordAPIError ? 'info' : 'warn';
      log[level]({ err: error, guildId: leaving.guildId }, 'Could not say why the bot left');
    });
  };
}
