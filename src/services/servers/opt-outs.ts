import * as z from 'zod';
import { refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Store } from '../storage/store.ts';

/** A member does not want others to have their messages spoken: another try would be refused as well. */
export class OptedOutError extends UserError {
  constructor() {
    super(refusal('opted-out'));
  }
}

/** The users of whom nothing is read out unasked: no messages, no joining and leaving. Holds in all servers. */
export function createOptOuts(store: Store) {
  const table = store.table('opt-outs', z.object({ sinceMs: z.number() }), {
    // In doubt a member is not read out.
    unreadable: { sinceMs: 0 },
  });
  const listeners = new Set<(userId: string) => void>();
  /** Rejects with a StoreError. Not cached, so that it takes effect at once. */
  const has = async (userId: string) => (await table.get(userId)) !== undefined;

  const tell = (userId: string) => {
    for (const listener of listeners) listener(userId);
  };

  return {
    has,
    /**
     * Another process may have changed the opt-out of this member, or of any: then there is no one to report, and each
     * use reads it again.
     */
    async changedElsewhere(userId?: string): Promise<void> {
      if (userId !== undefined && (await has(userId))) tell(userId);
    },
    /** Resolves with the previous state. Rejects with a StoreError, and then nothing was changed as far as is known. */
    async set(userId: string, isOut: boolean) {
      const wasOut = await has(userId);
      if (isOut && !wasOut) await table.set(userId, { sinceMs: Date.now() });
      if (!isOut && wasOut) await table.delete(userId);
      if (isOut) tell(userId);
      return wasOut;
    },
    /** Calls back when a member has opted out. Returns the unsubscriber. */
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

/** Rejects with an OptedOutError if the author of a message does not want others to have it spoken. */
export async function mustBeReadTo(optOuts: OptOuts, { userId, authorId }: Asked): Promise<void> {
  if (authorId !== undefined && authorId !== userId && (await optOuts.has(authorId))) throw new OptedOutError();
}
