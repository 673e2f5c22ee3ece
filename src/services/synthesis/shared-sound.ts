import type { Logger } from 'pino';
import { openCacheServer } from '../storage/cache-server.ts';
import { createByteCipher } from '../storage/value-cipher.ts';
import { DeadlineError, withDeadline } from '../time/deadline.ts';
import { stallProofDeadline } from '../time/stall-proof-deadline.ts';

interface SharedSoundOptions {
  /** CACHE_URL. */
  readonly url: string;
  /** See cacheSecret: the same for all processes that speak with one account. */
  readonly secret: Uint8Array;
  readonly ttlMs: number;
  readonly log: Logger;
  readonly deadlineMs?: number;
}

/** A read takes a millisecond or two; listeners wait for it before a sound is made. */
const DEADLINE_MS = 75;
/** Two minutes of speech: more could not be read in time, and is not said twice. */
const MAX_SOUND_BYTES = 1024 * 1024;
const MAX_SEALED_BYTES = MAX_SOUND_BYTES + 64;
/** Writes on their way to a server that does not keep up. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;
const CLOSE_DEADLINE_MS = 500;
/** Whoever shares the server with others can tell our keys from theirs. */
const PREFIX = 'crier:sound:';

/**
 * Packed clips in a Valkey or Redis, sealed: what one process of the bot has bought, the others speak. Whatever is wrong there
 * costs a miss and nothing else.
 */
export function openSharedSound(options: SharedSoundOptions) {
  const { url, ttlMs, log, deadlineMs = DEADLINE_MS } = options;
  const seal = createByteCipher(options.secret, 'shared sound');
  const server = openCacheServer(url);
  /** Reads that have not come back in time: while there are any, the server is not asked. */
  let overdue = 0;
  let pendingBytes = 0;
  const writing = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;
  const reach = watchOf('The cache of CACHE_URL does not answer: sound of other processes is made anew', 'answers');
  const room = watchOf('The cache of CACHE_URL takes no more sound', 'takes sound');

  server.on('ready', reach.works);
  server.on('error', reach.fails);
  server.on('close', () => reach.fails(new Error('The connection was closed')));

  /** Logs the first failure, and the end of it. */
  function watchOf(trouble: string, does: string) {
    let works = true;
    return {
      works() {
        if (!works) log.info(`The cache of CACHE_URL ${does} again`);
        works = true;
      },
      fails(error: unknown) {
        if (works && !closing) log.warn({ err: error }, trouble);
        works = false;
      },
    };
  }

  const isReachable = () => server.status === 'ready' && overdue === 0 && !closing;

  async function write(key: string, packed: Uint8Array): Promise<void> {
    pendingBytes += packed.length;
    try {
      await server.set(PREFIX + key, Buffer.from(seal.close(key, packed)), 'PX', ttlMs);
      room.works();
    } catch (error) {
      // Full, read-only, not permitted; or gone meanwhile.
      if (isRefusal(error)) room.fails(error);
      else reach.fails(error);
    } finally {
      pendingBytes -= packed.length;
    }
  }

  async function end(): Promise<void> {
    const written = Promise.all(writing);
    await withDeadline(written, { timeoutMs: CLOSE_DEADLINE_MS, what: 'Writing to the shared cache' }).catch(
      (error: unknown) => log.warn({ err: error }, 'Sound may be missing in the cache of CACHE_URL'),
    );
    server.disconnect();
  }

  return {
    /** Whether it answers now. */
    isReachable,
    /** Undefined when there is none, or when the server does not answer soon. Never rejects. */
    async get(key: string): Promise<Uint8Array | undefined> {
      if (!isReachable()) return undefined;
      // Never more of a value, whoever wrote it.
      const reading = server.getrangeBuffer(PREFIX + key, 0, MAX_SEALED_BYTES - 1);
      try {
        const sealed = await stallProofDeadline(reading, { timeoutMs: deadlineMs, what: 'The shared cache' });
        reach.works();
        return seal.open(key, sealed);
      } catch (error) {
        reach.fails(error);
        if (!(error instanceof DeadlineError)) return undefined;
        overdue += 1;
        const isOver = () => {
          overdue -= 1;
        };
        reading.then(isOver, isOver);
        // Not after a failure: that one's end is a new connection.
        reading.then(reach.works, () => undefined);
        return undefined;
      }
    },
    /** Written some time later, or not at all when the server is gone or cannot keep up. */
    set(key: string, packed: Uint8Array): void {
      if (!isReachable() || packed.length > MAX_SOUND_BYTES || pendingBytes + packed.length > MAX_PENDING_BYTES) return;
      const written = write(key, packed).finally(() => writing.delete(written));
      writing.add(written);
    },
    /** Resolves when all earlier calls of set() are written, or after half a second. Idempotent. */
    close(): Promise<void> {
      closing ??= end();
      return closing;
    },
  };
}

export type SharedSound = ReturnType<typeof openSharedSound>;

/** The server has answered, and does not do it. */
const isRefusal = (error: unknown) => error instanceof Error && error.name === 'ReplyError';
