import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import { openDataFolder } from '../services/storage/data-folder.ts';
import { DATABASE_FILE, inspectDatabase } from '../services/storage/database.ts';
import { clientOf, prepareDatabase } from '../services/storage/postgres/connections.ts';
import { TABLE_NAMES } from '../services/storage/sql.ts';

const BATCH_ROWS = 1_000;
const STATEMENT_TIMEOUT_MS = 60_000;

/** Copies all data into PostgreSQL, or nothing. Throws an OperatorError if the bot runs or a database is unusable. */
export async function copyStore(from: string, to: string): Promise<ReadonlyMap<string, number>> {
  const path = join(resolve(from), DATABASE_FILE);
  if (!existsSync(path)) {
    throw new OperatorError(`${resolve(from)} has no data of a bot`, { remedy: 'check DATA_DIR' });
  }
  // The lock fails if the bot is running, and keeps the bot from starting: its changes during the copy would be lost.
  const lock = openDataFolder(from).lock();
  const client = clientOf(to, { statement_timeout: STATEMENT_TIMEOUT_MS });
  try {
    inspectDatabase(path);
    await prepareDatabase(to);
    await client.connect();
    // A second copy into the database waits here, then finds data and fails: two bots' data must not mix.
    await client.query('BEGIN; SELECT pg_advisory_xact_lock(1131571557, 3)');
    await refuseFull(client);
    const copied = new Map<string, number>();
    const source = new DatabaseSync(path, { readOnly: true });
    try {
      for (const name of TABLE_NAMES) copied.set(name, await copyTable(client, source, name));
    } finally {
      source.close();
    }
    await client.query('COMMIT');
    return copied;
  } finally {
    // Without a commit, PostgreSQL drops all rows copied so far.
    await client.end();
    lock.release();
  }
}

async function refuseFull(client: pg.Client): Promise<void> {
  const remedy = 'copy into an empty database, before any bot has used it';
  const { rows: cells } = await client.query('SELECT name FROM crier.cells WHERE lease_until > clock_timestamp()');
  if (cells.length > 0) throw new OperatorError(`a bot uses the database of STORE_URL (${cells[0]?.name})`, { remedy });
  for (const name of TABLE_NAMES) {
    const { rows } = await client.query(`SELECT EXISTS (SELECT FROM crier.${name}) AS full`);
    if (rows[0]?.full === true)
      throw new OperatorError(`the database of STORE_URL has data of a bot (${name})`, { remedy });
  }
}

async function copyTable(client: pg.Client, source: DatabaseSync, name: string): Promise<number> {
  // SQLite stores booleans as numbers. PostgreSQL reads them from JSON like any other text: 1 becomes true.
  const insert = `INSERT INTO crier.${name} SELECT * FROM json_populate_recordset(NULL::crier.${name}, $1)`;
  let copied = 0;
  let batch: Record<string, SQLOutputValue>[] = [];

  async function write(): Promise<void> {
    await client.query(insert, [JSON.stringify(batch)]);
    copied += batch.length;
    batch = [];
  }

  // The row that the bot's health check writes as a test is not copied, because each process writes its own.
  const condition = name === 'entries' ? "namespace <> 'health'" : 'true';
  for (const row of source.prepare(`SELECT * FROM ${name} WHERE ${condition}`).iterate()) {
    batch.push(row);
    if (batch.length === BATCH_ROWS) await write();
  }
  await write();
  return copied;
}
