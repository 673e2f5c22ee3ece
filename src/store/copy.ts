import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import { openDataFolder } from '../services/storage/data-folder.ts';
import { DATABASE_FILE, inspectDatabase } from '../services/storage/database.ts';
import { lockFolder } from '../services/storage/folder-lock.ts';
import { prepareDatabase } from '../services/storage/postgres/connections.ts';

interface CopyOptions {
  /** DATA_DIR of a bot that does not run. */
  readonly from: string;
  /** The address of a PostgreSQL. */
  readonly to: string;
  /** Where that address was given. */
  readonly toGiven: string;
}

/** Rows, by table. */
export type Copied = ReadonlyMap<string, number>;

interface CopiedTable {
  readonly name: string;
  /** In PostgreSQL, with how each is read from SQLite where that is not its name. */
  readonly columns: Readonly<Record<string, readonly [type: string, read?: string]>>;
  readonly where?: string;
}

const TEXT = ['text'] as const;
const BIGINT = ['bigint'] as const;
const COUNTED = { guild_id: TEXT, user_id: TEXT, day: TEXT, millicredits: BIGINT };

/** All tables of database.ts. */
const TABLES: readonly CopiedTable[] = [
  {
    name: 'entries',
    columns: { namespace: TEXT, key: TEXT, value: TEXT, expires_at: BIGINT },
    // Probes are each process's own.
    where: "namespace <> 'health'",
  },
  { name: 'spending_days', columns: { ...COUNTED, cached: BIGINT, kept_until: TEXT } },
  {
    name: 'spending_reservations',
    columns: {
      ...COUNTED,
      id: BIGINT,
      // No cell's: the first process that starts decides what became of them, as after any end.
      cell: ['bigint', '0'],
      model: TEXT,
      characters: BIGINT,
      state: TEXT,
      sent: ['boolean', "iif(sent, 'true', 'false')"],
    },
  },
  { name: 'spending_rates', columns: { model: TEXT, characters: ['float8'], credits: ['float8'] } },
];

const BATCH_ROWS = 1_000;
const STATEMENT_TIMEOUT_MS = 60_000;

/**
 * Copies the store and the figures of a bot into a PostgreSQL that has none: all of it or nothing. Throws an OperatorError; the
 * source is only read.
 */
export async function copyStore({ from, to, toGiven }: CopyOptions): Promise<Copied> {
  const path = join(resolve(from), DATABASE_FILE);
  if (!existsSync(path)) {
    throw new OperatorError(`${resolve(from)} has no data of a bot`, {
      remedy: 'name its DATA_DIR: --from sqlite:FOLDER',
    });
  }
  // What the bot writes during the copy would be lost.
  const lock = lockFolder(openDataFolder(from), 'end that one first, then copy');
  const client = new pg.Client({
    connectionString: to,
    application_name: 'crier',
    statement_timeout: STATEMENT_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    inspectDatabase(path);
    await prepareDatabase(to, toGiven);
    await client.connect();
    await client.query('BEGIN');
    // Of two copies at once, one waits for the other, and finds the target full.
    await client.query('SELECT pg_advisory_xact_lock(1131571557, 3)');
    await refuseFull(client, toGiven);
    const copied = await copyTables(client, path);
    await client.query('COMMIT');
    return copied;
  } finally {
    // Without a commit, nothing is there.
    await client.end();
    lock.release();
  }
}

async function refuseFull(client: pg.Client, toGiven: string): Promise<void> {
  const remedy = 'copy into an empty database, before any bot has used it';
  const { rows: cells } = await client.query('SELECT name FROM crier.cells WHERE lease_until > clock_timestamp()');
  if (cells.length > 0)
    throw new OperatorError(`a bot uses the database of ${toGiven} (${cells[0]?.name})`, { remedy });
  for (const { name } of TABLES) {
    const { rows } = await client.query(`SELECT EXISTS (SELECT FROM crier.${name}) AS full`);
    if (rows[0]?.full === true)
      throw new OperatorError(`the database of ${toGiven} has data of a bot (${name})`, { remedy });
  }
}

async function copyTables(client: pg.Client, path: string): Promise<Copied> {
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    const copied = new Map<string, number>();
    for (const table of TABLES) copied.set(table.name, await copyTable(client, source, table));
    return copied;
  } finally {
    source.close();
  }
}

async function copyTable(
  client: pg.Client,
  source: DatabaseSync,
  { name, columns, where = 'true' }: CopiedTable,
): Promise<number> {
  const names = Object.keys(columns);
  const read = Object.entries(columns).map(([column, [, sql = column]]) => `${sql} AS ${column}`);
  const arrays = Object.values(columns).map(([type], index) => `$${index + 1}::${type}[]`);
  const insert = `INSERT INTO crier.${name} (${names.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`;
  let copied = 0;
  let batch: Record<string, SQLOutputValue>[] = [];

  async function write(): Promise<void> {
    await client.query(
      insert,
      names.map((column) => batch.map((row) => row[column])),
    );
    copied += batch.length;
    batch = [];
  }

  for (const row of source.prepare(`SELECT ${read.join(', ')} FROM ${name} WHERE ${where}`).iterate()) {
    batch.push(row);
    if (batch.length === BATCH_ROWS) await write();
  }
  await write();
  return copied;
}
