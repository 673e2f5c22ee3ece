import { DatabaseSync } from 'node:sqlite';

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
