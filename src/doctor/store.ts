import { existsSync, mkdtempSync, readdirSync, rmSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../errors/operator-error.ts';
import { folderProblem } from '../services/storage/data-folder.ts';
import { DATABASE_FILE, inspectDatabase } from '../services/storage/database.ts';
import { withDeadline } from '../services/time/timers.ts';
import { attention, blocking, type Finding, good, reason } from './finding.ts';

const NO_SETTINGS = 'The bot cannot read or keep its settings, and does not start.';

/** The mode bits of other accounts. Omits the group's bits if another account owns the file: the bot then uses them, as on Kubernetes. */
function bitsOfOthers({ uid }: Stats): number {
  const own = process.getuid?.();
  if (own === undefined) return 0;
  return own === 0 || own === uid ? 0o077 : 0o007;
}

/** True if other accounts have access to a file. False if the file does not exist. */
export function isOpenToOthers(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & bitsOfOthers(stats)) !== 0;
}

/** Throws if SQLite cannot create and read a database in `folder`. */
function trySqlite(folder: string): void {
  const scratch = mkdtempSync(join(folder, '.doctor-'));
  try {
    const database = new DatabaseSync(join(scratch, 'probe.sqlite'));
    try {
      database.exec('PRAGMA journal_mode = WAL; CREATE TABLE probe (value TEXT); INSERT INTO probe VALUES (1);');
      database.prepare('SELECT value FROM probe').get();
    } finally {
      database.close();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Lists files that other accounts can read or change, and folders in which they can replace files. */
function openTo(others: number, folder: string, below = ''): string[] {
  const { mode } = statSync(join(folder, below));
  // Other accounts cannot reach any file in a folder that they cannot enter.
  if ((mode & others & 0o011) === 0) return [];
  const entries = readdirSync(join(folder, below), { withFileTypes: true });
  const found = entries.flatMap((entry) => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return openTo(others, folder, path);
    return entry.isFile() && (statSync(join(folder, path)).mode & others & 0o066) !== 0 ? [path] : [];
  });
  return (mode & others & 0o022) === 0 ? found : [below || '.', ...found];
}

function foundFolder(subject: string, folder: string, found: string): Finding {
  const others = bitsOfOthers(statSync(folder));
  const open = openTo(others, folder);
  if (open.length === 0) return good(subject, found);
  return attention(
    subject,
    `${found}, open to others: ${open.join(', ')}`,
    'Other accounts on this machine can read or change what the bot keeps there.',
    `chmod -R ${others & 0o070 ? 'go' : 'o'}= '${folder}'`,
  );
}

/** Reports if the bot can use the folder DATA_DIR when its settings are in PostgreSQL. `dataDir` must be a valid value of DATA_DIR. */
export function checkDataFolder(dataDir: string): Finding {
  const folder = resolve(dataDir);
  if (!existsSync(folder)) return good('DATA_DIR', `${folder} will be created`);
  return foundFolder('DATA_DIR', folder, folder);
}

/** Checks that the bot can store its data in DATA_DIR, and that no other account can read it. Leaves no file behind. */
export function checkStore(dataDir: string): Finding {
  const folder = resolve(dataDir);
  const problem = folderProblem(folder);
  if (problem !== undefined) {
    const remedy = 'Set DATA_DIR to a folder that this account can write to.';
    return blocking('store', `DATA_DIR ${problem}`, NO_SETTINGS, remedy);
  }
  const version = `SQLite ${process.versions.sqlite}`;
  if (!existsSync(folder)) return good('store', `${folder} will be created (${version})`);
  try {
    trySqlite(folder);
    if (existsSync(join(folder, DATABASE_FILE))) inspectDatabase(join(folder, DATABASE_FILE));
    return foundFolder('store', folder, `${folder} (${version})`);
  } catch (error) {
    const known = error instanceof OperatorError ? error : undefined;
    const found = known?.what ?? `${folder} cannot be used: ${reason(error)}`;
    const remedy = known?.remedy ?? 'make sure that this account can write there';
    return blocking('store', found, NO_SETTINGS, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`);
  }
}

const POSTGRES_TIMEOUT_MS = 5_000;

/** Only reads: asks PostgreSQL whether the user of STORE_URL is allowed to create the bot's tables. */
export async function checkSharedStore(url: string, signal: AbortSignal): Promise<Finding> {
  const { host, pathname } = new URL(url);
  const where = `database ${decodeURIComponent(pathname.slice(1))} at ${host}`;
  const { inspectPostgres } = await import('../services/storage/postgres/connections.ts');
  const { postgresProblem } = await import('../services/storage/sql.ts');
  try {
    const limits = { timeoutMs: POSTGRES_TIMEOUT_MS, what: 'Asking it', signal };
    const { version, mayMakeTables } = await withDeadline(inspectPostgres(url), limits);
    const found = `PostgreSQL ${version}, ${where}`;
    if (mayMakeTables) return good('STORE_URL', found);
    const remedy = 'Let STORE_URL name the owner of the database, or grant that user CREATE on it.';
    return blocking('STORE_URL', `${found}: the user may make no tables there`, NO_SETTINGS, remedy);
  } catch (error) {
    const remedy = 'Check the address, the user and the password, and that PostgreSQL runs and lets this machine in.';
    return blocking('STORE_URL', `${where}: ${postgresProblem(error) ?? reason(error)}`, NO_SETTINGS, remedy);
  }
}
