import type pg from 'pg';
import type { Logger } from 'pino';
import type { Row, Sql, Statement } from '../sql.ts';
import { openLockPool, openPool } from './connections.ts';

interface PostgresOptions {
  /** STORE_URL, of a database that is prepared. */
  readonly url: string;
  /** The epoch of this process's lease: what it reserves and sends counts for as long as that lasts. */
  readonly holder: number;
  readonly log: Logger;
}

/** Changes are rare: more of them wait. */
const TURNS_AT_ONCE = 4;
/** How long a change waits for another process that changes the same value. */
const TURN_TIMEOUT_MS = 1_500;
/** Longer than any change takes: the turn of a process that hangs goes to the next one. */
const TURN_IDLE_MS = 5_000;

export function openPostgres({ url, holder, log }: PostgresOptions): Sql {
  const pool = openPool({ url, log });
  // Apart from those that everything else waits for, the work in a turn too.
  const turns = openLockPool({ url, log, connections: TURNS_AT_ONCE, waitMs: TURN_TIMEOUT_MS, idleMs: TURN_IDLE_MS });

  return {
    schema: 'crier.',
    query: (...statement) => rowsOf(pool, statement),
    async transaction(begin) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN; SELECT pg_advisory_xact_lock(1131571557, 1)');
        const steps = begin();
        let step = steps.next([]);
        while (!step.done) step = steps.next(await rowsOf(client, step.value));
        await client.query('COMMIT');
        client.release();
        return step.value;
      } catch (error) {
        // The transaction ends with the connection, whatever became of that.
        client.release(true);
        throw error;
      }
    },
    holder,
    isHolding: (column) => `crier.holds_lease(${column})`,
    async inTurn(name, work) {
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
    },
    // The database has no file of the bot's own.
    eraseDeleted: () => undefined,
    async close() {
      await Promise.all([turns.end(), pool.end()]);
    },
  };
}

async function rowsOf(client: pg.Pool | pg.PoolClient, [text, ...values]: Statement): Promise<readonly Row[]> {
  return (await client.query<Row>(text, values)).rows;
}
