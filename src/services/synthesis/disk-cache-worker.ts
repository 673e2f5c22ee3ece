import { rmSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { type ClipFile, type KeptClip, openClipFile } from './disk-cache-file.ts';

// Runs in a thread of its own; clip-disk.ts starts it and talks to it.

export type ToClipDisk =
  | { readonly id: number; readonly op: 'get'; readonly key: string }
  | {
      readonly id: number;
      readonly op: 'set';
      readonly key: string;
      readonly bytes: Uint8Array;
      readonly expiresAtMs: number | undefined;
    }
  | { readonly id: number; readonly op: 'delete'; readonly key: string }
  | { readonly id: number; readonly op: 'clear' }
  | { readonly id: number; readonly op: 'close' };

export type FromClipDisk =
  | { readonly id: number; readonly ok: true; readonly kept?: KeptClip | undefined }
  | { readonly id: number; readonly ok: false; readonly message: string }
  /** The file was damaged: everything in it was given up. */
  | { readonly id?: never; readonly lost: string };

/** SQLite's result codes; https://www.sqlite.org/rescode.html */
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

const { path, maxBytes } = workerData as { readonly path: string; readonly maxBytes: number };
const port = parentPort;
if (!port) throw new Error('This program is a thread of another one');

/** How often what has expired is looked for: it is kept no longer than was said, also where there is room. */
const TIDY_EVERY_MS = 60 * 60 * 1000;

let file: ClipFile | undefined;
file = openOrStartAnew();
const tidying = setInterval(tidy, TIDY_EVERY_MS);

port.on('message', (message: ToClipDisk) => {
  let answer: FromClipDisk;
  try {
    answer = { id: message.id, ok: true, ...handle(file ?? open(), message) };
  } catch (error) {
    answer = { id: message.id, ok: false, message: error instanceof Error ? error.message : String(error) };
    if (isDamage(error)) file = startAnew(answer.message);
  }
  port.postMessage(answer, 'kept' in answer && answer.kept ? [answer.kept.bytes.buffer as ArrayBuffer] : []);
  if (message.op === 'close') {
    clearInterval(tidying);
    port.close();
  }
});

function tidy(): void {
  try {
    if (file?.dropExpired()) setImmediate(tidy);
  } catch (error) {
    if (isDamage(error)) file = startAnew((error as Error).message);
    // Anything else is told to whoever asks for a clip next.
  }
}

function handle(file: ClipFile, message: ToClipDisk): { kept?: KeptClip | undefined } {
  switch (message.op) {
    case 'get':
      return { kept: file.get(message.key) };
    case 'set':
      file.set(message.key, message.bytes, message.expiresAtMs);
      return {};
    case 'delete':
      file.delete(message.key);
      return {};
    case 'clear':
      file.clear();
      return {};
    case 'close':
      file.close();
      return {};
  }
}

function open(): ClipFile {
  return openClipFile(path, maxBytes);
}

function openOrStartAnew(): ClipFile {
  try {
    return open();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return startAnew((error as Error).message);
  }
}

/** It is a cache: what is lost is made again when it is wanted. */
function startAnew(why: string): ClipFile {
  file?.abandon();
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  port?.postMessage({ lost: why } satisfies FromClipDisk);
  return open();
}

function isDamage(error: unknown): boolean {
  // The low byte is the kind, the rest says more about it.
  const code = Number((error as { errcode?: unknown } | null)?.errcode ?? 0) & 0xff;
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}
