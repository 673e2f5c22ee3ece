import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync, statSync, truncateSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '../errors/operator-error.ts';
import { unknownAuthority } from '../network/connection-errors.ts';
import { mayPassStatus, pauseAfter, readAtMost } from '../network/downloads.ts';
import { commandOf } from '../process/package.ts';

/** If the release server sends nothing for this many milliseconds, the connection counts as lost. */
const SILENCE_MS = 30_000;
const MAX_ATTEMPTS = 5;
const MAX_LIST_BYTES = 5_000_000;

/** The server's answer to a download is unusable. `mayPass` means that another attempt may succeed. */
class Unusable extends Error {
  override readonly name = 'Unusable';
  readonly mayPass: boolean;

  constructor(message: string, mayPass: boolean) {
    super(message);
    this.mayPass = mayPass;
  }
}

/** Rejects with an OperatorError if the release's list of SHA-256 checksums does not name the file. */
export async function publishedChecksum(release: string, file: string, signal: AbortSignal): Promise<string> {
  const list = await attempts(`${release}/checksum.txt`, signal, async (url) => {
    const { body } = await get(url, AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)]));
    return String(await readAtMost(body, MAX_LIST_BYTES, () => new Unusable('is too long', false)));
  });
  for (const line of list.split('\n')) {
    const words = line.trim().split(/\s+/);
    const sum = words.find((word) => /^[0-9a-f]{64}$/i.test(word));
    if (sum !== undefined && words.some((word) => word.replace(/^\*/, '') === file)) return sum.toLowerCase();
  }
  throw new OperatorError(`${release}/checksum.txt does not list ${file}, so it could not be checked`, {
    remedy: `nothing was downloaded; ${commandOf('voices', 'list')} has other voices`,
  });
}

export interface DownloadOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly onProgress: (received: number, total: number | undefined) => void;
}

/** Continues where an earlier download into `path` stopped, even one in an earlier run. */
export async function download(address: string, path: string, options: DownloadOptions): Promise<void> {
  await attempts(address, options.signal, (url) => continueDownload(url, path, options));
}

async function continueDownload(url: string, path: string, { maxBytes, signal, onProgress }: DownloadOptions) {
  const before = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Unusable('sends nothing any more', true)), SILENCE_MS);
  try {
    const either = AbortSignal.any([signal, silence.signal]);
    const { status, headers, body } = await get(url, either, before);
    if (status === 416) {
      await body.cancel();
      // Status 416: no bytes are left. A file as long as the server's is complete, and its checksum is checked later.
      if (headers.get('content-range') === `bytes */${before}`) return;
      rmSync(path);
      throw new Unusable('has another file than before', true);
    }
    const start = status === 206 ? Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1]) : 0;
    if (start !== before && start !== 0) throw new Unusable('answered with another part of the file', true);
    if (start === 0 && before > 0) truncateSync(path);
    const length = headers.get('content-length');
    const total = length === null ? undefined : start + Number(length);
    let received = start;
    let lost: unknown;
    // An error inside the pipeline would discard received bytes, so it is thrown after the pipeline has ended.
    async function* arriving() {
      try {
        for await (const chunk of body) {
          timer.refresh();
          received += chunk.byteLength;
          if (received > maxBytes) return;
          onProgress(received, total);
          yield chunk;
        }
      } catch (error) {
        lost = error;
      }
    }
    await pipeline(arriving, createWriteStream(path, { flags: 'a', mode: 0o600 }));
    if (received > maxBytes) {
      rmSync(path);
      throw new Unusable(`is larger than ${Math.round(maxBytes / 1e6)} MB`, false);
    }
    if (lost !== undefined) throw lost;
    if (total !== undefined && received < total) throw new Unusable('ended too early', true);
  } catch (error) {
    if (!signal.aborted && silence.signal.aborted) throw silence.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function get(url: string, signal: AbortSignal, from = 0) {
  const headers = new Headers({ 'accept-encoding': 'identity' });
  if (from > 0) headers.set('range', `bytes=${from}-`);
  const response = await fetch(url, { headers, signal });
  const { status, body } = response;
  if (new URL(url).protocol === 'https:' && !response.url.startsWith('https:')) {
    await body?.cancel();
    throw new Unusable('leads to an address without https', false);
  }
  if (body === null || (!response.ok && status !== 416)) {
    await body?.cancel();
    throw new Unusable(`answered with HTTP ${status}`, mayPassStatus(status) && status !== 404);
  }
  return { status, headers: response.headers, body };
}

/** Repeats a download after temporary failures, but not after errors of this machine's disk. */
async function attempts<T>(url: string, signal: AbortSignal, work: (url: string) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(url);
    } catch (error) {
      signal.throwIfAborted();
      if (isOfDisk(error)) throw error;
      const mayPass = error instanceof Unusable ? error.mayPass : unknownAuthority(causeOf(error)) === undefined;
      if (!mayPass || attempt >= MAX_ATTEMPTS) {
        const why = error instanceof Unusable ? error.message : `cannot be reached (${reasonOf(error)})`;
        throw new OperatorError(`${url} ${why}`, {
          remedy: mayPass ? 'try again later; a download goes on where it stopped' : undefined,
          cause: error,
        });
      }
      await pause(pauseAfter(attempt), undefined, { signal });
    }
  }
}

const causeOf = (error: unknown) => (error instanceof Error && error.cause instanceof Error ? error.cause : error);
const DISK_ERRORS: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EFBIG'];
const isOfDisk = (error: unknown) =>
  error instanceof Error && ('path' in error || ('code' in error && DISK_ERRORS.includes(error.code)));

function reasonOf(error: unknown): string {
  const cause = causeOf(error) as NodeJS.ErrnoException;
  return unknownAuthority(cause) ?? cause.code ?? cause.message;
}

export async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { signal }), hash);
  return hash.digest('hex');
}
