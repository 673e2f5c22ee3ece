import {
  closeSync,
  type Dirent,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { deflateSync, inflateSync } from 'node:zlib';
import { OperatorError } from '../errors/operator-error.ts';
import { lockFile } from '../process/files.ts';
import { commandOf } from '../process/package.ts';
import { LOCK_FILE, lockFolder, nearestExisting, openDataFolder } from '../services/storage/data-folder.ts';
import { DATABASE_FILE, inspectDatabase } from '../services/storage/database.ts';

// A backup is one SQLite Archive, which `sqlite3 -A` lists and unpacks too: https://www.sqlite.org/sqlar.html

/**
 * The application id of each backup, to recognize Crier's backups among other programs' archives: arbitrary, 'Crie' in
 * ASCII.
 */
const APPLICATION_ID = 0x43_72_69_65;
/** Backup format 2 has files of any folder; backup format 1 has only files of the bot and of the built-in voice. */
const FORMAT_VERSION = 2;
const FILE_MODE = 0o100600;

/** The folders of the bot and of the built-in voice. Their data belongs together, so restoring replaces all of it. */
const OWN_FOLDERS: readonly string[] = ['', 'speech'];
/**
 * Journals, locks, the heartbeat and the dashboard's one-time address belong to a running process, so backups leave
 * them out.
 */
const TRANSIENT = /(?:-wal|-shm|-journal|\.lock|\.new)$|^heartbeat$|^dashboard-address$/;
const LOCK = /^(?:crier|speech-service)\.lock$/;
const PLAIN_NAME = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;
/**
 * Backups leave out audio that can be generated again, neural voices, which can be downloaded again, the playground's
 * recordings and logs, and data that a restore has replaced.
 */
const LEFT_OUT = /(?:^|\/)clips$|^playground$|^voices$|^replaced-/;

interface Contents {
  readonly names: readonly string[];
  readonly locks: readonly string[];
  /** Folders, files and links that are not in the backup; a folder ends in a slash. */
  readonly leftOut: readonly string[];
}

interface Backup {
  readonly file: string;
  readonly names: readonly string[];
}

/** Lists all files to back up below DATA_DIR, including the data of a separate speech service and of the playground. */
function contentsOf(dataDir: string, folder = ''): Contents {
  const names: string[] = [];
  const locks: string[] = [];
  const leftOut: string[] = [];
  for (const entry of entriesIn(join(dataDir, folder))) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (LOCK.test(entry.name)) locks.push(name);
    if (entry.isSocket() || (entry.isFile() && TRANSIENT.test(entry.name))) continue;
    // Files of other programs (.DS_Store) are no data, and restoring would reject their names.
    const isPlain = PLAIN_NAME.test(entry.name);
    if (isPlain && entry.isFile() && !isBackup(join(dataDir, name))) names.push(name);
    else if (isPlain && entry.isDirectory() && !LEFT_OUT.test(name)) {
      const within = contentsOf(dataDir, name);
      names.push(...within.names);
      locks.push(...within.locks);
      leftOut.push(...within.leftOut);
    } else leftOut.push(entry.isDirectory() ? `${name}/` : name);
  }
  return { names, locks, leftOut };
}

/**
 * True if the file is a backup of Crier: including earlier backups would make each new backup bigger. SQLite's
 * application id is at byte 68: https://www.sqlite.org/fileformat.html
 */
