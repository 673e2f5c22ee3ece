import { type Message, MessageFlags } from 'discord.js';
import { LRUCache } from 'lru-cache';

/** Deferred replies of other bots ('is thinking …'): they arrive empty, and get their content with their first change. */
interface AwaitedReplies {
  /** Whether its content is still to come; then it is remembered. */
  awaits(message: Pick<Message, 'id' | 'flags'>): boolean;
  /** The delay after which this change completes a remembered reply, once; undefined for any other change. */
  arrives(message: Pick<Message, 'id' | 'flags'>): { readonly afterMs: number } | undefined;
  forget(messageId: string): void;
}

/** Beyond this many at once the oldest are forgotten. Discord gives bots 15 minutes, and most take seconds. */
const MOST_REMEMBERED = 1_000;

/** `now`: a monotonic clock. */
export function createAwaitedReplies(now: () => number): AwaitedReplies {
  const cameAtMs = new LRUCache<string, number>({ max: MOST_REMEMBERED });
  return {
    awaits({ id, flags }) {
      if (!flags.has(MessageFlags.Loading)) return false;
      cameAtMs.set(id, now());
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
