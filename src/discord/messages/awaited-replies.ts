import { type Message, MessageFlags } from 'discord.js';

/** Replies that other bots have deferred ('is thinking …'): they come empty, and their words with their first change. */
interface AwaitedReplies {
  /** Whether its words are still to come; then it is remembered. */
  awaits(message: Pick<Message, 'id' | 'flags'>): boolean;
  /** How long after it came this change brings the words of one that is remembered, once; undefined for any other change. */
  arrives(message: Pick<Message, 'id' | 'flags'>): { readonly afterMs: number } | undefined;
  forget(messageId: string): void;
}

/** Whoever has so many of them at once loses the oldest ones. Discord gives bots 15 minutes, and most take seconds. */
const REMEMBERED = 1_000;

/** `now` only has to run evenly. */
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
