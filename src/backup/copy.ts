import {
  chmodSync,
  copyFileSync,
  type Dirent,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../errors/operator-error.ts';
import { DATABASE_FILE, SQLITE_FULL } from '../services/storage/database.ts';

/** Files of a running process: journals, locks, the heartbeat and the dashboard's one-time address. */
const TRANSIENT = /(?:-wal|-shm|-journal|\.lock|\.new)$|^heartbeat$|^dashboard-address$/;
/**
 * Cached audio and voices can be made or downloaded again. `.crier-…` is the unfinished folder of a killed backup, and
 * `replaced-…` is data that version 0.1.0 moved away when it restored a backup.
 */
const LEFT_OUT = /(?:^|\/)clips$|^playground$|^voices$|\.backup$|(?:^|\/)\.crier-[^/]+$|^replaced-/;

/**
 * The paths of files to copy, and paths left out on purpose, of which a folder's ends in a slash. Files of a running
 * process are not listed. Subfolders belong to the backup, too: a separate speech service may keep its data there.
 */
function* contentsOf(dataDir: string, folder = ''): Generator<{ readonly name: string; readonly isTaken: boolean }> {
  for (const entry of entriesIn(join(dataDir, folder))) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isSocket() || (entry.isFile() && TRANSIENT.test(entry.name))) continue;
    const isLeftOut = LEFT_OUT.test(name);
    if (!entry.isDirectory()) yield { name, isTaken: !isLeftOut && entry.isFile() };
    else if (isLeftOut) yield { name: `${name}/`, isTaken: false };
    else yield* contentsOf(dataDir, name);
  }
}

function entriesIn(folder: string): Dirent[] {
  try {
    return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  } catch (error) {
    throw unreadable(folder, error);
  }
}

const unreadable = (path: string, error: unknown) =>
  new OperatorError(`${path} cannot be read (${(error as Error).message})`, {
    remedy: 'run this with the account that runs the bot; a damaged file has to be moved away first',
    cause: error,
  });

const unwritable = (path: string, error: unknown) =>
  new OperatorError(`${path} cannot be written (${(error as Error).message})`, {
    remedy: 'name a folder in one that has room, and that this account may write to',
    cause: error,
  });

/** True if the backup's folder has no room: the message must then blame the folder, not the copied file. */
const isFull = (error: unknown) =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '') ||
  (error as { errcode?: number }).errcode === SQLITE_FULL;

/** Backs up a bot's data even while the bot runs. If the copy fails, throws an OperatorError and leaves no folder. */
export function saveBackup(dataDir: string, target: string) {
  const folder = resolve(target);
  if (existsSync(folder)) {
    throw new OperatorError(`${folder} is there already`, {
      remedy: 'name a new folder, so that no older backup is lost',
    });
  }
  // A backup inside DATA_DIR must end in `.backup`: otherwise the next backup would copy it as data of the bot.
  if (folder.startsWith(resolve(dataDir) + sep) && !folder.endsWith('.backup')) {
    throw new OperatorError(`${folder} is in DATA_DIR`, {
      remedy: 'name a folder elsewhere, or one whose name ends in .backup',
    });
  }
  const contents = [...contentsOf(dataDir)];
  const names = contents.filter(({ isTaken }) => isTaken).map(({ name }) => name);
  const leftOut = contents.filter(({ isTaken }) => !isTaken).map(({ name }) => name);
  if (!names.includes(DATABASE_FILE)) {
    throw new OperatorError(`${resolve(dataDir)} has no data of a bot`, {
      remedy: 'check DATA_DIR; the data of a speech service alone can be copied while the service is stopped',
    });
  }
  let scratch: string;
  try {
    scratch = mkdtempSync(join(dirname(folder), '.crier-'));
  } catch (error) {
    throw unwritable(folder, error);
  }
  try {
    for (const name of names) copy(join(dataDir, name), join(scratch, name));
    renameSync(scratch, folder);
    return { folder, names, leftOut };
  } catch (error) {
    throw isFull(error) ? unwritable(folder, error) : error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Only the owner can read the copy. SQLite itself copies databases, because the bot may write during the backup. */
function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    if (!from.endsWith('.sqlite')) copyFileSync(from, to);
    else {
      inDatabase(from, (source) => source.prepare('VACUUM INTO ?').run(to));
      // Queued texts are removed from the backup, because they are only useful for minutes.
      const withoutTexts = "DELETE FROM entries WHERE namespace LIKE 'accepted-%'; VACUUM";
      if (basename(from) === DATABASE_FILE) inDatabase(to, (copied) => copied.exec(withoutTexts));
    }
  } catch (error) {
    throw isFull(error) ? error : unreadable(from, error);
  }
  chmodSync(to, 0o600);
}

function inDatabase(path: string, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    work(database);
  } finally {
    database.close();
  }
}
