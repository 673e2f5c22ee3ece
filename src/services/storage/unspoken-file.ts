import { rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** By its name in DATA_DIR: a file of its own, which no backup has. */
export const UNSPOKEN_FILE = 'unspoken.sqlite';

/** Of the tables: a file of another version is made anew. Its texts wait for minutes. */
const VERSION = 1;

const TABLES = `
  CREATE TABLE texts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    accepted_at_ms INTEGER NOT NULL,
    state TEXT NOT NULL,
    heard_ms INTEGER NOT NULL,
    position INTEGER NOT NULL,
    comebacks INTEGER NOT NULL,
    words BLOB,
    origin BLOB NOT NULL
  ) STRICT;
  CREATE TABLE purchases (
    key TEXT PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    paid BLOB
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${VERSION}`;

/**
 * The file for what has to outlive the process for some minutes. What is written survives the end of the process, however
 * it ends; it is not flushed, so that no write waits for the disk, and a machine that loses its power may lose it. A
 * damaged file is made anew. Throws SQLite's error where there can be none.
 */
export function openUnspokenFile(path: string): DatabaseSync {
  try {
    return open(path);
  } catch {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    writeFileSync(path, '', { mode: 0o600 });
    return open(path);
  }
}

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON');
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
    if (version === 0) database.exec(`BEGIN; ${TABLES}; COMMIT`);
    else if (version !== VERSION) throw new Error(`Schema ${version} instead of ${VERSION}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
