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

/**
 * The write-ahead log still has what was overwritten in the file: it is emptied into it. It may wait for the disk. Throws where
 * another program reads the file.
 */
function emptyWriteAheadLog(database: DatabaseSync): void {
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
  if (busy !== 0) throw new Error('Another program reads the database: its write-ahead log stays as it is');
}

/** How long a statement waits for another process that is writing, at the start: it blocks the event loop. */
const BUSY_TIMEOUT_AT_START_MS = 500;
/**
 * The same while the bot speaks, where it stops the sound of all servers: a packet's time. The bot's own connections never
 * meet, since all of them are this thread's, and a backup only reads.
 */
const BUSY_TIMEOUT_MS = 20;

/**
 * Opens the bot's database, and makes its tables in a new one. If the file is no database, has another version or
 * cannot be used, it throws an OperatorError and leaves the file as it is. A database with damaged parts opens for
 * reading only, which `onDamage` reports: its readable data must not be overwritten. Opening writes nothing if the
 * tables exist, so it works with a locked file and a full disk.
 */
export function openDatabase(path: string, onDamage?: (error: OperatorError) => void): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_AT_START_MS}`);
    // What is deleted is overwritten, too.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
    const isNew = isWithoutTables(database, path);
    const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (found !== 'ok') {
      const damage = damaged(path, String(found));
      if (isNew) throw damage;
      database.exec('PRAGMA query_only = ON');
      onDamage?.(damage);
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

/** The bot's tables in a SQLite file, which must exist: its access rights are decided where it is made. */
export const openSqlite = (path: string, log: Logger): Sql =>
  sqlOf(
    openDatabase(path, (error) =>
      log.error({ err: error }, 'The database is damaged: opened read-only, as far as possible'),
    ),
  );

/** The bot's tables in this file, as the one process that has it open. Statements are done when they are called. */
export function sqlOf(database: DatabaseSync): Sql {
  const prepared = new Map<string, StatementSync>();
  // Each start gets another one, so that nothing is held under an earlier process's id.
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
    eraseDeleted: () => emptyWriteAheadLog(database),
    close: async () => database.close(),
  };
}

/** Throws what opening the database would throw, and reads it to its end; changes nothing and leaves nothing behind. */
export function inspectDatabase(path: string): void {
  const url = pathToFileURL(path);
  // A reader makes a journal that it does not take away. One is there while the bot runs, and only then is one needed.
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
  // Looked at under the lock: of two processes that open a new file at once, one finds the work done.
  database.exec('BEGIN IMMEDIATE');
  if (isWithoutTables(database, path)) database.exec(`${TABLES} PRAGMA user_version = ${SCHEMA_VERSION}`);
  // What throws before this is undone when the database is closed.
  database.exec('COMMIT');
}

function isWithoutTables(database: DatabaseSync, path: string): boolean {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version === SCHEMA_VERSION) return false;
  if (version === 0) return true;
  throw new OperatorError(
    `${path} was written by another version of Crier (schema ${version}, this one reads ${SCHEMA_VERSION})`,
    {
      remedy: `install that version again, or set DATA_DIR to another folder; ${commandOf('backup', 'FILE')} keeps a copy of it`,
    },
  );
}

/** SQLite's result codes; https://www.sqlite.org/rescode.html */
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

const PROBLEMS: Readonly<Record<number, string>> = {
  [SQLITE_BUSY]: 'another program holds its file',
  [SQLITE_READONLY]: 'its file is read-only, or was found damaged at the start',
  [SQLITE_IOERR]: 'the disk fails',
  [SQLITE_CORRUPT]: 'its file is damaged: stop the bot and put a backup in its place',
  [SQLITE_FULL]: 'the disk is full',
  [SQLITE_NOTADB]: 'its file is damaged: stop the bot and put a backup in its place',
};

/** The low byte is the kind, the rest says more about it. */
const codeOf = (error: unknown): number =>
  (error instanceof Error && 'errcode' in error ? Number(error.errcode) : SQLITE_ERROR) & 0xff;

/** What is wrong with a database, in words; undefined for errors that are not SQLite's, or say nothing of its file. */
export const databaseProblem = (error: unknown): string | undefined => PROBLEMS[codeOf(error)];

/** The meaning of SQLite's complaint about a file to the operator; other errors stay as they are. */
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
