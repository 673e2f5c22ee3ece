import * as z from 'zod';
import { refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Store } from '../storage/store.ts';

/** Thrown if the author of a message has opted out of being read aloud by others. */
export class OptedOutError extends UserError {
  constructor() {
    super(refusal('opted-out'));
  }
}

/** Users who opted out: the bot reads their messages only to themselves, and does not announce them. */
export function createOptOuts(store: Store) {
  const table = store.table('opt-outs', z.object({ sinceMs: z.number() }), {
    // An unreadable entry counts as an opt-out, so that nobody is read aloud against their will.
    unreadable: { sinceMs: 0 },
  });
  const listeners = new Set<(userId: string) => void>();
  /** Nothing is cached, so that a member's opt-out takes effect at once. Rejects with a StoreError. */
  const has = async (userId: string) => (await table.get(userId)) !== undefined;

  const tell = (userId: string) => {
    for (const listener of listeners) listener(userId);
  };

  return {
    has,
    /**
     * Must be called if another process may have changed a user's opt-out. Without an id, no listener is called,
     * because later checks read the store.
     */
    async changedElsewhere(userId?: string): Promise<void> {
      if (userId !== undefined && (await has(userId))) tell(userId);
    },
    /** Resolves with true if the user had opted out before. After a StoreError, probably nothing has changed. */
    async set(userId: string, isOut: boolean) {
      const wasOut = await has(userId);
      if (isOut && !wasOut) await table.set(userId, { sinceMs: Date.now() });
      if (!isOut && wasOut) await table.delete(userId);
      if (isOut) tell(userId);
      return wasOut;
    },
    onOptedOut(listener: (userId: string) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export type OptOuts = ReturnType<typeof createOptOuts>;

interface Asked {
  readonly userId: string;
  readonly authorId: string | undefined;
}

/**
 * Rejects with an OptedOutError if a message's author has opted out and is not the requester. Rejects with a StoreError
 * if the store cannot tell.
 */
export async function mustBeReadTo(optOuts: OptOuts, { userId, authorId }: Asked): Promise<void> {
  if (authorId !== undefined && authorId !== userId && (await optOuts.has(authorId))) throw new OptedOutError();
}
