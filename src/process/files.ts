import { existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Makes a folder and its parents. Node's recursive mkdir would never return if the parent takes no folders, as in /proc. */
export function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // A folder that cannot be created is fine if another process has created it meanwhile.
    if (!existsSync(path)) throw error;
  }
}

/** Gives root's files to the owner of `ownersFolder`, because the bot's account could not read them. */
export function giveAwayAsRoot(path: string, ownersFolder: string, { recursive = false } = {}): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(ownersFolder);
  const inside = recursive ? readdirSync(path, { recursive, encoding: 'utf8' }) : [];
  for (const each of [path, ...inside.map((name) => join(path, name))]) {
    const now = lstatSync(each);
    // Some file systems have no owners and reject every change of owner, even to the same one.
    if (now.uid !== uid || now.gid !== gid) lchownSync(each, uid, gid);
  }
}

/** SQLite's error code for a database that another process has locked: https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/** Locks a file until release() or the process's end. Returns undefined if another process has it. Throws SQLite's error. */
export function lockFile(file: string): { release(): void } | undefined {
  const sqlite = new DatabaseSync(file, { timeout: 0 });
  try {
    // SQLite's journal stays in memory, so that a file can be locked even if the disk is full.
    sqlite.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    sqlite.close();
    // The low byte of SQLite's error code is the kind of error, the other bytes are details.
    if (error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY)
      return undefined;
    throw error;
  }
  return {
    release() {
      if (sqlite.isOpen) sqlite.close();
    },
  };
}
