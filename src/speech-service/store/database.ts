import { chmodSync, closeSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lockFile, makeFolder } from '../../process/files.ts';

/** The version of the store's tables (SQLite's `user_version`). The service rejects a store of another version. */
export const SCHEMA_VERSION = 3;

const SCHEMA = `
  CREATE TABLE account (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    user_id TEXT NOT NULL,
    credits_left INTEGER NOT NULL CHECK (credits_left >= 0),
    last_updated TEXT
  ) STRICT;
  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('dashboard', 'environment', 'earlier')),
    hash TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    revoked_at TEXT
  ) STRICT;
  CREATE TABLE top_ups (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL CHECK (type IN ('purchase', 'topup')),
    amount INTEGER NOT NULL CHECK (amount > 0),
    description TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE charges (
    sequence INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL UNIQUE,
    key_id TEXT REFERENCES api_keys (id),
    state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'refunded', 'lost')),
    amount INTEGER NOT NULL CHECK (amount >= 0),
    model TEXT NOT NULL,
    voice TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX charges_open ON charges (state) WHERE state = 'open';
`;

/** Summing all charges is slow, so triggers keep daily totals, even if release 0.1.0 writes charges after a downgrade. */
const USAGE = `
  CREATE TABLE usage (
    day TEXT PRIMARY KEY,
    requests INTEGER NOT NULL,
    amount INTEGER NOT NULL
  ) STRICT;
  INSERT INTO usage SELECT substr(created_at, 1, 10) AS day, count(*), sum(amount)
    FROM charges WHERE state <> 'refunded' GROUP BY day;
  CREATE TRIGGER usage_charged AFTER INSERT ON charges BEGIN
    INSERT INTO usage VALUES (substr(new.created_at, 1, 10), 1, new.amount)
      ON CONFLICT (day) DO UPDATE SET requests = requests + 1, amount = amount + excluded.amount;
  END;
  CREATE TRIGGER usage_corrected AFTER UPDATE ON charges BEGIN
    UPDATE usage SET
      requests = requests - (old.state <> 'refunded') + (new.state <> 'refunded'),
      amount = amount - old.amount * (old.state <> 'refunded') + new.amount * (new.state <> 'refunded')
      WHERE day = substr(new.created_at, 1, 10);
  END;
`;

export type Database = ReturnType<typeof asDatabase>;

const DATABASE = 'speech-service.sqlite';

export const databaseFile = (dataDir: string): string => join(dataDir, DATABASE);

/** Creates a missing store. Throws an error that names the file if it is unusable, and leaves it unchanged. */
export function openLedgerDatabase(dataDir: string): Database {
  const file = privateFile(dataDir, DATABASE);
  let sqlite: DatabaseSync | undefined;
  try {
    sqlite = new DatabaseSync(file, { timeout: 5_000 });
    // With WAL and NORMAL, SQLite loses nothing if the process dies. Only a power cut may lose the last transactions.
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    const database = asDatabase(sqlite);
    database.transaction(() => makeTables(database.sqlite, file));
    return database;
  } catch (error) {
    sqlite?.close();
    throw explain(
      error,
      file,
      'Move it away, and the service starts with a new account and new keys; or put a backup in its place.',
    );
  }
}

const asDatabase = (sqlite: DatabaseSync) => ({
  sqlite,
  transaction<T>(work: () => T): T {
    sqlite.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      sqlite.exec('COMMIT');
      return result;
    } catch (error) {
      if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
      throw error;
    }
  },
  close() {
    if (sqlite.isOpen) sqlite.close();
  },
});

function makeTables(sqlite: DatabaseSync, file: string): void {
  const version = Number(sqlite.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version === 0) sqlite.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}`);
  else if (version !== SCHEMA_VERSION) {
    const versions = `(${version}, not ${SCHEMA_VERSION})`;
    throw new Error(`${file} was written by another version of this program ${versions}.`);
  }
  // A store from release 0.1.0 lacks the table of daily usage, so it is added.
  if (sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'usage'").get() === undefined) sqlite.exec(USAGE);
}

/** Locks out a second service, which would close open charges of the first. The lock ends with the process. */
export function lockDataDir(dataDir: string): { release(): void } {
  const file = privateFile(dataDir, 'speech-service.lock');
  let lock: ReturnType<typeof lockFile>;
  try {
    lock = lockFile(file);
  } catch (error) {
    throw explain(error, file, 'Nothing is kept in it: delete it, then start again.');
  }
  if (lock) return lock;
  throw new Error(`Another speech service is already running with the data in ${dataDir}.`);
}

/** Result codes of SQLite: https://www.sqlite.org/rescode.html */
const SQLITE_ERROR = 1;
const DAMAGED = [11, 26];

function explain(error: unknown, file: string, remedy: string): unknown {
  // SQLite's extended result codes have the basic code in their lowest byte.
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : SQLITE_ERROR;
  if (code === SQLITE_ERROR) return error;
  const { message } = error as Error;
  const what = DAMAGED.includes(code)
    ? `is damaged, or is no database of this program (${message}). ${remedy}`
    : `cannot be used (${message}). This account must be able to write to it and to its folder, on a disk with space left, and no other program may hold it.`;
  return new Error(`${file} ${what}`, { cause: error });
}

/** Makes a file that only its owner can read (mode 0600). SQLite gives its journals the mode of the database file. */
export function privateFile(dataDir: string, name: string): string {
  const file = join(dataDir, name);
  try {
    makeFolder(resolve(dataDir), 0o700);
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    return file;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new Error(
      `${file} cannot be used (${code}). ${dataDir} must be a folder that this account may write to, or one that it can create.`,
      { cause: error },
    );
  }
}
