import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { OperatorError } from '../../errors/operator-error.ts';

/** The bot's database, by its name in DATA_DIR. */
export const DATABASE_FILE = 'crier.sqlite';

/**
 * Each entry brings a database one version up. Never changed once released: a change is one more entry, one a release at
 * most. It only adds (tables, columns with a default), so that the release before can use the database, too.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE entries (
     namespace TEXT NOT NULL,
     key TEXT NOT NULL,
     value TEXT NOT NULL,
     expires_at INTEGER,
     PRIMARY KEY (namespace, key)
   ) STRICT, WITHOUT ROWID`,
  // Use by day. An empty user_id counts a whole server, an empty guild_id a person everywhere, both empty everything.
  `CREATE TABLE spending_days (
     guild_id TEXT NOT NULL,
     user_id TEXT NOT NULL,
     day TEXT NOT NULL,
     millicredits INTEGER NOT NULL,
     cached INTEGER NOT NULL,
     kept_until TEXT NOT NULL,
     PRIMARY KEY (guild_id, user_id, day)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE spending_reservations (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     day TEXT NOT NULL,
     guild_id TEXT NOT NULL,
     user_id TEXT NOT NULL,
     model TEXT NOT NULL,
     characters INTEGER NOT NULL,
     millicredits INTEGER NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('reserved', 'unknown'))
   ) STRICT;
   CREATE TABLE spending_rates (
     model TEXT PRIMARY KEY,
     characters REAL NOT NULL,
     credits REAL NOT NULL
   ) STRICT, WITHOUT ROWID`,
  // What a reservation is for: its bill is counted for the command, too. Whether its request may have reached the service:
  // those of earlier versions may have.
  `ALTER TABLE spending_reservations ADD COLUMN spent_by TEXT NOT NULL DEFAULT '';
   ALTER TABLE spending_reservations ADD COLUMN sent INTEGER NOT NULL DEFAULT 1`,
];

/**
 * The write-ahead log still has what was overwritten in the file: it is emptied into it. It may wait for the disk. Throws where
 * another program reads the file.
 */
export function emptyWriteAheadLog(database: DatabaseSync): void {
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
  if (busy !== 0) throw new Error('Another program reads the database: its write-ahead log stays as it is');
}

/** The mark of a file without remains of what versions before this deleted, which did not overwrite it. */
const WITHOUT_REMAINS = 0x43_72_65_72;
/** A database of up to this size is rewritten in memory: the folder for temporary files may be small. */
const MOST_BYTES_IN_MEMORY = 64 * 1024 * 1024;

/** Rewrites the file, once. Where that cannot be done, it is used as it is, and the next start tries again. */
function removeRemains(database: DatabaseSync, onFailure: (error: unknown) => void = () => undefined): void {
  const numberOf = (pragma: string) => Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
  if (numberOf('application_id') === WITHOUT_REMAINS) return;
  const isSmall = numberOf('page_count') * numberOf('page_size') <= MOST_BYTES_IN_MEMORY;
  try {
    database.exec(`PRAGMA temp_store = ${isSmall ? 'MEMORY' : 'DEFAULT'}; VACUUM`);
    database.exec(`PRAGMA application_id = ${WITHOUT_REMAINS}`);
    emptyWriteAheadLog(database);
  } catch (error) {
    onFailure(error);
  } finally {
    database.exec('PRAGMA temp_store = DEFAULT');
  }
}

/** How long a statement waits for another process that is writing, at the start: it blocks the event loop. */
const BUSY_TIMEOUT_AT_START_MS = 500;
/**
 * The same while the bot speaks, where it stops the sound of all servers: a packet's time. The bot's own connections never
 * meet, since all of them are this thread's, and a backup only reads.
 */
const BUSY_TIMEOUT_MS = 20;

/**
 * Opens the bot's database and upgrades it to this version's tables: wholly or not at all. One of the next version is
 * used as it is. Throws an OperatorError when the file is no database, is from a version further on or cannot be used; it
 * is left as it is then. A database with this version's tables and damaged parts opens for reading only, which `onDamage`
 * is told: what can still be read of it is not overwritten. Nothing has to be written into a database that needs no upgrade,
 * so that it opens while it is locked and while the disk is full; `onRemains` is told where what earlier versions deleted
 * could not be removed from it. Other migrations than this version's only in tests.
 */
export function openDatabase(
  path: string,
  {
    migrations = MIGRATIONS,
    onDamage,
    onRemains,
  }: {
    migrations?: readonly string[];
    onDamage?: (error: OperatorError) => void;
    onRemains?: (error: unknown) => void;
  } = {},
): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_AT_START_MS}`);
    // What is deleted is overwritten, too.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
    const version = checkVersion(database, path, migrations);
    const isCurrent = version >= migrations.length;
    const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (found !== 'ok') {
      const damage = damaged(path, String(found));
      if (!isCurrent) throw damage;
      database.exec('PRAGMA query_only = ON');
      onDamage?.(damage);
    } else {
      if (!isCurrent) migrate(database, path, migrations);
      if (version === 0) database.exec(`PRAGMA application_id = ${WITHOUT_REMAINS}`);
      else removeRemains(database, onRemains);
    }
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database?.close();
    throw explain(error, path);
  }
}

/**
 * Throws what opening the database would throw, and reads it to its end; changes nothing and leaves nothing behind. Returns
 * how many values are set aside because this or an earlier version could not read them, by table.
 */
export function inspectDatabase(path: string, migrations: readonly string[] = MIGRATIONS): Map<string, number> {
  const url = pathToFileURL(path);
  // A reader makes a journal that it does not take away. One is there while the bot runs, and only then is one needed.
  if (!existsSync(`${path}-wal`)) url.search = 'immutable=1';
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(url, { readOnly: true });
    checkVersion(database, path, migrations);
    const result = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (result !== 'ok') throw damaged(path, String(result));
    return setAside(database);
  } catch (error) {
    throw explain(error, path);
  } finally {
    database?.close();
  }
}

function setAside(database: DatabaseSync): Map<string, number> {
  if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'entries'").get()) return new Map();
  const rows = database
    .prepare(
      `SELECT namespace, COUNT(*) AS count FROM entries
       WHERE namespace LIKE '%.unreadable' AND (expires_at IS NULL OR expires_at > ?) GROUP BY namespace`,
    )
    .all(Date.now());
  return new Map(rows.map(({ namespace, count }) => [String(namespace).replace(/\.unreadable$/, ''), Number(count)]));
}

function migrate(database: DatabaseSync, path: string, migrations: readonly string[]): void {
  // Looked at under the lock: of two processes that open an old file at once, one finds the work done.
  database.exec('BEGIN IMMEDIATE');
  const version = checkVersion(database, path, migrations);
  for (const statements of migrations.slice(version)) database.exec(statements);
  // What throws before this is undone when the database is closed. The next version finds its own number again.
  database.exec(`PRAGMA user_version = ${Math.max(version, migrations.length)}; COMMIT`);
}

function checkVersion(database: DatabaseSync, path: string, migrations: readonly string[]): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  // A migration only adds: the tables of the next version hold all of this one's.
  const readable = migrations.length + 1;
  if (version <= readable) return version;
  throw new OperatorError(
    `${path} was written by a newer version of Crier (schema ${version}, this one reads up to ${readable})`,
    { remedy: 'install that version again, or set DATA_DIR to another folder' },
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
