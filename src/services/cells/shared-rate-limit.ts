import type pg from 'pg';
import type { Logger } from 'pino';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { SharedRateLimit } from '../../speech/client/caller.ts';

interface SharedRateLimitOptions {
  /** Of a database that is prepared; stays open. */
  readonly pool: pg.Pool;
  readonly log: Logger;
}

const MINUTE_S = 60;
/**
 * The service fills a bucket evenly, and it holds a minute's requests. The library counts in windows, of which two may be used
 * up at once, one at its end and the next at its beginning: with half a minute each they fit into the bucket, whenever they begin.
 */
const WINDOW_S = 30;
/** PostgreSQL is not asked again so soon after it did not answer. */
const UNKNOWN_FOR_MS = 1_000;
/** One key in one database; another key than before begins with what is left of a window. */
const KEY = 'speech';

/** The rate limit of the speech service's key, for all cells together, which starts with what another cell has learned. */
export async function openSharedRateLimit({ pool, log }: SharedRateLimitOptions): Promise<SharedRateLimit> {
  const limiter = new RateLimiterPostgres({
    ...{ storeClient: pool, storeType: 'pool', schemaName: 'crier', tableName: 'rate_limits', tableCreated: true },
    clearExpiredByTimeout: false,
    points: 1,
    duration: WINDOW_S,
  });

  /** One after the other: many at once would wait for connections, and some of them in vain. */
  let last: Promise<unknown> = Promise.resolve();
  let unknownUntilMs = 0;
  const { rows } = await pool.query('SELECT per_minute FROM crier.learned_rate_limits WHERE key = $1', [KEY]);
  const perMinute: number | undefined = rows[0]?.per_minute;
  /** What is written down there, as far as this cell knows. */
  let written = perMinute;

  async function consume(perMinute: number | undefined): Promise<number> {
    if (performance.now() < unknownUntilMs) return 0;
    try {
      if (perMinute === undefined) {
        await limiter.penalty(KEY);
        return 0;
      }
      limiter.points = Math.max(1, Math.floor((perMinute * WINDOW_S) / MINUTE_S));
      await limiter.consume(KEY);
      return 0;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return Math.max(1, refusal.msBeforeNext);
      // Nothing is paid for meanwhile; the rest is few requests, which each cell holds back by itself.
      log.warn({ err: refusal }, 'How much of the key’s rate limit other processes have used is not known');
      unknownUntilMs = performance.now() + UNKNOWN_FOR_MS;
      return 0;
    }
  }

  return {
    perMinute,
    learned(limit) {
      if (limit === written) return;
      written = limit;
      pool
        .query(
          `INSERT INTO crier.learned_rate_limits VALUES ($1, $2)
           ON CONFLICT (key) DO UPDATE SET per_minute = excluded.per_minute`,
          [KEY, limit],
        )
        .catch((error: unknown) => {
          // With the next answer.
          written = undefined;
          log.warn({ err: error }, 'The key’s rate limit could not be kept for processes that start later');
        });
    },
    take(perMinute) {
      const taking = last.then(() => consume(perMinute));
      last = taking;
      return taking;
    },
  };
}
