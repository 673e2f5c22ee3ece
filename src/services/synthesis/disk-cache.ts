import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import Keyv, { type KeyvStoreAdapter } from 'keyv';
import type { Logger } from 'pino';
import { DeadlineError, withDeadline } from '../time/deadline.ts';
import type { KeptClip } from './disk-cache-file.ts';
import type { FromClipDisk, ToClipDisk } from './disk-cache-worker.ts';

/** Packed clips in a file of their own. A disk that fails or hangs costs what is on it and nothing else. */
export interface ClipDisk {
  /** Undefined when there is none, or when the disk does not answer soon. Never rejects. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Written some time later, or not at all when the disk cannot keep up. */
  set(key: string, packed: Uint8Array): void;
  /** What was set before is written, within the deadline of the one who closes. Idempotent. */
  close(): Promise<void>;
}

interface ClipDiskOptions {
  /** A file that exists, so that whoever made it decided who may read it. */
  readonly path: string;
  readonly maxBytes: number;
  readonly ttlMs: number;
  readonly log: Logger;
  readonly deadlineMs?: number;
  /** What runs in the thread; another one in tests. */
  readonly program?: URL;
}

/** A read takes a millisecond; nobody waits longer for a sound that can also be made. */
const DEADLINE_MS = 100;
/** Writes on their way to a disk that does not keep up. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;
/** Of each of the two steps of closing; the app gives the whole of it 2.5 s. */
const CLOSE_DEADLINE_MS = 1_000;
const THREAD = new URL('./disk-cache-worker.ts', import.meta.url);

/** Keyv over SQLite in a thread of its own: its calls block, and packets of all servers are due every 20 ms. */
export function openClipDisk(options: ClipDiskOptions): ClipDisk {
  const { path, maxBytes, ttlMs, log, deadlineMs = DEADLINE_MS, program = THREAD } = options;
  const thread = createThread(program, { path, maxBytes }, log);
  const keyv = new Keyv<Uint8Array>({
    store: adapterOver(thread),
    namespace: 'clips',
    useKeyPrefix: false,
    ttl: ttlMs,
    throwOnErrors: true,
  });
  // Bytes as they are: as text they would take a third more, and time.
  keyv.serialize = undefined;
  keyv.deserialize = undefined;
  keyv.on('error', () => undefined);
  /** Calls that have not come back in time: while there are any, nobody waits for the disk. */
  let overdue = 0;
  let pendingBytes = 0;
  const writing = new Map<string, { readonly packed: Uint8Array; readonly done: Promise<void> }>();
  let closing: Promise<void> | undefined;

  function warn(error: unknown, what: string): void {
    if (!closing) log.warn({ err: error }, what);
  }

  async function get(key: string): Promise<Uint8Array | undefined> {
    const onItsWay = writing.get(key)?.packed;
    if (onItsWay || overdue > 0 || !thread.isAlive) return onItsWay;
    const reading = keyv.get(key);
    try {
      return await inTime(reading, deadlineMs);
    } catch (error) {
      warn(error, 'Kept speech could not be read: made anew');
      overdue += 1;
      const answered = () => {
        overdue -= 1;
      };
      reading.then(answered, answered);
      return undefined;
    }
  }

  async function write(key: string, packed: Uint8Array): Promise<void> {
    try {
      await keyv.set(key, packed);
    } catch (error) {
      warn(error, 'Speech could not be kept on disk');
    } finally {
      pendingBytes -= packed.length;
      if (writing.get(key)?.packed === packed) writing.delete(key);
    }
  }

  async function end(): Promise<void> {
    const written = Promise.all([...writing.values()].map(({ done }) => done));
    const timeoutMs = CLOSE_DEADLINE_MS;
    await withDeadline(written, { timeoutMs, what: 'Writing to the clip disk' }).catch((error: unknown) =>
      log.warn({ err: error }, 'Kept speech may not all be on disk'),
    );
    await thread.close();
  }

  return {
    get,
    set(key, packed) {
      if (closing || !thread.isAlive || pendingBytes + packed.length > MAX_PENDING_BYTES) return;
      pendingBytes += packed.length;
      writing.set(key, { packed, done: write(key, packed) });
    },
    close() {
      closing ??= end();
      return closing;
    },
  };
}

/**
 * After a stall of this process a timer is due before the answer that has long come is looked at: one round of the event
 * loop later that is known.
 */
function inTime<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const late = () => reject(new DeadlineError(`The disk took longer than ${timeoutMs} ms`));
  const timer = setTimeout(() => setImmediate(() => setImmediate(late)), timeoutMs);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

interface Thread {
  readonly isAlive: boolean;
  ask(question: Question): Promise<KeptClip | undefined>;
  close(): Promise<void>;
}

type Without<Message, Field extends string> = Message extends unknown ? Omit<Message, Field> : never;
type Question = Without<ToClipDisk, 'id'>;

function createThread(program: URL, settings: { path: string; maxBytes: number }, log: Logger): Thread {
  const worker = new Worker(program, { name: 'clip disk', workerData: settings });
  const waiting = new Map<number, PromiseWithResolvers<KeptClip | undefined>>();
  let nextId = 1;
  let state: 'alive' | 'closing' | 'dead' = 'alive';

  worker.on('message', (message: FromClipDisk) => {
    if ('lost' in message) {
      log.warn({ reason: message.lost }, 'The kept speech on disk was damaged: starting with none');
      return;
    }
    const answer = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.ok) answer?.resolve(message.kept);
    else answer?.reject(new Error(message.message));
  });
  const died = (error?: Error) => {
    if (state === 'alive') log.warn({ err: error }, 'Speech is no longer kept on disk, until the next start');
    state = 'dead';
    for (const answer of waiting.values()) answer.reject(error ?? new Error('The thread of the clip disk ended'));
    waiting.clear();
  };
  worker.on('error', (error) => died(error as Error));
  worker.on('exit', () => died());

  function ask(question: Question): Promise<KeptClip | undefined> {
    if (state === 'dead') return Promise.reject(new Error('The clip disk is gone'));
    const id = nextId++;
    const answer = Promise.withResolvers<KeptClip | undefined>();
    waiting.set(id, answer);
    worker.postMessage({ ...question, id });
    return answer.promise;
  }

  return {
    get isAlive() {
      return state === 'alive';
    },
    ask,
    async close() {
      if (state !== 'dead') {
        state = 'closing';
        const closed = ask({ op: 'close' });
        await withDeadline(closed, { timeoutMs: CLOSE_DEADLINE_MS, what: 'Closing the clip disk' }).catch(
          (error: unknown) =>
            log.warn({ err: error }, 'The clip disk was not closed: its journal is read at the next start'),
        );
      }
      await worker.terminate();
    },
  };
}

function adapterOver(thread: Thread): KeyvStoreAdapter {
  const emitter = new EventEmitter();
  const adapter: KeyvStoreAdapter = {
    opts: { dialect: 'sqlite' },
    namespace: 'clips',
    async get<Value>(key: string) {
      const kept = await thread.ask({ op: 'get', key });
      return kept && ({ value: kept.bytes, expires: kept.expiresAtMs } as Value);
    },
    async set(key, entry: { value: Uint8Array; expires?: number }) {
      await thread.ask({ op: 'set', key, bytes: entry.value, expiresAtMs: entry.expires });
    },
    async delete(key) {
      await thread.ask({ op: 'delete', key });
      return true;
    },
    async clear() {
      await thread.ask({ op: 'clear' });
    },
    on(event, listener) {
      emitter.on(event, listener);
      return adapter;
    },
  };
  return adapter;
}
