import { chmodSync, mkdirSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { stallProofDeadline, withDeadline } from '../time/timers.ts';

interface DiskCacheOptions {
  /** The folder of the audio cache. It is created if missing, and readable only by its owner. */
  readonly path: string;
  readonly maxBytes: number;
  readonly log: Logger;
  readonly deadlineMs?: number;
  readonly files?: typeof fs;
}

/** How long the audio of spoken texts stays on disk, as /privacy says. */
export const AUDIO_KEPT_DAYS = 7;
const AUDIO_KEPT_MS = AUDIO_KEPT_DAYS * 24 * 60 * 60_000;
/** How long a read of cached audio may take, usually a millisecond. After that, the audio is made again. */
const DEADLINE_MS = 100;
/** A read that waited for other reads longer than this many times the deadline of one read is skipped. The audio is then made again. */
const MAX_WAITS = 10;
/** If the disk is slow, up to this many bytes of audio wait to be written. Further audio is not cached. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;
/** How long closing the audio cache may take: 1 s of the 2.5 s in which the synthesizer must close. */
const CLOSE_DEADLINE_MS = 1_000;
/** A clip's time of last use is renewed only if it is older than this, so that most reads write nothing. */
const USE_STEP_MS = 60_000;
const TIDY_EVERY_MS = 60_000;
/** The size of a cached clip is rounded up to these blocks, because its file occupies whole blocks of the disk. */
const BLOCK_BYTES = 4_096;
/** The file name of a cached clip that is being written. Writes run one after another, so one name is enough. */
const UNFINISHED = 'unfinished';

/**
 * A cache of audio clips. If the disk fails or hangs, only cached clips are lost.
 *
 * A file is named by its clip's key. Its modification time is when the clip was made, its access time when it was last
 * used. The index only decides which files are deleted: a read looks for the file itself.
 *
 * Reads run one after another, and so do all other operations: a hanging disk blocks only two of libuv's four threads.
 */
export function openDiskCache(options: DiskCacheOptions) {
  const { path, maxBytes, log, deadlineMs = DEADLINE_MS, files = fs } = options;
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o700);
  const inReads = createLane();
  const inWrites = createLane();
  /** True while the disk has not finished a read whose time is over. No clip is read from the disk then. */
  let isOverdue = false;
  let pendingBytes = 0;
  const writing = new Map<string, Uint8Array>();
  let closing: Promise<void> | undefined;
  /** Keys of cached clips that are not in the index any more, and whose files are deleted next. */
  const outdated = new Set<string>();
  const index = new LRUCache<string, number>({
    maxSize: maxBytes,
    sizeCalculation: spaceOf,
    ttl: AUDIO_KEPT_MS,
    perf: { now: () => Date.now() },
    ttlResolution: 0,
    dispose: (_, key) => void outdated.add(key),
  });
  const loaded = inWrites(load);
  const tidying = setInterval(tidy, TIDY_EVERY_MS);

  const fileOf = (key: string) => join(path, key);

  const warning = (what: string) => (error: unknown) => {
    if (!closing) log.warn({ err: error }, what);
  };
  loaded.catch(warning('Could not list cached audio on disk: caching nothing new'));
  const isUndeleted = warning('Could not delete cached audio from disk: it stays there');

  async function load(): Promise<void> {
    const found: { key: string; bytes: number; madeAtMs: number; usedAtMs: number }[] = [];
    for await (const entry of await files.opendir(path)) {
      if (!entry.isFile() || entry.name === UNFINISHED) continue;
      const { size, mtimeMs, atimeMs } = await files.stat(fileOf(entry.name));
      found.push({ key: entry.name, bytes: size, madeAtMs: mtimeMs, usedAtMs: atimeMs });
    }
    found.sort((one, other) => one.usedAtMs - other.usedAtMs);
    for (const { key, bytes, madeAtMs } of found) {
      if (madeAtMs + AUDIO_KEPT_MS > Date.now()) index.set(key, bytes, { start: madeAtMs });
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
    inWrites(deleteOutdated).catch(isUndeleted);
  }

  async function read(key: string): Promise<Uint8Array | undefined> {
    const file = await files.open(fileOf(key)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!file) return undefined;
    try {
      const { mtimeMs, atimeMs, mtime } = await file.stat();
      if (mtimeMs + AUDIO_KEPT_MS <= Date.now()) return undefined;
      const packed = await file.readFile();
      index.get(key);
      if (Date.now() - atimeMs > USE_STEP_MS) markUsed(key, mtime);
      return packed;
    } finally {
      await file.close();
    }
  }

  async function readInTime(key: string, askedAtMs: number): Promise<Uint8Array | undefined> {
    // An earlier read may have missed its deadline while this read waited for its turn.
    if (isOverdue || closing || performance.now() - askedAtMs > MAX_WAITS * deadlineMs) return undefined;
    const reading = read(key);
    try {
      return await stallProofDeadline(reading, deadlineMs, 'The disk');
    } catch (error) {
      warning('Could not read cached audio: regenerating')(error);
      isOverdue = true;
      const isBack = () => {
        isOverdue = false;
      };
      reading.then(isBack, isBack);
      return undefined;
    }
  }

  function markUsed(key: string, madeAt: Date): void {
    inWrites(async () => {
      if (index.has(key)) await files.utimes(fileOf(key), new Date(), madeAt);
    }).catch(warning('Cached clip’s last use not stored: it may expire early'));
  }

  async function write(key: string, packed: Uint8Array): Promise<void> {
    try {
      await inWrites(async () => {
        await loaded;
        index.set(key, packed.length);
        await deleteOutdated();
        // The file is renamed when complete, so that a crash never leaves half a clip under a clip's name.
        await files.writeFile(fileOf(UNFINISHED), packed, { mode: 0o600 });
        await files.rename(fileOf(UNFINISHED), fileOf(key));
      });
    } catch (error) {
      index.delete(key);
      warning('Could not write audio to the disk cache: skipping it')(error);
    } finally {
      pendingBytes -= packed.length;
      if (writing.get(key) === packed) writing.delete(key);
    }
  }

  async function end(): Promise<void> {
    clearInterval(tidying);
    const written = inWrites(async () => {});
    const timeoutMs = CLOSE_DEADLINE_MS;
    await withDeadline(written, { timeoutMs, what: 'Writing to the disk cache' }).catch((error: unknown) =>
      log.warn({ err: error }, 'Slow disk at shutdown: some audio may not be cached'),
    );
  }

  return {
    /** Reads a cached clip; undefined if there is none or the disk does not answer in time. Never rejects. */
    async get(key: string) {
      const askedAtMs = performance.now();
      return writing.get(key) ?? inReads(() => readInTime(key, askedAtMs));
    },
    /** Writes a clip to the cache in the background. If the disk is too slow, the clip is not cached. */
    set(key: string, packed: Uint8Array): void {
      if (closing || spaceOf(packed.length) > maxBytes || pendingBytes + packed.length > MAX_PENDING_BYTES) return;
      pendingBytes += packed.length;
      writing.set(key, packed);
      void write(key, packed);
    },
    delete(key: string): void {
      // Waiting writes and the listing of the folder could add the clip again, so it is deleted after them.
      inWrites(async () => {
        index.delete(key);
        outdated.add(key);
        await deleteOutdated();
      }).catch(isUndeleted);
    },
    /** Resolves when all clips passed to set() are written, or after a second. Idempotent. */
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
