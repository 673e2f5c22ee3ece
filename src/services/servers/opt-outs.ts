import * as z from 'zod';
import type { Store } from '../storage/store.ts';

/** The users of whom nothing is read out unasked: no messages, no joining and leaving. Holds in all servers. */
export interface OptOuts {
  /** Rejects with a StoreError. Not cached, so that it takes effect at once. */
  has(userId: string): Promise<boolean>;
  /** Resolves with the previous state. Rejects with a StoreError, and then nothing was changed as far as is known. */
  set(userId: string, isOut: boolean): Promise<boolean>;
  /** Calls back when a member has opted out. Returns the unsubscriber. */
  onOptedOut(listener: (userId: string) => void): () => void;
}

const optOutSchema = z.object({ sinceMs: z.number() });

export function createOptOuts(store: Pick<Store, 'table'>): OptOuts {
  const table = store.table('opt-outs', optOutSchema);
  const listeners = new Set<(userId: string) => void>();
  const has = async (userId: string) => (await table.get(userId)) !== undefined;

  return {
    has,
    async set(userId, isOut) {
      const wasOut = await has(userId);
      if (isOut && !wasOut) await table.set(userId, { sinceMs: Date.now() });
      if (!isOut && wasOut) await table.delete(userId);
      if (isOut) for (const listener of listeners) listener(userId);
      return wasOut;
    },
    onOptedOut(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
