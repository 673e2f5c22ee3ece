import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Creates a folder and its missing parents. Node's `recursive` never returns if the parent exists but nothing can be
 * created in it, as in /proc.
 */
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

/** SQLite's error code for a database that another process has locked: https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * Locks an existing file for this process; undefined if another process has the lock. SQLite's own lock ends with the
 * process, even after a crash. Throws SQLite's error if the file cannot be locked.
 */
export function lockFile(file: string): { release(): void } | undefined {
  const sqlite = new DatabaseSync(file, { timeout: 0 });
  try {
    // SQLite's journal stays in memory: a journal on disk would need free space, but the lock never writes.
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
