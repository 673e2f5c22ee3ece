import type { Logger } from 'pino';
import * as z from 'zod';
import type { Store } from '../storage/store.ts';

/** Members whose texts are to be forgotten in every process of the bot. */
export interface ForgottenMembers {
  /** Tells the other processes. Rejects with a StoreError. */
  tell(userId: string): Promise<void>;
  /** Calls back for each member that another process tells of. */
  onTold(listener: (userId: string) => void): void;
}

/** The other processes hear of it within a second, or read it within half a minute. */
const TOLD_FOR_MS = 2 * 60_000;

/** Writes the member into the store for two minutes: every change of the store is announced to all processes. */
export function createForgottenMembers(store: Pick<Store, 'table'>, log: Logger) {
  const told = store.table('forgotten-members', z.number());
  /** When each was told of that this process knows of already. */
  const known = new Map<string, number>();
  let forget: (userId: string) => void = () => undefined;

  async function hear(userId: string): Promise<void> {
    const atMs = await told.get(userId);
    if (atMs === undefined || known.get(userId) === atMs) return;
    known.set(userId, atMs);
    forget(userId);
  }

  return {
    async tell(userId: string): Promise<void> {
      const now = Date.now();
      for (const [id, atMs] of known) if (now - atMs > TOLD_FOR_MS) known.delete(id);
      known.set(userId, now);
      await told.set(userId, now, { ttlMs: TOLD_FOR_MS });
    },
    onTold(listener: (userId: string) => void): void {
      forget = listener;
    },
    /** This member was told of; without one, there may be some. */
    async changedElsewhere(userId?: string): Promise<void> {
      try {
        await Promise.all((userId === undefined ? await told.keys() : [userId]).map(hear));
      } catch (error) {
        log.warn({ err: error }, 'Whose texts another process has forgotten cannot be read');
      }
    },
  };
}
