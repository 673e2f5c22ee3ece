import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Logger } from 'pino';
import { OperatorError } from '../../errors/operator-error.ts';
import { commandOf } from '../../process/package.ts';
import { type Row, SCHEMA_VERSION, type Sql, type Statement, tablesFor } from './sql.ts';

export const DATABASE_FILE = 'crier.sqlite';

const TABLES = tablesFor({
  schema: '',
  text: 'TEXT',
  integer: 'INTEGER',
  real: 'REAL',
  boolean: 'INTEGER',
  options: 'STRICT, WITHOUT ROWID',
});

/** How long a SQLite statement waits for another writing process during the start. The wait blocks the event loop. */
const BUSY_TIMEOUT_AT_START_MS = 500;
/** How long a SQLite statement waits for another process: at most the 20 ms of an audio packet, because the wait stops all audio. */
const BUSY_TIMEOUT_MS = 20;

/**
 * Opens the bot's SQLite database, and creates the tables in a new file. Throws an OperatorError if the file cannot be
 * used, and leaves it unchanged. A damaged database opens read-only. If the tables exist, opening writes nothing, so it
 * works with a locked file or a full disk. The caller must have created the file, so that only its owner can read it.
 */
export function openDatabase(path: string, log: Logger): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_AT_START_MS}`);
    // With `secure_delete`, SQLite overwrites deleted data with zeros, so that nobody can recover it.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
    const isNew = isWithoutTables(database, path);
    const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (found !== 'ok') {
      const damage = damaged(path, String(found));
      if (isNew) throw damage;
      database.exec('PRAGMA query_only = ON');
      log.error({ err: damage }, 'The database is damaged: reading what is left, saving nothing');
    } else if (isNew) {
      makeTables(database, path);
    }
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database?.close();
    throw explain(error, path);
  }
}

/** Statements run synchronously when they are called. No other process may write to the SQLite database. */
export function sqlOf(database: DatabaseSync): Sql {
  const prepared = new Map<string, StatementSync>();
  // This process's id is random, so that rows of an earlier process never seem to be its own.
  const holder = randomInt(1, 2 ** 48 - 1);

  function run([text, ...values]: Statement): readonly Row[] {
    const statement = prepared.get(text) ?? database.prepare(text);
    prepared.set(text, statement);
    return statement.all(Object.fromEntries(values.map((value, index) => [index + 1, value])));
  }

  return {
    schema: '',
    query: async (...statement) => run(statement),
    async transaction(begin) {
      database.exec('BEGIN IMMEDIATE');
      try {
        const steps = begin();
        let step = steps.next([]);
        while (!step.done) step = steps.next(run(step.value));
        database.exec('COMMIT');
        return step.value;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    },
    holder,
    isHolding: (column) => `${column} = ${holder}`,
    inTurn: (_, work) => work(),
    eraseDeleted() {
      const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
      if (busy !== 0) throw new Error('Another program reads the database: its write-ahead log stays as it is');
    },
    close: async () => database.close(),
  };
}

/** Checks a SQLite database, but changes nothing and leaves no files behind. Throws an OperatorError. */
export function inspectDatabase(path: string): void {
  const url = pathToFileURL(path);
  // Reading in WAL mode leaves files behind, except with `immutable`, which ignores a write-ahead log and so is used only without one.
  if (!existsSync(`${path}-wal`)) url.search = 'immutable=1';
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(url, { readOnly: true });
    isWithoutTables(database, path);
    const result = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (result !== 'ok') throw damaged(path, String(result));
  } catch (error) {
    throw explain(error, path);
  } finally {
    database?.close();
  }
}

function makeTables(database: DatabaseSync, path: string): void {
  // Another process may have made the tables before this process got SQLite's write lock.
  database.exec('BEGIN IMMEDIATE');
  if (isWithoutTables(database, path)) database.exec(`${TABLES} PRAGMA user_version = ${SCHEMA_VERSION}`);
  // If creating the tables throws, the caller closes the SQLite database, which rolls back the transaction.
  database.exec('COMMIT');
}

function isWithoutTables(database: DatabaseSync, path: string): boolean {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version === SCHEMA_VERSION) return false;
  if (version === 0) return true;
  throw new OperatorError(
    `${path} was written by another version of Crier (schema ${version}, this one reads ${SCHEMA_VERSION})`,
    {
      remedy: `install that version again, or set DATA_DIR to another folder; ${commandOf('backup', 'FOLDER')} keeps a copy of it`,
    },
  );
}

/** SQLite's result codes: https://www.sqlite.org/rescode.html */
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
export const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

const PROBLEMS: Readonly<Record<number, string>> = {
  [SQLITE_BUSY]: 'another program holds its file',
  [SQLITE_READONLY]: 'its file is read-only, or was found damaged at the start',
  [SQLITE_IOERR]: 'the disk fails',
  [SQLITE_CORRUPT]: 'its file is damaged: stop the bot and put a backup in its place',
  [SQLITE_FULL]: 'the disk is full',
  [SQLITE_NOTADB]: 'its file is damaged: stop the bot and put a backup in its place',
};

const codeOf = (error: unknown): number =>
  (error instanceof Error && 'errcode' in error ? Number(error.errcode) : SQLITE_ERROR) & 0xff;

export const databaseProblem = (error: unknown): string | undefined => PROBLEMS[codeOf(error)];

/** Turns SQLite's error about a database file into an OperatorError; other errors stay as they are. */
function explain(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === SQLITE_ERROR) return error;
  const { message } = error as Error;
  if (code === SQLITE_NOTADB || code === SQLITE_CORRUPT) return damaged(path, message, error);
  return new OperatorError(`${path} cannot be used (${message})`, {
    remedy:
      code === SQLITE_BUSY
        ? 'another program holds it: end that one, then start again'
        : 'this account must be able to write to it and to its folder, on a disk with space left',
    cause: error,
  });
}

function damaged(path: string, why: string, cause?: unknown): OperatorError {
  return new OperatorError(`${path} is damaged, or is no database of Crier's (${why})`, {
    remedy: 'move it away, and the bot starts with empty settings; or put a backup in its place',
    cause,
  });
}
