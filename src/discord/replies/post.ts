import type { MessageCreateOptions, SendableChannels } from 'discord.js';
import { withDeadline } from '../../services/time/deadline.ts';

/** Time enough to wait out Discord's limit on messages in a channel: 5 in 5 s. */
const POST_DEADLINE_MS = 10_000;

/**
 * Posts an unsolicited message that mentions no member, whatever names it holds. Rejects with Discord's error, or with a
 * DeadlineError that names `what`: the message may still arrive then.
 */
export async function post(channel: SendableChannels, message: MessageCreateOptions, what: string): Promise<void> {
  const sending = channel.send({ ...message, allowedMentions: { parse: [] } });
  await withDeadline<unknown>(sending, { timeoutMs: POST_DEADLINE_MS, what });
}
