import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { Store } from '../storage/store.ts';
import { abortable } from '../time/timers.ts';

/** A voice channel that the bot was in when its process stopped. */
export interface LeftPlace {
  readonly guildId: string;
  readonly channelId: string;
  /** True if the bot reads the voice channel's own chat because a member used /join. */
  readonly readsChat: boolean;
}

/** The servers for which this process speaks, bills and answers: all, or those of its shards during its lease. */
export interface Ownership {
  /** True if this process speaks, bills and answers for the server or, without an id, for at least one server. */
  owns(guildId?: string): boolean;
  /** True if other processes of the bot may speak, bill and answer for other Discord servers. */
  readonly isShared: boolean;
  readonly takeIdentifyTurn: TakeIdentifyTurn;
  /** Members who used /forget, whose texts every process of the bot must delete. */
  readonly forgotten: {
    /** Tells the other processes to delete the member's waiting and recent texts. Rejects with a StoreError. */
    tell(userId: string): Promise<void>;
    onTold(listener: (userId: string) => void): void;
  };
  /** Marks that the process is about to stop, so that a successor waits instead of refusing to start. */
  ending(): Promise<void>;
  /** Stores the bot's voice channels for the next process, which joins them again without a member's request. */
  leave(places: readonly LeftPlace[]): Promise<void>;
  /** The channels that an earlier process left, in servers of this process. Each is returned only once. */
  taken(): Promise<readonly LeftPlace[]>;
}

export const ownsAll = (store: Store, log: Logger): Ownership => ({
  owns: () => true,
  isShared: false,
  takeIdentifyTurn: createOwnIdentifyTurns(store, log),
  forgotten: { tell: async () => undefined, onTold: () => undefined },
  ending: async () => undefined,
  leave: async () => undefined,
  taken: async () => [],
});

/**
 * Lets all processes begin their gateway sessions one after the other in each bucket, as Discord requires. Resolves when
 * a gateway session may begin in the bucket. Rejects only with the signal's reason.
 */
export type TakeIdentifyTurn = (bucket: number, signal: AbortSignal) => Promise<void>;

/** Discord requires 5 s between the starts of two gateway sessions, measured on its side; a little more is safe. */
export const IDENTIFY_PAUSE_MS = 5_500;

/** Discord rejects a session that begins less than 5 s after the last (op 9), even across a restart. */
function createOwnIdentifyTurns(store: Store, log: Logger): TakeIdentifyTurn {
  const kept = store.table('identify-turns', z.number());
  /** By bucket, when the next gateway session may begin. Times from before a restart are in the store. */
  const nextAtMs = new Map<string, number>();
  const warn = (error: unknown): undefined => {
    log.warn({ err: error }, 'Could not read earlier Discord logins: connecting may take longer');
  };

  async function takeTurn(bucket: string, signal: AbortSignal): Promise<void> {
    const atMs = nextAtMs.get(bucket) ?? (await kept.get(bucket).catch(warn)) ?? 0;
    // If the machine's clock was set back, the stored time may be hours ahead: the bot does not wait for it.
    const waitMs = Math.min(IDENTIFY_PAUSE_MS, atMs - Date.now());
    if (waitMs > 0) await sleep(waitMs, undefined, { signal, ref: false });
    const nextMs = Date.now() + IDENTIFY_PAUSE_MS;
    nextAtMs.set(bucket, nextMs);
    await kept.set(bucket, nextMs, { ttlMs: IDENTIFY_PAUSE_MS }).catch(warn);
  }

  return (bucket, signal) => {
    const turn = kept.inTurn(String(bucket), () => takeTurn(String(bucket), signal));
    return abortable(turn, signal);
  };
}

/** How long a /forget is stored. Other processes learn of it within a second or, by reading the store, in half a minute. */
const TOLD_FOR_MS = 2 * 60_000;

/** Tells all processes through the store which members' texts to delete. */
export function createForgottenMembers(store: Store, log: Logger) {
  const told = store.table('forgotten-members', z.number());
  /** By member, the time of the last `/forget` that this process obeyed, so that it obeys each only once. */
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
    /** Obeys a /forget of `userId` in another process, or all such commands if `userId` is undefined. Never rejects. */
    async changedElsewhere(userId?: string): Promise<void> {
      try {
        await Promise.all((userId === undefined ? await told.keys() : [userId]).map(hear));
      } catch (error) {
        log.warn({ err: error }, 'Members’ /forget not loaded: their texts may stay queued');
      }
    },
  };
}

const KEPT_MS = 10 * 60_000;

/** Stores the bot's voice channels for ten minutes, so that the bot joins them again after a restart. */
export function createLeftPlaces(store: Store, owns: (guildId: string) => boolean) {
  const table = store.table('left-places', z.object({ channelId: z.string(), readsChat: z.boolean() }));
  return {
    async leave(places: readonly LeftPlace[]): Promise<void> {
      for (const { guildId, ...place } of places) {
        if (owns(guildId)) await table.set(guildId, place, { ttlMs: KEPT_MS });
      }
    },
    async taken(): Promise<readonly LeftPlace[]> {
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
