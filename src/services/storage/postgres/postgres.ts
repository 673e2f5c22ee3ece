import type pg from 'pg';
import type { Logger } from 'pino';
import type { Row, Sql, Statement } from '../sql.ts';
import { openLockPool, openPool } from './connections.ts';

interface PostgresOptions {
  readonly url: string;
  /** The id of this process's lease. After its end, other processes close the reservations that name it. */
  readonly holder: number;
  readonly log: Logger;
}

/** How many statements and transactions run at once. More wait for a free connection. */
const CONNECTIONS = 8;
/** How many stored values can be changed under locks at once. Few, because changes are rare; further changes wait. */
const TURNS_AT_ONCE = 4;

export function openPostgres({ url, holder, log }: PostgresOptions): Sql {
  const pool = openPool({ url, log, connections: CONNECTIONS });
  // Locks have a pool of their own: work under a lock needs connections, which waiting locks would use up.
  const turns = openLockPool({ url, log, connections: TURNS_AT_ONCE });

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