function isBackup(path: string): boolean {
  const header = Buffer.alloc(72);
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    readSync(file, header);
  } catch {
    // An unreadable file counts as no backup, because copying it reports the same error to the user.
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return header.toString('latin1', 0, 15) === 'SQLite format 3' && header.readUInt32BE(68) === APPLICATION_ID;
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

/**
 * Copies a bot's data into a new file, even while the bot runs. Throws an OperatorError and then leaves no incomplete
 * file.
 */
export async function saveBackup(
  dataDir: string,
  target: string,
  nowMs = Date.now(),
): Promise<Backup & { readonly leftOut: readonly string[] }> {
  const file = resolve(target);
  if (existsSync(file)) {
    throw new OperatorError(`${file} is there already`, { remedy: 'name a new file, so that no older backup is lost' });
  }
  const { names, leftOut } = contentsOf(dataDir);
  if (!names.includes(DATABASE_FILE)) {
    const service = names.find((name) => /(?:^|\/)speech-service\.sqlite$/.test(name));
    throw new OperatorError(
      `${resolve(dataDir)} has no data of a bot${service === undefined ? '' : ', only of a speech service'}`,
      {
        remedy:
          service === undefined
            ? 'check DATA_DIR'
            : `check DATA_DIR; of a speech service alone, end it and copy ${resolve(dataDir, dirname(service))}`,
      },
    );
  }
  const scratch = inFolderOf(file, (folder) => mkdtempSync(join(folder, '.crier-backup-')));
  try {
    const path = join(scratch, 'backup');
    writeFileSync(path, '', { mode: 0o600 });
    const archive = new DatabaseSync(path);
    try {
      archive.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION};
        CREATE TABLE sqlar (name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)`);
      const insert = archive.prepare('INSERT INTO sqlar VALUES (?, ?, ?, ?, ?)');
      for (const name of names) {
        const bytes = await contentOf(join(dataDir, name), join(scratch, 'copy'));
        const packed = deflateSync(bytes);
        const data = packed.length < bytes.length ? packed : bytes;
        insert.run(name, FILE_MODE, Math.floor(nowMs / 1000), bytes.length, data);
      }
    } finally {
      archive.close();
    }
    renameSync(path, file);
    return { file, names, leftOut };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Reads a file for the backup. SQLite copies a database page by page under its own locks: the copy is consistent while
 * the bot writes.
 */
async function contentOf(path: string, copy: string): Promise<Buffer> {
  try {
    if (!path.endsWith('.sqlite')) return readFileSync(path);
    const source = new DatabaseSync(path, { timeout: 5_000 });
    try {
      await backup(source, copy);
      if (basename(path) === DATABASE_FILE) dropTextsThatWait(copy);
    } finally {
      source.close();
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  const bytes = readFileSync(copy);
  rmSync(copy);
  return bytes;
}

/** Removes queued texts from the backup's copy of a database, because they are only useful for minutes. */
function dropTextsThatWait(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA journal_mode = DELETE; DELETE FROM entries WHERE namespace LIKE 'accepted-%'; VACUUM");
  } finally {
    database.close();
  }
}

function inFolderOf<Result>(file: string, work: (folder: string) => Result): Result {
  try {
    return work(dirname(file));
  } catch (error) {
    throw new OperatorError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      remedy: 'name a file in a folder that this account may write to',
      cause: error,
    });
  }
}

interface Restored extends Backup {
  readonly madeAtMs: number;
  /** The folder to which the restore moved the former data; undefined if there was none. */
  readonly replaced: string | undefined;
}

/**
 * Replaces the data in `dataDir` by a backup. The former data is moved aside, not deleted; folders that the backup
 * lacks stay. Everything is read and checked before any file is moved. Throws an OperatorError if the file is no
 * backup, or if a bot or a speech service uses the data.
 */
export function restoreBackup(dataDir: string, source: string, nowMs = Date.now()): Restored {
  const file = resolve(source);
  const { entries, madeAtMs } = readBackup(file);
  const existing = nearestExisting(resolve(dataDir));
  const giveAway = giveAwayAsRoot(existing);
  const folder = openDataFolder(dataDir);
  const held = [lockFolder(folder)];
  const scratch = mkdtempSync(join(folder.path, '.restore-'));
  try {
    giveAway(folder.path, existing);
    giveAway(join(folder.path, LOCK_FILE), folder.path);
    const names = entries.map(({ name }) => name);
    const replacedFolders = new Set([...OWN_FOLDERS, ...names.map(firstFolder)]);
    const isReplaced = (name: string) => replacedFolders.has(firstFolder(name));
    const present = contentsOf(folder.path);
    for (const name of present.locks.filter(isReplaced)) {
      if (name !== LOCK_FILE) held.push(holdInUse(folder.path, name));
    }
    for (const { name, bytes } of entries) {
      mkdirSync(dirname(join(scratch, name)), { recursive: true, mode: 0o700 });
      writeFileSync(join(scratch, name), bytes, { mode: 0o600 });
      giveAway(join(scratch, name), scratch);
    }
    inspectDatabase(join(scratch, DATABASE_FILE));
    const replaced = putInPlace({
      ...{ dataDir: folder.path, scratch, names, nowMs, giveAway },
      present: present.names.filter(isReplaced),
    });
    return { file, names, madeAtMs, replaced };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    for (const lock of held) lock.release();
  }
}

/** Gives a restored file and its parent folders below `below` to the owner and group of DATA_DIR. */
type GiveAway = (path: string, below: string) => void;

/**
 * As root, gives restored files to the owner of DATA_DIR: the bot's account could not read root's files. Does nothing
 * for other accounts, which create files of their own. `ownersFolder` is DATA_DIR, or its nearest parent that exists.
 */
function giveAwayAsRoot(ownersFolder: string): GiveAway {
  if (process.getuid?.() !== 0) return () => {};
  const { uid, gid } = statSync(ownersFolder);
  return (path, below) => {
    for (let each = path; each !== below; each = dirname(each)) {
      const now = lstatSync(each);
      // File systems without owners reject even a change of a file to the same owner, so it is skipped.
      if (now.uid === uid && now.gid === gid) continue;
      try {
        lchownSync(each, uid, gid);
      } catch (error) {
        throw new OperatorError(
          `${each} cannot be given to the owner of DATA_DIR (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
          { remedy: 'run this with the account that runs the bot', cause: error },
        );
      }
    }
  };
}

