import type pg from 'pg';
import type { Logger } from 'pino';
import type { Row, Sql, Statement } from '../sql.ts';
import { openLockPool, openPool } from './connections.ts';

interface PostgresOptions {
  readonly url: string;
  /**
   * The id of this process's lease on its shards. It is stored with reserved credits: after the end of the lease, other
   * processes release them, or count them as lost if the request was sent.
   */
  readonly holder: number;
  readonly log: Logger;
}

/** How many statements and transactions run at once. More wait for a free connection. */
const CONNECTIONS = 8;
/** How many stored values can be changed under locks at once. Few, because changes are rare; further changes wait. */
const TURNS_AT_ONCE = 4;
/** How long a change waits while another process changes the same stored value. */
const TURN_TIMEOUT_MS = 1_500;
/**
 * How long a process may hold the lock on a stored value without sending a statement: longer than any change takes.
 * PostgreSQL then frees the lock, because the process hangs and others wait for it.
 */
const TURN_IDLE_MS = 5_000;

export function openPostgres({ url, holder, log }: PostgresOptions): Sql {
  const pool = openPool({ url, log, connections: CONNECTIONS });
  // Locks have a connection pool of their own. Work under a lock needs connections of the other pool, and waiting locks
  // would use them up.
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
        // A connection whose transaction failed is closed and not reused: closing ends the transaction in any state.
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
        // Ending the transaction is not awaited: the lock ends with the transaction, or else with the connection.
        client.query('COMMIT').then(
          () => client.release(),
          (error: Error) => client.release(error),
        );
      }
    },
    // PostgreSQL's data is not in the bot's own files, so there is nothing to erase.
    eraseDeleted: () => undefined,
    async close() {
      await Promise.all([turns.end(), pool.end()]);
    },
  };
}

async function rowsOf(client: pg.Pool | pg.PoolClient, [text, ...values]: Statement): Promise<readonly Row[]> {
  return (await client.query<Row>(text, values)).rows;
}
