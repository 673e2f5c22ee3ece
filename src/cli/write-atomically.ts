import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Writes a file whole or not at all: beside it first, then in its place. What was there before stays until then. */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array,
  options: { mode?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(beside, 'wx', options.mode ?? 0o666);
    try {
      await file.writeFile(bytes, { signal: options.signal });
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