const firstFolder = (name: string) => (name.includes('/') ? (name.split('/')[0] ?? '') : '');

/** Locks the data, or throws an OperatorError if a running bot or a separate speech service uses it. */
function holdInUse(dataDir: string, name: string): { release(): void } {
  const lock = lockFile(join(dataDir, name));
  if (lock) return lock;
  const program = name.endsWith('crier.lock') ? 'another Crier' : 'a speech service';
  throw new OperatorError(`${program} is running with the data in ${dirname(join(dataDir, name))}`, {
    remedy: 'end that one first',
  });
}

interface Replacement {
  readonly dataDir: string;
  readonly scratch: string;
  readonly names: readonly string[];
  readonly present: readonly string[];
  readonly nowMs: number;
  readonly giveAway: GiveAway;
}

function putInPlace({ dataDir, scratch, names, present, nowMs, giveAway }: Replacement): string | undefined {
  // Left-over journals are removed, because SQLite would apply them to the restored database.
  const journals = [...new Set([...present, ...names])]
    .flatMap((name) => ['-wal', '-shm', '-journal'].map((suffix) => `${name}${suffix}`))
    .filter((name) => existsSync(join(dataDir, name)));
  const stamp = new Date(nowMs).toISOString().replace(/[:.]/g, '-');
  const aside = join(dataDir, `replaced-${stamp}`);
  const moved: (readonly [from: string, to: string])[] = [];
  const move = (from: string, to: string) => {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    giveAway(dirname(to), dataDir);
    renameSync(from, to);
    moved.push([from, to]);
  };
  try {
    for (const name of [...present, ...journals]) move(join(dataDir, name), join(aside, name));
    for (const name of names) move(join(scratch, name), join(dataDir, name));
  } catch (error) {
    for (const [from, to] of moved.toReversed()) renameSync(to, from);
    throw error;
  }
  return existsSync(aside) ? aside : undefined;
}

interface Entry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

function readBackup(file: string): { entries: Entry[]; madeAtMs: number } {
  const remedy = `name a file that ${commandOf('backup')} has made`;
  if (!existsSync(file)) throw new OperatorError(`there is no file ${file}`, { remedy });
  let archive: DatabaseSync | undefined;
  try {
    archive = new DatabaseSync(file, { readOnly: true });
    const id = Number(archive.prepare('PRAGMA application_id').get()?.application_id);
    const version = Number(archive.prepare('PRAGMA user_version').get()?.user_version);
    if (id !== APPLICATION_ID) throw new OperatorError(`${file} is no backup of Crier's`, { remedy });
    if (version > FORMAT_VERSION) {
      throw new OperatorError(`${file} was made by a newer version of Crier`, { remedy: 'install that version first' });
    }
    const rows = archive.prepare('SELECT name, mtime, sz, data FROM sqlar').all();
    const entries = rows.map(({ name, sz, data }) => entryFrom(String(name), Number(sz), data as Uint8Array));
    if (!entries.some(({ name }) => name === DATABASE_FILE)) throw new Error(`it has no ${DATABASE_FILE}`);
    return { entries, madeAtMs: Number(rows[0]?.mtime) * 1000 };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${file} cannot be read as a backup (${(error as Error).message})`, {
      remedy,
      cause: error,
    });
  } finally {
    archive?.close();
  }
}

function entryFrom(name: string, size: number, data: Uint8Array): Entry {
  if (!PLAIN_NAME.test(name)) throw new Error(`it has a file named ${JSON.stringify(name)}`);
  const bytes = data.length === size ? data : inflateSync(data, { maxOutputLength: Math.max(1, size) });
  if (bytes.length !== size) throw new Error(`${name} is damaged`);
  return { name, bytes };
}
