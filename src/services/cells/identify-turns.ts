import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { connect } from '../storage/postgres/connections.ts';
import { abortable } from '../time/deadline.ts';

interface IdentifyTurnsOptions {
  /** STORE_URL, of a database that is prepared. */
  readonly url: string;
  readonly log: Logger;
  /** Between two sessions of one bucket; another one only in tests. */
  readonly pauseMs?: number;
}

/** The right to begin gateway sessions, one after the other in each bucket, whichever process asks. */
export interface IdentifyTurns {
  /** Resolves when a session may begin in this bucket; rejects with the reason of the signal only. */
  turn(bucket: number, signal: AbortSignal): Promise<void>;
}

/** 5 s by Discord's clock, at its end of the way; a little more is on the safe side. */
const PAUSE_MS = 5_500;
/** How long a write may take, within the surplus of a pause; MAX_WRITES is how often it is tried. */
const QUICK_MS = 200;
const MAX_WRITES = 5;
const RETRY_MS = 1_000;
const LONG_WAIT_MS = 30_000;

/**
 * Takes the turn of bucket $1 if nobody has it, or if it is this process's own ($3), for $2 seconds from now. Gives the turn that
 * was taken, or how long another one lasts. Of processes that ask at once, a single one gets it.
 */
const TAKE = `
  WITH taken AS (
    INSERT INTO crier.identify_buckets AS known VALUES ($1, clock_timestamp() + make_interval(secs => $2))
    ON CONFLICT (bucket) DO UPDATE SET next_at = excluded.next_at
    WHERE known.next_at <= clock_timestamp() OR known.next_at = $3::timestamptz
    RETURNING next_at)
  SELECT (SELECT next_at::text FROM taken) AS own,
    (SELECT extract(epoch FROM next_at - clock_timestamp()) * 1000 FROM crier.identify_buckets WHERE bucket = $1) AS ms`;

/** A turn is a time in the database: that of a process which dies or stands still with it ends by itself. */
export function createIdentifyTurns({ url, log, pauseMs = PAUSE_MS }: IdentifyTurnsOptions): IdentifyTurns {
  async function takeTurn(bucket: number, signal: AbortSignal): Promise<void> {
    const client = await connect(url);
    try {
      let own: string | null = null;
      for (let writes = 0; writes < MAX_WRITES; ) {
        const sinceMs = performance.now();
        const { rows }: pg.QueryResult = await abortable(client.query(TAKE, [bucket, pauseMs / 1000, own]), signal);
        own = rows[0]?.own;
        if (own === null) await sleep(Math.min(pauseMs, Math.max(1, Number(rows[0]?.ms))), undefined, { signal });
        // Otherwise this process or PostgreSQL is busy: much of the pause may be over by then, and the session only
        // begins now.
        else if (performance.now() - sinceMs < QUICK_MS) return;
        else writes += 1;
      }
    } finally {
      void client.end();
    }
  }

  return {
    async turn(bucket, signal) {
      const warning = setTimeout(
        () => log.warn({ bucket, waitedMs: LONG_WAIT_MS }, 'Waiting for this process’s turn to begin a session'),
        LONG_WAIT_MS,
      ).unref();
      try {
        for (;;) {
          signal.throwIfAborted();
          try {
            return await takeTurn(bucket, signal);
          } catch (error) {
            signal.throwIfAborted();
            log.warn({ err: error, bucket }, 'PostgreSQL does not answer whose turn it is: retrying');
            await sleep(RETRY_MS, undefined, { signal });
          }
        }
      } finally {
        clearTimeout(warning);
      }
    },
  };
}
