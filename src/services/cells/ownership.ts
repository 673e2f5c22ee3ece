import type { Logger } from 'pino';
import * as z from 'zod';
import type { Store } from '../storage/store.ts';
import { abortable } from '../time/deadline.ts';
import type { IdentifyTurns } from './identify-turns.ts';

/** A voice channel that the bot was in when its process stopped. */
export interface LeftPlace {
  readonly guildId: string;
  readonly channelId: string;
  /** True if the channel's own chat is read there since a member used /join. */
  readonly readsChat: boolean;
}

/** Members whose texts are to be forgotten in every process of the bot. */
export interface ForgottenMembers {
  /** Tells the other processes. Rejects with a StoreError. */
  tell(userId: string): Promise<void>;
  /** Calls back for each member that another process tells of. */
  onTold(listener: (userId: string) => void): void;
}

/** Which servers this process speaks, bills and answers for: all of them, or those of its shards while its lease lasts. */
export interface Ownership {
  /** A server, or any at all: another process does where it does not. */
  owns(guildId?: string): boolean;
  /** Whether other processes may have some. */
  readonly isShared: boolean;
  readonly identifyTurns: IdentifyTurns;
  readonly forgotten: ForgottenMembers;
  /** The process is about to stop: a successor waits for it instead of refusing to start. */
  ending(): Promise<void>;
  /** Leaves these to the successor, so that no member has to bring the bot back. */
  leave(places: readonly LeftPlace[]): Promise<void>;
  /** The bot's recent places in servers that this process took over. Once. */
  taken(): Promise<readonly LeftPlace[]>;
}

export const ownsAll = (store: Store, log: Logger): Ownership => ({
  owns: () => true,
  isShared: false,
  identifyTurns: createOwnIdentifyTurns(store, log),
  forgotten: { tell: async () => undefined, onTold: () => undefined },
  ending: async () => undefined,
  leave: async () => undefined,
  taken: async () => [],
});

/** The pause between two sessions, as in identify-turns.ts, which loads PostgreSQL's client. */
const IDENTIFY_PAUSE_MS = 5_500;

/**
 * The turns of a bot that is one process. They are kept over its starts: Discord answers a session that is begun less than 5 s
 * after the one of the process before with op 9, which takes longer than to wait.
 */
export function createOwnIdentifyTurns(store: Store, log: Logger): IdentifyTurns {
  const kept = store.table('identify-turns', z.number());
  /** By bucket; the store is asked for those of the process before. */
  const nextAtMs = new Map<number, number>();
  /** The last turn of each bucket that was asked for. */
  const turns = new Map<number, Promise<void>>();
  const warn = (error: unknown): undefined => {
    log.warn({ err: error }, 'Could not store or read when the last session began');
  };

  async function takeTurn(bucket: number, signal: AbortSignal): Promise<void> {
    const key = String(bucket);
    const atMs = nextAtMs.get(bucket) ?? (await kept.get(key).catch(warn)) ?? 0;
    // The clock may have been set back.
    const waitMs = Math.min(IDENTIFY_PAUSE_MS, atMs - Date.now());
    if (waitMs > 0) await abortable(pause(waitMs), signal);
    const nextMs = Date.now() + IDENTIFY_PAUSE_MS;
    nextAtMs.set(bucket, nextMs);
    await kept.set(key, nextMs, { ttlMs: IDENTIFY_PAUSE_MS }).catch(warn);
  }

  return {
    turn(bucket, signal) {
      const turn = (turns.get(bucket) ?? Promise.resolve()).then(() => takeTurn(bucket, signal));
      turns.set(
        bucket,
        turn.catch(() => undefined),
      );
      return abortable(turn, signal);
    },
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** The other processes hear of it within a second, or read it within half a minute. */
const TOLD_FOR_MS = 2 * 60_000;

/** Writes the member into the store for two minutes: every change of the store is announced to all processes. */
export function createForgottenMembers(store: Store, log: Logger) {
  const told = store.table('forgotten-members', z.number());
  /** The time of the announcement that this process has handled, by member. */
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
    /** Another process announced this member; without an id, it may have been any. */
    async changedElsewhere(userId?: string): Promise<void> {
      try {
        await Promise.all((userId === undefined ? await told.keys() : [userId]).map(hear));
      } catch (error) {
        log.warn({ err: error }, 'Could not read which members other processes have forgotten');
      }
    },
  };
}

const KEPT_MS = 10 * 60_000;

/** `owns` the server with that id: whether this process speaks for it. */
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
