import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { connectForLock, LOCK_NOT_AVAILABLE } from '../storage/postgres/connections.ts';
import { abortable } from '../time/deadline.ts';

interface IdentifyTurnsOptions {
  /** STORE_URL, of a database that is prepared. */
  readonly url: string;
  readonly log: Logger;
  /** Only in tests: between two sessions of one bucket. The waits for a lock go by it. */
  readonly pauseMs?: number;
}

/** The right to begin gateway sessions, one after the other in each bucket, whichever process asks. */
export interface IdentifyTurns {
  /**
   * Resolves when a session may begin in this bucket. PostgreSQL is asked until it answers; rejects with the reason of the
   * signal only.
   */
  turn(bucket: number, signal: AbortSignal): Promise<void>;
}

/** 5 s by Discord's clock, at its end of the way; a little more is on the safe side. */
const PAUSE_MS = 5_500;
/** How long a write may take, within the surplus of a pause; MOST_WRITES is how often it is tried. */
const QUICK_MS = 200;
const MOST_WRITES = 5;
const RETRY_MS = 1_000;
/** After this many pauses, the lock of a process that hangs or whose machine vanished goes to the next one. */
const LOCK_IDLE_PAUSES = 2;
const LONG_WAIT_MS = 30_000;
/** The class of advisory locks by bucket; tables.ts has another one. */
const LOCK_CLASS = 1_131_571_558;

export function createIdentifyTurns({ url, log, pauseMs = PAUSE_MS }: IdentifyTurnsOptions): IdentifyTurns {
  /** A single process holds the lock. What it writes before it begins stays valid even if it dies then. */
  async function takeTurn(bucket: number, signal: AbortSignal): Promise<void> {
    // After a pause the lock is asked for again: PostgreSQL still answers.
    const client = await connectForLock(url, { waitMs: pauseMs, idleMs: pauseMs * LOCK_IDLE_PAUSES });
    const warning = setTimeout(
      () => log.warn({ bucket, waitedMs: LONG_WAIT_MS }, 'Waiting for this process’s turn to begin a session'),
      LONG_WAIT_MS,
    ).unref();
    try {
      while (!(await isLocked(client, bucket, signal)));
      const { rows } = await client.query(
        'SELECT extract(epoch FROM next_at - clock_timestamp()) * 1000 AS ms FROM crier.identify_buckets WHERE bucket = $1',
        [bucket],
      );
      await sleep(Math.min(pauseMs, Math.max(0, Number(rows[0]?.ms ?? 0))), undefined, { signal });
      for (let writes = 0; writes < MOST_WRITES; writes += 1) {
        const sinceMs = performance.now();
        await client.query(
          `INSERT INTO crier.identify_buckets VALUES ($1, clock_timestamp() + make_interval(secs => $2))
           ON CONFLICT (bucket) DO UPDATE SET next_at = excluded.next_at`,
          [bucket, pauseMs / 1000],
        );
        // Otherwise this process or PostgreSQL is busy: much of the pause may be over by then, and the session only
        // begins now.
        if (performance.now() - sinceMs < QUICK_MS) break;
      }
    } finally {
      clearTimeout(warning);
      // The lock goes with the connection.
      void client.end();
    }
  }

  async function isLocked(client: pg.Client, bucket: number, signal: AbortSignal): Promise<boolean> {
    try {
      await abortable(client.query('SELECT pg_advisory_lock($1, $2)', [LOCK_CLASS, bucket]), signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false;
      throw error;
    }
  }

  return {
    async turn(bucket, signal) {
      for (;;) {
        signal.throwIfAborted();
        try {
          await takeTurn(bucket, signal);
          return;
        } catch (error) {
          signal.throwIfAborted();
          log.warn({ err: error, bucket }, 'PostgreSQL does not answer whose turn it is: retrying');
          await sleep(RETRY_MS, undefined, { signal });
        }
      }
    },
  };
}
