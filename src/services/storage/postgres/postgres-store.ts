import type pg from 'pg';
import type { Logger } from 'pino';
import { repeat } from '../repeated-work.ts';
import { createStore, type Entries, type Store } from '../store.ts';
import { openLockPool } from './connections.ts';

interface PostgresStoreOptions {
  /** STORE_URL, of a database that is prepared. */
  readonly url: string;
  /** Of the same database; stays open. */
  readonly pool: pg.Pool;
  readonly log: Logger;
  /** Told of every read and write that failed. */
  readonly onFailure?: (table: string) => void;
}

const MINUTE_MS = 60_000;
/** Changes are rare: more of them wait. */
const TURNS_AT_ONCE = 4;
/** How long a change waits for another process that changes the same value. */
const TURN_TIMEOUT_MS = 1_500;
/** Longer than any change takes: the turn of a process that stands still goes to the next one. */
const TURN_IDLE_MS = 5_000;

/** The store in a database that several processes share. */
export function openPostgresStore({ url, pool, log, onFailure }: PostgresStoreOptions): Store {
  const endDeleting = repeat(
    MINUTE_MS,
    () => pool.query('DELETE FROM crier.entries WHERE expires_at <= $1', [Date.now()]),
    (error) => log.warn({ err: error }, 'What has expired could not be deleted yet'),
  );

  // Apart from those that everything else waits for, the work in a turn too.
  const turns = openLockPool(
    { url, log, connections: TURNS_AT_ONCE },
    { waitMs: TURN_TIMEOUT_MS, idleMs: TURN_IDLE_MS },
  );

  async function inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const client = await turns.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
      return await work();
    } finally {
      // The lock ends with the transaction, or with the connection, however long that takes.
      client.query('COMMIT').then(
        () => client.release(),
        (error: Error) => client.release(error),
      );
    }
  }

  return createStore({
    entries: createPostgresEntries(pool),
    inTurn,
    async close() {
      endDeleting();
      await turns.end();
    },
    log,
    onFailure,
  });
}

function createPostgresEntries(pool: pg.Pool): Entries {
  return {
    async get(table, key) {
      const { rows } = await pool.query(
        'SELECT value FROM crier.entries WHERE namespace = $1 AND key = $2 AND (expires_at IS NULL OR expires_at > $3)',
        [table, key, Date.now()],
      );
      return rows[0]?.value;
    },
    async set(table, key, value, expiresAtMs) {
      await pool.query(
        `INSERT INTO crier.entries VALUES ($1, $2, $3, $4)
         ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`,
        [table, key, value, expiresAtMs],
      );
    },
    async delete(table, key) {
      await pool.query('DELETE FROM crier.entries WHERE namespace = $1 AND key = $2', [table, key]);
    },
    async keys(table) {
      const { rows } = await pool.query(
        'SELECT key FROM crier.entries WHERE namespace = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY key',
        [table, Date.now()],
      );
      return rows.map(({ key }) => String(key));
    },
  };
}
