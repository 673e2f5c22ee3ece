import { type Message, MessageFlags } from 'discord.js';

/** Replies that other bots have deferred ('is thinking …'): they come empty, and their words with their first change. */
export interface AwaitedReplies {
  /** Whether its words are still to come; then it is remembered. */
  awaits(message: Pick<Message, 'id' | 'flags'>): boolean;
  /** Whether this is the change that brings the words of one that is remembered; only once. */
  arrives(message: Pick<Message, 'id' | 'flags'>): boolean;
  forget(messageId: string): void;
}

/** Whoever has so many of them at once loses the oldest ones. Discord gives bots 15 minutes, and most take seconds. */
const REMEMBERED = 1_000;

export function createAwaitedReplies(): AwaitedReplies {
  const ids = new Set<string>();
  return {
    awaits({ id, flags }) {
      if (!flags.has(MessageFlags.Loading)) return false;
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > REMEMBERED && oldest !== undefined) ids.delete(oldest);
      return true;
    },
    arrives: ({ id, flags }) => !flags.has(MessageFlags.Loading) && ids.delete(id),
    forget: (messageId) => void ids.delete(messageId),
  };
}
