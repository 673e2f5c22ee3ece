import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { OperatorError } from '../../errors/operator-error.ts';
import { lockFile, makeFolder } from '../../process/files.ts';

/** The reason why `folder` cannot store the bot's data, to be put after a setting's name: 'DATA_DIR lies below a file'. */
export function folderProblem(folder: string): string | undefined {
  const path = resolve(folder);
  let existing = path;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    if (!statSync(existing).isDirectory()) {
      return existing === path ? `is a file, not a folder: ${path}` : `lies below a file: ${existing}`;
    }
    // Permissions do not show if data can be stored: root has all, and still cannot create files in /proc.
    rmdirSync(mkdtempSync(join(existing, '.crier-')));
    if (existing === path) accessSync(path, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `cannot be ${existing === path ? 'used' : 'created'}: ${path} (${codeOf(error)})`;
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? 'unknown';

/** Opens or creates the folder for all of the bot's data. Throws an OperatorError that names DATA_DIR. */
export function openDataFolder(folder: string) {
  const path = resolve(folder);
  const remedy = 'it must be a folder the bot may write to; a missing one is created';
  const problem = folderProblem(path);
  if (problem !== undefined) throw new OperatorError(`DATA_DIR ${problem}`, { remedy });
  try {
    makeFolder(path, 0o700);
  } catch (error) {
    throw new OperatorError(`DATA_DIR cannot be created: ${path} (${codeOf(error)})`, { remedy, cause: error });
  }

  /** The path of a file in the data folder. Creates the file if missing, and makes it readable by its owner only. */
  function privateFile(name: string): string {
    const file = join(path, name);
    try {
      closeSync(openSync(file, 'a', 0o600));
      // A file that was copied from a backup may be readable by others, so its permissions are set again.
      chmodSync(file, 0o600);
    } catch (error) {
      throw new OperatorError(`${file} cannot be used (${codeOf(error)})`, {
        remedy: 'it must be a file of the account that runs the bot, which may read and write it',
        cause: error,
      });
    }
    return file;
  }

  return {
    path,
    privateFile,
    /** Locks the folder, as two bots with the same data would both pay for a text. Throws an OperatorError if it is locked already. */
    lock(): { release(): void } {
      const file = privateFile('crier.lock');
      try {
        const lock = lockFile(file);
        if (lock) return lock;
      } catch (error) {
        throw new OperatorError(`${file} cannot be locked (${(error as Error).message})`, {
          remedy: 'nothing is kept in it: delete it, and let DATA_DIR be on a disk that has file locks',
          cause: error,
        });
      }
      throw new OperatorError(`another Crier is running with the data in ${path}`, {
        remedy: 'end that one first, or let DATA_DIR name another folder for this one',
      });
    },
    /** The secret in the file `name`, such as a key, which is created at the first call and never changed. */
    secret(name: string, prefix: string): string {
      const file = join(path, name);
      const kept = existsSync(file) ? readFileSync(privateFile(name), 'utf8').trim() : '';
      if (kept !== '') return kept;
      const made = `${prefix}${randomBytes(24).toString('hex')}`;
      // The secret is written to another file first, which is then renamed: a crash never leaves half a secret.
      writeFileSync(privateFile(`${name}.new`), `${made}\n`);
      renameSync(`${file}.new`, file);
      return made;
    },
  };
}
