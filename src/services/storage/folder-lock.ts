import { OperatorError } from '../../errors/operator-error.ts';
import { lockFile } from '../../process/sqlite-lock.ts';
import type { DataFolder } from './data-folder.ts';

export const LOCK_FILE = 'crier.lock';

/**
 * Holds the folder for this process: two bots with the same data would both read the chat aloud, and both pay. It ends with
 * the process, however that ends. Throws an OperatorError when it is held.
 */
export function lockFolder(
  folder: DataFolder,
  remedy = 'end that one first, or let DATA_DIR name another folder for this one',
): { release(): void } {
  const file = folder.privateFile(LOCK_FILE);
  const lock = locked(file);
  if (lock) return lock;
  throw new OperatorError(`another Crier is running with the data in ${folder.path}`, { remedy });
}

function locked(file: string): ReturnType<typeof lockFile> {
  try {
    return lockFile(file);
  } catch (error) {
    throw new OperatorError(`${file} cannot be locked (${(error as Error).message})`, {
      remedy: 'nothing is kept in it: delete it, and let DATA_DIR be on a disk that has file locks',
      cause: error,
    });
  }
}
