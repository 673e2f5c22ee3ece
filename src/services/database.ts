import { DatabaseSync } from 'node:sqlite';

/** Each entry brings a database one version up. Never changed once released: a change is one more entry. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE entries (
     namespace TEXT NOT NULL,
     key TEXT NOT NULL,
     value TEXT NOT NULL,
     expires_at INTEGER,
     PRIMARY KEY (namespace, key)
   ) STRICT, WITHOUT ROWID`,
];

/** How long a statement waits for another process that is writing; it blocks the event loop, so it is short. */
const BUSY_TIMEOUT_MS = 500;

/**
 * Opens the bot's database and upgrades it to this version's tables: wholly or not at all. Throws when the file is from a
 * newer version. Other migrations than this version's only in tests.
 */
export function openDatabase(path: string, migrations: readonly string[] = MIGRATIONS): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    migrate(database, path, migrations);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

function migrate(database: DatabaseSync, path: string, migrations: readonly string[]): void {
  // Looked at under the lock: of two processes that open an old file at once, one finds the work done.
  database.exec('BEGIN IMMEDIATE');
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version > migrations.length) {
    throw new Error(
      `${path} was written by a newer version of Crier (schema ${version}, this one knows ${migrations.length}): install that version again, or set DATA_DIR to another folder`,
    );
  }
  for (const statements of migrations.slice(version)) database.exec(statements);
  // What throws before this is undone when the database is closed.
  database.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`);
}
