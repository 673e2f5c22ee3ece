import pg from 'pg';
import type { Logger } from 'pino';
import { OperatorError } from '../../../errors/operator-error.ts';
import { postgresProblem, type Row, type Sql, type Statement } from '../sql.ts';
import { makeTables } from './schema.ts';

/** PostgreSQL ends a statement before its caller gives up, so that no abandoned statement takes effect later. */
const STATEMENT_TIMEOUT_MS = 800;
const ANSWER_TIMEOUT_MS = 950;
/** Timeout for a statement's answer on a connection outside the pools: PostgreSQL may hang without closing it. */
const LONE_ANSWER_TIMEOUT_MS = 2_000;
/** PostgreSQL ends the transaction of a process that hangs, because other processes wait for its locks. */
const IDLE_IN_TRANSACTION_MS = 1_000;
/** PostgreSQL's timeout at the bot's start is longer, because another process may be creating the tables. */
const START_TIMEOUT_MS = 15_000;
/** How long to wait for a free connection: transactions that reserve credits wait for each other. */
const CONNECTION_TIMEOUT_MS = 1_500;

/** How long a change waits while another process changes the same stored value. */
const LOCK_TIMEOUT_MS = 1_500;
/** How long a lock may be held without a statement: other processes wait if its process hangs. */
const LOCK_IDLE_MS = 5_000;

interface PoolOptions {
  readonly url: string;
  readonly log: Logger;
  readonly connections: number;
}

const optionsOf = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'crier',
  // TCP keep-alive detects that PostgreSQL's machine has crashed, because a crash closes no connections.
  keepAlive: true,
});

/** PostgreSQL's password as written in the address and as sent to the server. No log may contain either. */
export function passwordsOf(url: string): readonly string[] {
  const { password, searchParams } = new URL(url);
  const given = new pg.Client(optionsOf(url)).password;
  return [password, searchParams.get('password'), given, process.env.PGPASSWORD].filter(
    (text) => typeof text === 'string' && text !== '',
  ) as string[];
}

const SHORT_STATEMENTS: pg.PoolConfig = {
  connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
  query_timeout: ANSWER_TIMEOUT_MS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
};

/** Timeouts of connections that take a lock for one transaction. The lock ends with the transaction. */
const LOCKS: pg.PoolConfig = {
  connectionTimeoutMillis: LOCK_TIMEOUT_MS,
  query_timeout: LOCK_TIMEOUT_MS + ANSWER_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: LOCK_IDLE_MS,
};

/** Opens connections to PostgreSQL, by default for short statements with deadlines. The caller closes the pool. */
export function openPool({ url, log, connections }: PoolOptions, deadlines = SHORT_STATEMENTS): pg.Pool {
  const pool = new pg.Pool({ ...optionsOf(url), max: connections, ...deadlines });
  // Without error listeners, a broken connection to PostgreSQL would end the process, whether idle or in a transaction.
  pool.on('error', (error) => log.warn({ err: error }, 'Lost a connection to PostgreSQL: opening another'));
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** Opens a connection outside the pools, which the caller closes. Rejects with PostgreSQL's error. */
export async function connect(url: string): Promise<pg.Client> {
  const client = clientOf(url, { connectionTimeoutMillis: ANSWER_TIMEOUT_MS, query_timeout: LONE_ANSWER_TIMEOUT_MS });
  await client.connect();
  return client;
}

/** The caller connects the client and closes it. */
export function clientOf(url: string, limits: pg.ClientConfig): pg.Client {
  const client = new pg.Client({ ...optionsOf(url), ...limits });
  // The error listener only prevents a crash when the connection breaks. A waiting query rejects as well.
  client.on('error', () => undefined);
  return client;
}

/** Creates the bot's tables in a new PostgreSQL database. Throws an OperatorError that tells what to do. */
export async function prepareDatabase(url: string): Promise<void> {
  const client = clientOf(url, {
    connectionTimeoutMillis: START_TIMEOUT_MS,
    query_timeout: START_TIMEOUT_MS,
    statement_timeout: START_TIMEOUT_MS,
  });
  try {
    await client.connect();
    await makeTables(client);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const problem = postgresProblem(error) ?? ((error as Error).message || 'it does not answer');
    throw new OperatorError(`the database of STORE_URL cannot be used (${problem})`, {
      remedy: `it must be a PostgreSQL that answers, with a database whose owner STORE_URL names`,
      cause: error,
    });
  } finally {
    await client.end();
  }
}

/** Reads PostgreSQL's version and the database user's rights, and changes nothing. Rejects with PostgreSQL's error. */
export async function inspectPostgres(url: string) {
  const client = await connect(url);
  try {
    const { rows } = await client.query(`SELECT current_setting('server_version') AS version,
      coalesce(has_schema_privilege(to_regnamespace('crier')::oid, 'CREATE'),
        has_database_privilege(current_database(), 'CREATE')) AS may_make`);
    return { version: String(rows[0]?.version), mayMakeTables: rows[0]?.may_make === true };
  } finally {
    await client.end();
  }
}

interface PostgresOptions {
  readonly url: string;
  /** The id of this process's lease. When the lease ends, other processes close the reservations that name the lease. */
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
  const turns = openPool({ url, log, connections: TURNS_AT_ONCE }, LOCKS);

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
