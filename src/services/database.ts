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

/** Opens the bot's database and upgrades it to this version's tables. Throws when the file is from a newer version. */
export function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    migrate(database, path);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

function migrate(database: DatabaseSync, path: string): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version > MIGRATIONS.length) {
    throw new Error(
      `${path} was written by a newer version of Crier (schema ${version}, this one knows ${MIGRATIONS.length}): install that version again, or set DATA_DIR to another folder`,
    );
  }
  for (const [index, statements] of MIGRATIONS.entries()) {
    if (index < version) continue;
    database.exec(`BEGIN IMMEDIATE; ${statements}; PRAGMA user_version = ${index + 1}; COMMIT`);
  }
}
