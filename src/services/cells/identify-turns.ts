import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { connect } from '../storage/postgres/connections.ts';
import { abortable } from '../time/timers.ts';
import { IDENTIFY_PAUSE_MS, type TakeIdentifyTurn } from './ownership.ts';

interface IdentifyTurnsOptions {
  readonly url: string;
  readonly log: Logger;
  /** The pause between the starts of two gateway sessions of one bucket; set only in tests. */
  readonly pauseMs?: number;
}

/** Maximum time to store a login turn: the pause between logins has only 500 ms more than Discord requires (5 s). */
const QUICK_MS = 200;
const MAX_WRITES = 5;
const RETRY_MS = 1_000;
const LONG_WAIT_MS = 30_000;

/**
 * Reserves bucket $1 for $2 seconds, if it is free or already reserved by this process ($3). Returns the reservation,
 * or the milliseconds until another process's reservation ends.
 */
const TAKE = `
  WITH taken AS (
    INSERT INTO crier.identify_buckets AS known VALUES ($1, clock_timestamp() + make_interval(secs => $2))
    ON CONFLICT (bucket) DO UPDATE SET next_at = excluded.next_at
    WHERE known.next_at <= clock_timestamp() OR known.next_at = $3::timestamptz
    RETURNING next_at)
  SELECT (SELECT next_at::text FROM taken) AS own,
    (SELECT extract(epoch FROM next_at - clock_timestamp()) * 1000 FROM crier.identify_buckets WHERE bucket = $1) AS ms`;

/** A reservation in the database ends after its time, even if its process is dead or hangs. */
export function createIdentifyTurns({ url, log, pauseMs = IDENTIFY_PAUSE_MS }: IdentifyTurnsOptions): TakeIdentifyTurn {
  async function takeTurn(bucket: number, signal: AbortSignal): Promise<void> {
    const client = await connect(url);
    try {
      let own: string | null = null;
      for (let writes = 0; writes < MAX_WRITES; ) {
        const sinceMs = performance.now();
        const { rows }: pg.QueryResult = await abortable(client.query(TAKE, [bucket, pauseMs / 1000, own]), signal);
        own = rows[0]?.own;
        if (own === null) await sleep(Math.min(pauseMs, Math.max(1, Number(rows[0]?.ms))), undefined, { signal });
        // After a slow write, much of the reserved time may be over before the gateway session begins.
        else if (performance.now() - sinceMs < QUICK_MS) return;
        else writes += 1;
      }
    } finally {
      void client.end();
    }
  }

  return async (bucket, signal) => {
    const warning = setTimeout(
      () => log.warn({ bucket, waitedMs: LONG_WAIT_MS }, 'Long wait for Discord login: bot offline in some servers'),
      LONG_WAIT_MS,
    ).unref();
    try {
      for (;;) {
        signal.throwIfAborted();
        try {
          return await takeTurn(bucket, signal);
        } catch (error) {
          signal.throwIfAborted();
          log.warn({ err: error, bucket }, 'Could not get a turn to log in: retrying');
          await sleep(RETRY_MS, undefined, { signal });
        }
      }
    } finally {
      clearTimeout(warning);
    }
  };
}
