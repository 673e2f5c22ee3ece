import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../errors/operator-error.ts';
import type { DataFolder } from './data-folder.ts';

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * Holds the folder for this process: two bots with the same data would both read the chat aloud, and both pay. It is
 * SQLite's own lock on a file, so it ends with the process, however that ends. Throws an OperatorError when it is held.
 */
export function lockFolder(folder: DataFolder): { release(): void } {
  const file = folder.privateFile('crier.lock');
  const sqlite = new DatabaseSync(file, { timeout: 0 });
  try {
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    sqlite.close();
    if (!(error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY)) {
      throw new OperatorError(`${file} cannot be locked (${(error as Error).message})`, {
        remedy: 'nothing is kept in it: delete it, and let DATA_DIR be on a disk that has file locks',
        cause: error,
      });
    }
    throw new OperatorError(`another Crier is running with the data in ${folder.path}`, {
      remedy: 'end that one first, or let DATA_DIR name another folder for this one',
      cause: error,
    });
  }
  return {
    release() {
      if (sqlite.isOpen) sqlite.close();
    },
  };
}
