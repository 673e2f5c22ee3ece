import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Actions offered by a button, in memory only: kept for as long as Discord lets the message of the button be used. */
export interface Pending<Value> {
  /** Keeps it; the token fits into a custom id and cannot be guessed. */
  put(value: Value): string;
  /** The value of a token: undefined when it was taken, has expired, or never was. */
  peek(token: string): Value | undefined;
  /** The same, once: undefined when it was taken, has expired, or never was. */
  take(token: string, byUserId?: string): Value | undefined;
  /** Whether this user took it a short while ago. */
  wasTakenBy(userId: string, token: string): boolean;
  /** The number of matching values that can still be taken. */
  count(matches: (value: Value) => boolean): number;
  /** Drops the matching values: they can no longer be taken. */
  drop(matches: (value: Value) => boolean): void;
}

const LIFETIME_MS = 15 * 60_000;
const MOST_KEPT = 1_000;

export function createPending<Value extends object | string | number>({
  now = () => performance.now(),
}: {
  readonly now?: () => number;
} = {}): Pending<Value> {
  // Purged by timers: expired values leave the memory also when nothing is put after them.
  const bounds = { max: MOST_KEPT, ttl: LIFETIME_MS, ttlAutopurge: true, ttlResolution: 0, perf: { now } };
  const kept = new LRUCache<string, Value>(bounds);
  /** By whom. */
  const taken = new LRUCache<string, string>(bounds);

  return {
    put(value) {
      const token = randomBytes(9).toString('base64url');
      kept.set(token, value);
      return token;
    },
    peek: (token) => kept.peek(token),
    take(token, byUserId) {
      const value = kept.peek(token);
      if (kept.delete(token) && byUserId !== undefined) taken.set(token, byUserId);
      return value;
    },
    wasTakenBy: (userId, token) => taken.get(token) === userId,
    count: (matches) => [...kept.values()].filter(matches).length,
    drop(matches) {
      for (const [token, value] of [...kept.entries()]) if (matches(value)) kept.delete(token);
    },
  };
}
