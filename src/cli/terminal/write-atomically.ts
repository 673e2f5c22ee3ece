import { randomBytes } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** `mode` applies whatever the umask says; without it, the file gets default permissions. */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array,
  { mode, signal }: { readonly mode?: number; readonly signal?: AbortSignal },
): Promise<void> {
  // The temporary file's name is short, so that it fits wherever the final name fits.
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
      // The incomplete file can be removed: a file that was there before would have failed with EEXIST.
      await rm(path, { force: true });
      throw error;
    }
  }
  throw Object.assign(new Error('there is something at each of the paths'), { code: 'EEXIST' });
}
