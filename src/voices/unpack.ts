import { once } from 'node:events';
import { createReadStream, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import { unpackTar } from 'modern-tar/fs';
import type { BunzipJob } from './bunzip.ts';

/** The message ends a sentence that begins with the archive's name: 'holds a symlink'. */
export class HostileArchive extends Error {
  override readonly name = 'HostileArchive';
}

/** The maximum number of files and folders in an archive. Real archives have about 400, mostly data of eSpeak NG. */
const MAX_ENTRIES = 2_000;
const MAX_DEPTH = 8;

/** Unpacks an archive without its top folder. After a failure, the caller must delete the contents of `folder`. */
export async function unpack(
  archive: string,
  folder: string,
  { tar, maxBytes, signal }: { readonly tar: string; readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<void> {
  try {
    await decompress({ from: archive, to: tar, maxBytes }, signal);
    await extract(tar, folder, signal);
  } finally {
    rmSync(tar, { force: true });
  }
}

async function decompress(job: BunzipJob, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./bunzip.ts', import.meta.url), { workerData: job });
  try {
    await once(worker, 'exit', { signal });
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw error;
    throw new HostileArchive(message, { cause: error });
  } finally {
    await worker.terminate();
  }
}

export async function extract(tar: string, folder: string, signal: AbortSignal): Promise<void> {
  let entries = 0;
  const files = new Set<string>();
  // modern-tar silently shortens paths that leave the folder, such as `/etc/passwd`, so `map` checks each path first.
  const unpacking = unpackTar(folder, {
    strict: true,
    fmode: 0o600,
    dmode: 0o700,
    maxDepth: MAX_DEPTH,
    map(header) {
      const { name, type } = header;
      if (++entries > MAX_ENTRIES) throw new HostileArchive(`holds more than ${MAX_ENTRIES} files and folders`);
      if (type !== 'file' && type !== 'directory') throw new HostileArchive(`holds a ${type}`);
      const path = name.replace(/^(?:\.\/)+|\/$/g, '');
      const parts = path.split('/');
      // Backslashes and colons are rejected, because Windows takes them for folder separators and drive letters.
      if (path !== '' && parts.some((part) => /^\.{0,2}$|[\\:]/.test(part))) {
        throw new HostileArchive('holds a path that leaves its folder');
      }
      const inside = parts.slice(1).join('/');
      // Files beside the archive's top folder get an empty path, and modern-tar skips such entries.
      if (type === 'file' && inside !== '') {
        // If two names differ only in case, the second file would overwrite the first on some systems.
        if (files.has(inside.toLowerCase())) throw new HostileArchive('holds a file twice');
        files.add(inside.toLowerCase());
      }
      return { ...header, name: inside };
    },
  });
  try {
    await pipeline(createReadStream(tar), unpacking, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ENAMETOOLONG') throw new HostileArchive('holds a name that is too long', { cause: error });
    // Errors without a code come from modern-tar. EEXIST and ENOTDIR mean a file and a folder of the same name.
    if (error instanceof HostileArchive || !['', 'EEXIST', 'ENOTDIR'].includes(code)) throw error;
    // modern-tar's message may quote a file name, whose control characters could act on the terminal.
    const reason = message.replace(/\p{C}/gu, '').slice(0, 200);
    throw new HostileArchive(`cannot be unpacked (${reason})`, { cause: error });
  }
}
