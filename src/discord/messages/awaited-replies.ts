import { type Message, MessageFlags } from 'discord.js';

/** Deferred replies of other bots ('is thinking …'): they arrive empty, and get their content with their first change. */
interface AwaitedReplies {
  /** Whether its content is still to come; then it is remembered. */
  awaits(message: Pick<Message, 'id' | 'flags'>): boolean;
  /** The delay after which this change completes a remembered reply, once; undefined for any other change. */
  arrives(message: Pick<Message, 'id' | 'flags'>): { readonly afterMs: number } | undefined;
  forget(messageId: string): void;
}

/** Beyond this number the oldest ones are dropped. Discord gives bots 15 minutes, and most take seconds. */
const REMEMBERED = 1_000;

/** `now` is a monotonic clock. */
export function createAwaitedReplies(now: () => number): AwaitedReplies {
  const cameAtMs = new Map<string, number>();
  return {
    awaits({ id, flags }) {
      if (!flags.has(MessageFlags.Loading)) return false;
      cameAtMs.set(id, now());
      const [oldest] = cameAtMs.keys();
      if (cameAtMs.size > REMEMBERED && oldest !== undefined) cameAtMs.delete(oldest);
      return true;
    },
    arrives({ id, flags }) {
      const atMs = cameAtMs.get(id);
      if (atMs === undefined || flags.has(MessageFlags.Loading)) return undefined;
      cameAtMs.delete(id);
      return { afterMs: now() - atMs };
    },
    forget: (messageId) => void cameAtMs.delete(messageId),
  };
}
