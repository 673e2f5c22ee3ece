import { Redis } from 'iovalkey';
import { withDeadline } from '../time/deadline.ts';

/** A Valkey or Redis that several processes share as a cache: nothing is lost with what is in it. */
export type CacheServer = Redis;

const CONNECT_TIMEOUT_MS = 2_000;
/** A server that stands still, or whose machine vanished, ends no connection. */
const ANSWER_TIMEOUT_MS = 5_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 10_000;

/**
 * Connects, and again after each loss, ever more rarely. Without a connection a command fails at once, and none is sent again.
 * The caller listens to 'error' and 'close', and calls disconnect().
 */
export function openCacheServer(url: string): CacheServer {
  return new Redis(url, {
    connectionName: 'crier',
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: ANSWER_TIMEOUT_MS,
    keepAlive: LONGEST_RETRY_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // Of many processes, not all at once.
    retryStrategy: (attempts) =>
      Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS) * (0.5 + Math.random() / 2),
  });
}

/** The password as it is written in the address, and as the server is given it: no log may show either. */
export function cachePasswords(url: string): readonly string[] {
  const { password } = new URL(url);
  return password === '' ? [] : [password, decodeURIComponent(password)];
}

/** Asks the server what it is, once, and changes nothing in it. Rejects with its error. */
export async function inspectCacheServer(url: string, timeoutMs: number) {
  const server = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let failure: unknown;
  server.on('error', (error) => {
    failure ??= error;
  });
  try {
    const asking = server.connect().then(() => server.info());
    const lines = (await withDeadline(asking, { timeoutMs, what: 'Asking it' })).split('\r\n');
    const figure = (name: string) => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1);
    const valkey = figure('valkey_version');
    return {
      version: valkey ? `Valkey ${valkey}` : `Redis ${figure('redis_version') ?? 'of an unknown version'}`,
      /** 0: no limit. */
      maxBytes: Number(figure('maxmemory')),
      eviction: figure('maxmemory_policy') ?? 'unknown',
    };
  } catch (error) {
    throw failure ?? error;
  } finally {
    server.disconnect();
  }
}
