import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import { openDataFolder } from '../services/storage/data-folder.ts';
import { DATABASE_FILE, inspectDatabase } from '../services/storage/database.ts';
import { lockFolder } from '../services/storage/folder-lock.ts';
import { prepareDatabase } from '../services/storage/postgres/connections.ts';
import { type CopiedTable, type CopySource, openSource, type Row, TABLES } from './source.ts';

interface CopyOptions {
  /** DATA_DIR of a bot that does not run. */
  readonly from: string;
  /** The address of a PostgreSQL. */
  readonly to: string;
  /** Where that address was given; --to unless stated. */
  readonly toGiven?: string;
  /** Called after each part. */
  readonly onProgress?: ((table: string, rows: number) => void) | undefined;
  /** Ends it after the part under way: it can go on later. */
  readonly signal?: AbortSignal | undefined;
}

/** Rows, by table. */
export type Copied = ReadonlyMap<string, number>;

const BATCH_ROWS = 1_000;
const STATEMENT_TIMEOUT_MS = 60_000;

/**
 * Copies the store and the figures of a bot into a PostgreSQL that has none, and compares every row afterwards. What was
 * interrupted goes on where it was when it is called again. Throws an OperatorError; the source is only read.
 */
export async function copyStore({ from, to, toGiven = '--to', onProgress, signal }: CopyOptions): Promise<Copied> {
  const path = join(resolve(from), DATABASE_FILE);
  if (!existsSync(path)) {
    throw new OperatorError(`${resolve(from)} has no data of a bot`, {
      remedy: 'name its DATA_DIR: --from sqlite:FOLDER',
    });
  }
  // What the bot writes during the copy would be lost.
  const lock = lockFolder(openDataFolder(from), 'end that one first, then copy');
  try {
    inspectDatabase(path);
    await prepareDatabase(to, toGiven);
    const client = new pg.Client({
      connectionString: to,
      application_name: 'crier',
      statement_timeout: STATEMENT_TIMEOUT_MS,
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await copyInto(client, path, { toGiven, onProgress, signal });
    } finally {
      await client.end();
    }
  } finally {
    lock.release();
  }
}

async function copyInto(
  client: pg.Client,
  path: string,
  { toGiven, onProgress, signal }: Pick<CopyOptions, 'onProgress' | 'signal'> & { readonly toGiven: string },
): Promise<Copied> {
  // Of two copies at once, one waits for the other, and finds the target full.
  await client.query('SELECT pg_advisory_lock(1131571557, 3)');
  await client.query(`CREATE TABLE IF NOT EXISTS crier.copy_progress (
    fingerprint TEXT NOT NULL, started_ms BIGINT NOT NULL, table_name TEXT PRIMARY KEY, copied BIGINT NOT NULL)`);
  const begun = (await client.query('SELECT * FROM crier.copy_progress')).rows;
  const startedMs = Number(begun[0]?.started_ms ?? Date.now());
  const source = openSource(path, startedMs);
  try {
    const fingerprint = source.fingerprint();
    if (begun.length === 0) await refuseFull(client, toGiven);
    else if (begun.some((row) => row.fingerprint !== fingerprint)) {
      throw new OperatorError(
        `the database of ${toGiven} has the beginning of another copy, or the data has changed since`,
        {
          remedy: 'empty it first (DROP SCHEMA crier CASCADE), then copy anew',
        },
      );
    }
    const copied = new Map<string, number>();
    for (const table of TABLES) {
      const { copied: already = 0 } = begun.find(({ table_name: name }) => name === table.name) ?? {};
      copied.set(table.name, await copyTable(client, table, Number(already), source.rows(table), note));

      async function note(rows: number): Promise<void> {
        await client.query(
          `INSERT INTO crier.copy_progress VALUES ($1, $2, $3, $4)
           ON CONFLICT (table_name) DO UPDATE SET copied = excluded.copied`,
          [fingerprint, startedMs, table.name, rows],
        );
        onProgress?.(table.name, rows);
        signal?.throwIfAborted();
      }
    }
    for (const table of TABLES) await compare(client, table, source, toGiven);
    await client.query('DROP TABLE crier.copy_progress');
    return copied;
  } finally {
    source.close();
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

/** From the row after `already` on. Each part is there with its count, or not at all. */
async function copyTable(
  client: pg.Client,
  { name, columns }: CopiedTable,
  already: number,
  rows: IterableIterator<Row>,
  note: (copied: number) => Promise<void>,
): Promise<number> {
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  const sql = `INSERT INTO crier.${name} (${names.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`;
  let copied = already;
  for (const batch of batches(rows, already)) {
    await client.query('BEGIN');
    try {
      await client.query(
        sql,
        names.map((_, column) => batch.map((row) => row[column])),
      );
      copied += batch.length;
      await note(copied);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {
        // The connection is gone, and with it the transaction: the first error says why.
      });
      throw error;
    }
  }
  return copied;
}

function* batches(rows: IterableIterator<Row>, skip: number): IterableIterator<readonly Row[]> {
  let batch: Row[] = [];
  let number = 0;
  for (const row of rows) {
    number += 1;
    if (number <= skip) continue;
    batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Row by row, as they are read back. */
async function compare(client: pg.Client, table: CopiedTable, source: CopySource, toGiven: string): Promise<void> {
  const { name, columns, key } = table;
  const shown = Object.entries(columns).map(([column, type]) => (type === 'bigint' ? `${column}::text` : column));
  const order = key.map((column) => (columns[column] === 'text' ? `${column} COLLATE "C"` : column));
  const expected = source.rows(table);
  await client.query('BEGIN READ ONLY');
  try {
    await client.query(
      `DECLARE copied CURSOR FOR SELECT ${shown.join(', ')} FROM crier.${name} ORDER BY ${order.join(', ')}`,
    );
    for (;;) {
      const { rows } = await client.query<unknown[]>({ text: `FETCH ${BATCH_ROWS} FROM copied`, rowMode: 'array' });
      for (const row of rows) {
        const next = expected.next().value as Row | undefined;
        if (row.map(String).join('\0') !== next?.map(String).join('\0')) throw differs(name, toGiven);
      }
      if (rows.length < BATCH_ROWS) break;
    }
    if (expected.next().done !== true) throw differs(name, toGiven);
  } finally {
    await client.query('ROLLBACK');
  }
}

const differs = (table: string, toGiven: string) =>
  new OperatorError(`the copy differs from its source (${table})`, {
    remedy: `let nothing else write into the database of ${toGiven}; empty it (DROP SCHEMA crier CASCADE), then copy anew`,
  });
