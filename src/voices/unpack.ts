import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import { createTarDecoder } from 'modern-tar';
import type { BunzipJob } from './bunzip.ts';

/** An archive that no release would publish. The message ends a sentence about the archive. */
export class HostileArchive extends Error {
  override readonly name = 'HostileArchive';
}

/** The archives of voices have about 400 files: one model, and eSpeak NG's data. */
const MAX_ENTRIES = 2_000;
const MAX_DEPTH = 8;

/**
 * Unpacks an archive (.tar.bz2) into `folder`, which must exist, without the one folder that holds everything in it.
 * Throws a HostileArchive, or the system's error, and leaves what it wrote to the caller. `tar` is the path for the
 * archive between the two steps; it is deleted.
 */
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

async function extract(tar: string, folder: string, signal: AbortSignal): Promise<void> {
  try {
    await extractFiles(tar, folder, signal);
  } catch (error) {
    signal.throwIfAborted();
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['EEXIST', 'ENOTDIR'].includes(code)) {
      throw new HostileArchive('holds a file and a folder of one name', { cause: error });
    }
    // Errors of the disk have a code. An error without one comes from the tar library: the archive is damaged.
    if (error instanceof HostileArchive || !(error instanceof Error) || 'code' in error) throw error;
    throw new HostileArchive(`is damaged (${error.message})`, { cause: error });
  }
}

async function extractFiles(tar: string, folder: string, signal: AbortSignal): Promise<void> {
  const bytes = createReadStream(tar, { signal });
  const written = new Set<string>();
  let entries = 0;
  for await (const { header, body } of Readable.toWeb(bytes).pipeThrough(createTarDecoder({ strict: true }))) {
    if (++entries > MAX_ENTRIES) throw new HostileArchive(`holds more than ${MAX_ENTRIES} files and folders`);
    const path = pathInside(header.name);
    if (header.type !== 'file' && header.type !== 'directory') {
      throw new HostileArchive(`holds a ${header.type} (${shown(header.name)})`);
    }
    // Files beside the folder, such as the notes of a system, are no part of the voice.
    if (header.type === 'directory' || path === '') {
      await body.cancel();
      if (path !== '') mkdirSync(join(folder, path), { recursive: true });
      continue;
    }
    // Systems that ignore case would write the second file over the first one.
    const key = path.toLowerCase();
    if (written.has(key)) throw new HostileArchive(`holds a file twice (${shown(header.name)})`);
    written.add(key);
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    await pipeline(Readable.fromWeb(body), createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal });
  }
}

/** A name of the archive without its first folder. Throws if the name leads out of it, on any system. */
function pathInside(name: string): string {
  const parts = name
    .replace(/^(\.\/)+/, '')
    .replace(/\/+$/, '')
    .split('/');
  const isHarmless = (part: string) => part !== '' && part !== '.' && part !== '..' && !/[\\:\p{Cc}]|[. ]$/u.test(part);
  if (!parts.every(isHarmless)) throw new HostileArchive(`holds a path that leaves its folder (${shown(name)})`);
  if (parts.length > MAX_DEPTH) throw new HostileArchive(`holds more than ${MAX_DEPTH} folders in each other`);
  return parts.slice(1).join('/');
}

const shown = (name: string): string => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
