import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder for everything the bot keeps; only its owner can look into it. */
export interface DataFolder {
  readonly path: string;
  /** The path of a file in it, which exists afterwards and is readable by its owner only. */
  privateFile(name: string): string;
  /** The secret kept under this name, made at the first call and the same ever after. */
  secret(name: string, prefix: string): string;
}

/** Opens the folder, creating it when it is missing. Throws an error that names the setting when that is impossible. */
export function openDataFolder(folder: string): DataFolder {
  const path = resolve(folder);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new Error(
      `DATA_DIR cannot be used: ${path} (${code}). It must be a folder the bot may write to; a missing one is created`,
      { cause: error },
    );
  }

  function privateFile(name: string): string {
    const file = join(path, name);
    closeSync(openSync(file, 'a', 0o600));
    // A file that was copied here, from a backup say, may be open to others.
    chmodSync(file, 0o600);
    return file;
  }

  return {
    path,
    privateFile,
    secret(name, prefix) {
      const file = join(path, name);
      const kept = existsSync(file) ? readFileSync(privateFile(name), 'utf8').trim() : '';
      if (kept !== '') return kept;
      const made = `${prefix}${randomBytes(24).toString('hex')}`;
      // Renamed into place, so that a crash never leaves half a secret.
      writeFileSync(privateFile(`${name}.new`), `${made}\n`);
      renameSync(`${file}.new`, file);
      return made;
    },
  };
}
