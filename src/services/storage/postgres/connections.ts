import pg from 'pg';
import type { Logger } from 'pino';
import { OperatorError } from '../../../errors/operator-error.ts';
import { postgresProblem } from '../sql.ts';
import { makeTables } from './schema.ts';

/**
 * Commands are given 3 s by Discord. The server ends a statement before its caller gives up: what was given up does not happen
 * later.
 */
const STATEMENT_TIMEOUT_MS = 800;
const ANSWER_TIMEOUT_MS = 950;
/** A server that hangs answers nothing, and ends no connection. */
const LONE_ANSWER_TIMEOUT_MS = 2_000;
/** A process that hangs in the middle of a transaction loses it: others wait for their turn. */
const IDLE_IN_TRANSACTION_MS = 1_000;
/** At the start, where another process may be bringing the tables up. */
const START_TIMEOUT_MS = 15_000;
const CONNECTIONS = 8;
/** Also for one that others use: reservations wait for each other. */
const CONNECTION_TIMEOUT_MS = 1_500;

interface PoolOptions {
  readonly url: string;
  readonly log: Logger;
  readonly connections?: number;
}

interface LockPoolOptions extends Required<PoolOptions> {
  readonly waitMs: number;
  /** PostgreSQL ends a connection that is idle in its transaction for this time, as after a crash of its machine. */
  readonly idleMs: number;
}

const optionsOf = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'crier',
  // A machine that vanishes ends no connection.
  keepAlive: true,
});

/** The password as it is written in the address, and as PostgreSQL is given it: no log may show either. */
export function passwordsOf(url: string): readonly string[] {
  const { password, searchParams } = new URL(url);
  const given = new pg.Client(optionsOf(url)).password;
  return [password, searchParams.get('password'), given, process.env.PGPASSWORD].filter(
    (text) => typeof text === 'string' && text !== '',
  ) as string[];
}

/** Connections for short statements; each has a deadline. The caller closes the pool. */
export function openPool({ url, log, connections = CONNECTIONS }: PoolOptions): pg.Pool {
  return poolOf(log, {
    ...optionsOf(url),
    max: connections,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  });
}

/** Connections for locks that go with a transaction, each waited for for `waitMs`. The caller closes the pool. */
export function openLockPool({ url, log, connections, waitMs, idleMs }: LockPoolOptions): pg.Pool {
  return poolOf(log, {
    ...optionsOf(url),
    max: connections,
    connectionTimeoutMillis: waitMs,
    query_timeout: waitMs + ANSWER_TIMEOUT_MS,
    lock_timeout: waitMs,
    idle_in_transaction_session_timeout: idleMs,
  });
}

function poolOf(log: Logger, config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  // Without a listener, a connection that breaks would end the process: one that is idle, and one that a transaction holds.
  pool.on('error', (error) => log.warn({ err: error }, 'Lost a connection to PostgreSQL: opening another one'));
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/** A connection of its own, connected. A query has a deadline, and the connection's errors come as an event. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...optionsOf(url),
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    query_timeout: LONE_ANSWER_TIMEOUT_MS,
  });
  // The listener comes before the first use; a waiting query is rejected as well.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/**
 * Makes the tables, or brings them up to this version. Throws an OperatorError that says what to do, and where the address was
 * `given`.
 */
export async function prepareDatabase(url: string, given = 'STORE_URL'): Promise<void> {
  const client = new pg.Client({
    ...optionsOf(url),
    connectionTimeoutMillis: START_TIMEOUT_MS,
    query_timeout: START_TIMEOUT_MS,
    statement_timeout: START_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await makeTables(client, given);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`the database of ${given} cannot be used (${postgresProblem(error) ?? messageOf(error)})`, {
      remedy: `it must be a PostgreSQL that answers, with a database whose owner ${given} names`,
      cause: error,
    });
  } finally {
    await client.end();
  }
}

const messageOf = (error: unknown) => (error instanceof Error && error.message) || 'it does not answer';

/** Asks the database what it is, and changes nothing in it. Rejects with PostgreSQL's error. */
export async function inspectPostgres(
  url: string,
): Promise<{ readonly version: string; readonly mayMakeTables: boolean }> {
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
