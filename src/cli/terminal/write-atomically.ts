import { randomBytes } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface WriteOptions {
  /** The permissions it gets, whatever the umask says; the usual ones when not given. */
  readonly mode?: number;
  readonly signal?: AbortSignal;
}

/** Writes a file whole or not at all: beside it first, then in its place. The earlier file stays until then. */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array,
  { mode, signal }: WriteOptions = {},
): Promise<void> {
  // A name that fits wherever the final one does.
  const beside = join(dirname(path), `.voice-${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(beside, 'wx', mode ?? 0o666);
    try {
      if (mode !== undefined && (mode & ~(await file.stat()).mode) !== 0) await file.chmod(mode);
      await file.writeFile(bytes, { signal });
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Writes a new file, at the first of `paths` where nothing is yet; resolves with that one. */
export async function writeWhereFree(
  paths: readonly string[],
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<string> {
  for (const path of paths) {
    signal.throwIfAborted();
    try {
      await writeFile(path, bytes, { flag: 'wx', signal });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      // It is this one's own: another file would have been in the way.
      await rm(path, { force: true });
      throw error;
    }
  }
  throw Object.assign(new Error('there is something at each of the paths'), { code: 'EEXIST' });
}
