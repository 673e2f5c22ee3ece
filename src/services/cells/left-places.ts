import * as z from 'zod';
import type { Store } from '../storage/store.ts';

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
export function createLeftPlaces(store: Pick<Store, 'table'>, owns: (guildId: string) => boolean): LeftPlaces {
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
