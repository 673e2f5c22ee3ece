import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Each entry brings the schema from its index to the next version (SQLite's `user_version`). Never edit one: add one. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE account (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    user_id TEXT NOT NULL,
    credits_left INTEGER NOT NULL CHECK (credits_left >= 0),
    last_updated TEXT
  ) STRICT;
  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('dashboard', 'environment')),
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
    -- NULL when the dashboard's try-it box spoke.
    key_id TEXT REFERENCES api_keys (id),
    state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'refunded')),
    amount INTEGER NOT NULL CHECK (amount >= 0),
    model TEXT NOT NULL,
    voice TEXT NOT NULL,
    created_at TEXT NOT NULL,
    closed_at TEXT
  ) STRICT;
  CREATE INDEX charges_open ON charges (state) WHERE state = 'open';
  `,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

export class StoreError extends Error {
  override name = 'StoreError';
}

export interface Database {
  readonly sqlite: DatabaseSync;
  /** Runs `work` in one transaction: all of it is kept, or nothing. */
  transaction<T>(work: () => T): T;
  close(): void;
}

/** Opens (and makes, and migrates) the service's store in `dataDir`: folder 0700, files 0600. */
export function openDatabase(dataDir: string): Database {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'speech-service.sqlite');
  // Made before SQLite opens it, because SQLite gives its journal files the permissions of the database.
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const sqlite = new DatabaseSync(file, { timeout: 5_000 });
  try {
    // WAL with NORMAL survives the death of the process at any point; only a power cut may lose the last moments.
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    migrate(sqlite, file);
  } catch (error) {
    sqlite.close();
    throw error;
  }
  let open = true;
  return {
    sqlite,
    transaction: (work) => inTransaction(sqlite, work),
    close() {
      if (!open) return;
      open = false;
      sqlite.close();
    },
  };
}

function inTransaction<T>(sqlite: DatabaseSync, work: () => T): T {
  sqlite.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    sqlite.exec('COMMIT');
    return result;
  } catch (error) {
    if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
    throw error;
  }
}

function migrate(sqlite: DatabaseSync, file: string): void {
  inTransaction(sqlite, () => {
    const version = Number(sqlite.prepare('PRAGMA user_version').get()?.user_version ?? 0);
    if (version > SCHEMA_VERSION) {
      throw new StoreError(
        `${file} was written by a newer version of this program (schema ${version}, known up to ${SCHEMA_VERSION}).`,
      );
    }
    for (const step of MIGRATIONS.slice(version)) sqlite.exec(step);
    sqlite.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/**
 * Holds `dataDir` for one running service: a second one would take the first one's open reservations for leftovers of
 * a crash. The lock is SQLite's own lock on a file, so it ends with the process, however that ends.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'speech-service.lock');
  closeSync(openSync(file, 'a', 0o600));
  const sqlite = new DatabaseSync(file, { timeout: 0 });
  try {
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    sqlite.close();
    throw new StoreError(`Another speech service is already running with the data in ${dataDir}.`, { cause: error });
  }
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      sqlite.close();
    },
  };
}
