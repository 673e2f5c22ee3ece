import { type Client, DiscordAPIError, MessageFlags } from 'discord.js';
import type { Logger } from 'pino';
import { mayWrite } from '../channels/writable-channel.ts';
import { post } from '../replies/post.ts';

/**
 * Posts an unsolicited message without a notification, where the bot may write. Never rejects: a channel or permission
 * that was removed a moment ago is no fault.
 */
export async function postNotice(
  client: Client,
  { guildId, channelId, content }: { readonly guildId: string; readonly channelId: string; readonly content: string },
  log: Logger,
): Promise<void> {
  const me = client.guilds.cache.get(guildId)?.members.me;
  const channel = client.channels.cache.get(channelId);
  if (!me || !channel?.isSendable() || channel.isDMBased() || !mayWrite(channel, me)) return;
  try {
    await post(channel, { content, flags: [MessageFlags.SuppressNotifications] }, 'Posting a notice');
  } catch (error) {
    log[error instanceof DiscordAPIError ? 'info' : 'warn']({ err: error, guildId }, 'A notice could not be posted');
  }
}
