import { chmodSync, mkdirSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { stallProofDeadline, withDeadline } from '../time/deadline.ts';

interface DiskCacheOptions {
  /** The folder, made where it is missing; readable by its owner only. */
  readonly path: string;
  readonly maxBytes: number;
  readonly ttlMs?: number;
  readonly log: Logger;
  readonly deadlineMs?: number;
  readonly files?: typeof fs;
}

/** How long the audio of spoken texts is kept, as /privacy says. */
export const AUDIO_KEPT_DAYS = 7;
const AUDIO_KEPT_MS = AUDIO_KEPT_DAYS * 24 * 60 * 60_000;
/** A read takes a millisecond; a sound that can also be made is not worth a longer wait. */
const DEADLINE_MS = 100;
/** Writes on their way to a disk that does not keep up. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;
/** The app gives the whole of its closing 2.5 s. */
const CLOSE_DEADLINE_MS = 1_000;
/** Times of use are exact to this much: most reads then write nothing. */
const USE_STEP_MS = 60_000;
/** Clips are kept no longer than was said, also where there is room. */
const TIDY_EVERY_MS = 60_000;
/** What a file takes up is counted in blocks of the disk. */
const BLOCK_BYTES = 4_096;
/** A clip until it is complete. Writes follow each other, so that one name does for all of them. */
const UNFINISHED = 'unfinished';

/**
 * Packed clips, each in a file of its own. A disk that fails or hangs costs its clips and nothing else.
 *
 * A file's name is its key, its time of change the time it was made, its time of access the last use. The index, in the
 * order of use, says only which files have to go: a read asks the disk.
 *
 * Reads follow each other, and so do all other calls: a disk that hangs blocks two of libuv's four threads, and the
 * lookups of host names, which need one as well, go on.
 */
export function openDiskCache(options: DiskCacheOptions) {
  const { path, maxBytes, ttlMs = AUDIO_KEPT_MS, log, deadlineMs = DEADLINE_MS, files = fs } = options;
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o700);
  const inReads = createLane();
  const inWrites = createLane();
  /** Reads that have not come back in time: while there are any, the disk is not asked. */
  let overdue = 0;
  /** Reads that the disk has answered. */
  let answers = 0;
  let pendingBytes = 0;
  const writing = new Map<string, { readonly packed: Uint8Array; readonly done: Promise<void> }>();
  let closing: Promise<void> | undefined;
  /** Keys that have left the index, whose files are still there. */
  const outdated = new Set<string>();
  const index = new LRUCache<string, number>({
    maxSize: maxBytes,
    sizeCalculation: spaceOf,
    ttl: ttlMs,
    perf: { now: () => Date.now() },
    ttlResolution: 0,
    dispose: (_, key) => void outdated.add(key),
  });
  const loaded = inWrites(load);
  loaded.catch((error: unknown) => warn(error, 'The kept speech on disk could not be listed: no more is kept'));
  const tidying = setInterval(tidy, TIDY_EVERY_MS);

  const fileOf = (key: string) => join(path, key);

  function answered(): void {
    answers += 1;
  }

  function warn(error: unknown, what: string): void {
    if (!closing) log.warn({ err: error }, what);
  }

  async function load(): Promise<void> {
    const found: { key: string; bytes: number; madeAtMs: number; usedAtMs: number }[] = [];
    for await (const entry of await files.opendir(path)) {
      if (!entry.isFile() || entry.name === UNFINISHED) continue;
      const { size, mtimeMs, atimeMs } = await files.stat(fileOf(entry.name));
      found.push({ key: entry.name, bytes: size, madeAtMs: mtimeMs, usedAtMs: atimeMs });
    }
    found.sort((one, other) => one.usedAtMs - other.usedAtMs);
    for (const { key, bytes, madeAtMs } of found) {
      if (madeAtMs + ttlMs > Date.now()) index.set(key, bytes, { start: madeAtMs });
      if (!index.has(key)) outdated.add(key);
    }
    await deleteOutdated();
  }

  async function deleteOutdated(): Promise<void> {
    for (const key of outdated) {
      outdated.delete(key);
      if (!index.has(key)) await files.rm(fileOf(key), { force: true });
    }
  }

  function tidy(): void {
    index.purgeStale();
    inWrites(deleteOutdated).catch((error: unknown) => warn(error, 'Kept speech could not be deleted from disk'));
  }

  async function read(key: string): Promise<Uint8Array | undefined> {
    const file = await files.open(fileOf(key)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!file) return undefined;
    try {
      const { mtimeMs, atimeMs, mtime } = await file.stat();
      if (mtimeMs + ttlMs <= Date.now()) return undefined;
      const packed = await file.readFile();
      index.get(key);
      if (Date.now() - atimeMs > USE_STEP_MS) markUsed(key, mtime);
      return packed;
    } finally {
      await file.close();
    }
  }

  function markUsed(key: string, madeAt: Date): void {
    inWrites(async () => {
      if (index.has(key)) await files.utimes(fileOf(key), new Date(), madeAt);
    }).catch((error: unknown) => warn(error, 'The last use of kept speech could not be written'));
  }

  async function write(key: string, packed: Uint8Array): Promise<void> {
    try {
      await loaded;
      await inWrites(async () => {
        index.set(key, packed.length);
        await deleteOutdated();
        // Moved to its place when complete, so that a crash never leaves half a clip there.
        await files.writeFile(fileOf(UNFINISHED), packed, { mode: 0o600 });
        await files.rename(fileOf(UNFINISHED), fileOf(key));
      });
    } catch (error) {
      index.delete(key);
      warn(error, 'Could not cache audio on disk');
    } finally {
      pendingBytes -= packed.length;
      if (writing.get(key)?.packed === packed) writing.delete(key);
    }
  }

  async function end(): Promise<void> {
    clearInterval(tidying);
    const written = Promise.all([...writing.values()].map(({ done }) => done)).then(() => inWrites(async () => {}));
    const timeoutMs = CLOSE_DEADLINE_MS;
    await withDeadline(written, { timeoutMs, what: 'Writing to the disk cache' }).catch((error: unknown) =>
      log.warn({ err: error }, 'Some cached audio may not be on disk'),
    );
  }

  return {
    /** Undefined when there is none, or when the disk does not answer soon. Never rejects. */
    async get(key: string) {
      const onItsWay = writing.get(key)?.packed;
      if (onItsWay || overdue > 0 || closing) return onItsWay;
      const reading = inReads(() => read(key).finally(answered));
      try {
        return await stallProofDeadline(reading, { timeoutMs: deadlineMs, what: 'The disk', answers: () => answers });
      } catch (error) {
        warn(error, 'Could not read cached audio: regenerating');
        overdue += 1;
        const isBack = () => {
          overdue -= 1;
        };
        reading.then(isBack, isBack);
        return undefined;
      }
    },
    /** Written some time later, or not at all when the disk cannot keep up. */
    set(key: string, packed: Uint8Array): void {
      if (closing || spaceOf(packed.length) > maxBytes || pendingBytes + packed.length > MAX_PENDING_BYTES) return;
      pendingBytes += packed.length;
      writing.set(key, { packed, done: write(key, packed) });
    },
    delete(key: string): void {
      // After everything that is on its way to the disk, the listing of the folder included.
      inWrites(async () => {
        index.delete(key);
        outdated.add(key);
        await deleteOutdated();
      }).catch((error: unknown) => warn(error, 'Kept speech could not be deleted from disk'));
    },
    /** Resolves when all earlier calls of set() are written, or after a second. Idempotent. */
    close() {
      closing ??= end();
      return closing;
    },
  };
}

export type DiskCache = ReturnType<typeof openDiskCache>;

const spaceOf = (bytes: number) => (Math.floor(bytes / BLOCK_BYTES) + 1) * BLOCK_BYTES;

function createLane(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
