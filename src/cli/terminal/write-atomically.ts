import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface WriteOptions {
  /** The permissions it gets, whatever the umask says; the usual ones when not given. */
  readonly mode?: number;
  readonly signal?: AbortSignal;
}

/** Writes a file whole or not at all: beside it first, then in its place. The earlier file stays until then. */
export async function writeAtomically(path: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<void> {
  await written(dirname(path), bytes, options, (beside) => rename(beside, path));
}

/** The same, but in the first of `paths` (all of one folder) where nothing is yet; resolves with that one. */
export function writeWhereFree(
  paths: readonly [string, ...string[]],
  bytes: Uint8Array,
  options: WriteOptions = {},
): Promise<string> {
  return written(dirname(paths[0]), bytes, options, async (beside) => {
    for (const path of paths) {
      if (!(await isTaken(path))) {
        await rename(beside, path);
        return path;
      }
    }
    throw Object.assign(new Error('there is something at each of the paths'), { code: 'EEXIST' });
  });
}

/** Takes the name with an empty file. Unlike a link, that works on all file systems. */
async function isTaken(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close();
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return true;
    throw error;
  }
}

/** Writes into a file whose name fits wherever the final one does; `place` then renames it. */
async function written<T>(
  folder: string,
  bytes: Uint8Array,
  { mode, signal }: WriteOptions,
  place: (beside: string) => Promise<T>,
): Promise<T> {
  const beside = join(folder, `.voice-${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(beside, 'wx', mode ?? 0o666);
    try {
      if (mode !== undefined && (mode & ~(await file.stat()).mode) !== 0) await file.chmod(mode);
      await file.writeFile(bytes, { signal });
      await file.sync();
    } finally {
      await file.close();
    }
    return await place(beside);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
