import type { MessageCreateOptions, SendableChannels } from 'discord.js';
import { withDeadline } from '../../services/time/deadline.ts';

/** Time enough to wait out Discord's limit on messages in a channel: 5 in 5 s. */
const POST_DEADLINE_MS = 10_000;

/**
 * Posts what nobody has asked for, and mentions nobody with it, whatever names are in it. Rejects with what Discord says,
 * or with a DeadlineError that names `what`: the message may still come then.
 */
export async function post(channel: SendableChannels, message: MessageCreateOptions, what: string): Promise<void> {
  const sending = channel.send({ ...message, allowedMentions: { parse: [] } });
  await withDeadline<unknown>(sending, { timeoutMs: POST_DEADLINE_MS, what });
}
