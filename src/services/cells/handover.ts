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
export function createForgottenMembers(store: Store, log: Logger) {
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
        log.warn({ err: error }, 'Could not read which members other processes have forgotten');
      }
    },
  };
}

/** A voice channel that the bot was in when its process was told to stop. */
export interface LeftPlace {
  readonly guildId: string;
  readonly channelId: string;
  /** The channel's own chat is read there since somebody brought the bot with /join. */
  readonly readsChat: boolean;
}

/** What a cell that ends in order tells its successor, so that nobody has to bring the bot back. */
export interface LeftPlaces {
  leave(places: readonly LeftPlace[]): Promise<void>;
  /** Those of the last minutes, once. */
  take(): Promise<readonly LeftPlace[]>;
}

const KEPT_MS = 10 * 60_000;

/** `owns` the server with that id: whether this process speaks for it. */
export function createLeftPlaces(store: Store, owns: (guildId: string) => boolean): LeftPlaces {
  const table = store.table('left-places', z.object({ channelId: z.string(), readsChat: z.boolean() }));
  return {
    async leave(places) {
      for (const { guildId, ...place } of places) {
        if (owns(guildId)) await table.set(guildId, place, { ttlMs: KEPT_MS });
      }
    },
    async take() {
      const taken: LeftPlace[] = [];
      for (const guildId of (await table.keys()).filter(owns)) {
        const place = await table.get(guildId);
        if (place) taken.push({ guildId, ...place });
        await table.delete(guildId);
      }
      return taken;
    },
  };
}
