import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Makes a folder, and those around it that are missing. Node's own `recursive` never returns where the parent is there and yet
 * nothing can be made in it, as in /proc.
 */
export function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error;
  }
}

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * Holds an existing file for this process; undefined where another one holds it. It is SQLite's own lock, so it ends with the
 * process, however that ends. Throws SQLite's error where the file cannot be locked.
 */
export function lockFile(file: string): { release(): void } | undefined {
  const sqlite = new DatabaseSync(file, { timeout: 0 });
  try {
    // A journal on disk would need space there, and nothing is ever written.
    sqlite.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    sqlite.close();
    // The low byte is the kind, the rest says more about it.
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
