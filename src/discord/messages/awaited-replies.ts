import { type Message, MessageFlags } from 'discord.js';
import { LRUCache } from 'lru-cache';

/** Beyond this many at once the oldest are forgotten. Discord gives bots 15 minutes, and most take seconds. */
const MOST_REMEMBERED = 1_000;

/**
 * Deferred replies of other bots ('is thinking …'): they arrive empty, and get their content with their first change.
 * `now`: a monotonic clock.
 */
export function createAwaitedReplies(now: () => number) {
  const cameAtMs = new LRUCache<string, number>({ max: MOST_REMEMBERED });
  return {
    /** Whether its content is still to come; then it is remembered. */
    awaits({ id, flags }: Pick<Message, 'id' | 'flags'>): boolean {
      if (!flags.has(MessageFlags.Loading)) return false;
      cameAtMs.set(id, now());
      return true;
    },
    /** The delay after which this change completes a remembered reply, once; undefined for any other change. */
    arrives({ id, flags }: Pick<Message, 'id' | 'flags'>) {
      const atMs = cameAtMs.get(id);
      if (atMs === undefined || flags.has(MessageFlags.Loading)) return undefined;
      cameAtMs.delete(id);
      return { afterMs: now() - atMs };
    },
    forget: (messageId: string) => void cameAtMs.delete(messageId),
  };
}
