import type { Logger } from 'pino';
import * as z from 'zod';
import type { Store } from '../storage/store.ts';
import { abortable } from '../time/deadline.ts';
import type { IdentifyTurns } from './identify-turns.ts';

/** 5 s by Discord's clock, at its end of the way; a little more is on the safe side. */
const PAUSE_MS = 5_500;

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
    const waitMs = Math.min(PAUSE_MS, atMs - Date.now());
    if (waitMs > 0) await abortable(pause(waitMs), signal);
    const nextMs = Date.now() + PAUSE_MS;
    nextAtMs.set(bucket, nextMs);
    await kept.set(key, nextMs, { ttlMs: PAUSE_MS }).catch(warn);
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
