import { type Clock, untilAborted } from './clock.ts';
import type { RateLimit } from './rate-limit.ts';

/** 60 requests a minute and key, all endpoints together, until the service's headers say otherwise. */
export const DEFAULT_REQUESTS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

/**
 * Holds requests back so that a busy bot stays under its key's rate limit: the same token bucket as the service's.
 * Waiting requests are served in turn between fairness keys, in order within a key.
 */
export interface Pacer {
  /** Resolves when a request may be sent; rejects with the signal's reason. */
  turn(fairnessKey: string, signal: AbortSignal): Promise<void>;
  /** Gives a turn back that was not used. */
  giveBack(): void;
  /** Corrects the bucket by what an answer's headers say. */
  learn(limit: RateLimit): void;
  /** Nothing is sent for this long: the service said so. */
  pause(ms: number): void;
  /** How long a request that came now would wait, as far as is known. */
  expectedWaitMs(): number;
}

export function createPacer(clock: Clock): Pacer {
  let perMinute = DEFAULT_REQUESTS_PER_MINUTE;
  let tokens = perMinute;
  let filledAtMs = clock.now();
  let pausedUntilMs = 0;
  /** A key moves to the end of the map when it was served: the first one is next. */
  const queues = new Map<string, (() => void)[]>();
  let cancelTimer: (() => void) | undefined;

  function refill(): void {
    const now = clock.now();
    tokens = Math.min(perMinute, tokens + (Math.max(0, now - filledAtMs) * perMinute) / MINUTE_MS);
    filledAtMs = now;
    if (pausedUntilMs !== 0 && now >= pausedUntilMs) {
      pausedUntilMs = 0;
      tokens = Math.max(1, tokens);
    }
  }

  /** Until the next turn, with `ahead` requests before it; 0 when it is now. Rounding of parts of a token is forgiven. */
  function waitMs(ahead: number): number {
    const pauseMs = Math.max(0, pausedUntilMs - clock.now());
    const missing = ahead + 1 - tokens;
    return Math.max(pauseMs, missing <= 1e-6 ? 0 : Math.ceil((missing * MINUTE_MS) / perMinute));
  }

  function serve(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    refill();
    while (queues.size > 0) {
      const delayMs = waitMs(0);
      if (delayMs > 0) {
        cancelTimer = clock.after(delayMs, serve);
        return;
      }
      const [[key, queue] = ['', []]] = queues;
      queues.delete(key);
      const next = queue.shift();
      if (queue.length > 0) queues.set(key, queue);
      if (next === undefined) continue;
      tokens -= 1;
      next();
    }
  }

  function leave(fairnessKey: string, grant: () => void): void {
    const queue = queues.get(fairnessKey);
    const position = queue?.indexOf(grant) ?? -1;
    if (queue === undefined || position < 0) return;
    queue.splice(position, 1);
    if (queue.length === 0) queues.delete(fairnessKey);
    if (queues.size === 0) cancelTimer?.();
  }

  return {
    async turn(fairnessKey, signal) {
      signal.throwIfAborted();
      const granted = Promise.withResolvers<void>();
      const queue = queues.get(fairnessKey);
      if (queue) queue.push(granted.resolve);
      else queues.set(fairnessKey, [granted.resolve]);
      serve();
      try {
        await untilAborted(granted.promise, signal);
      } catch (error) {
        leave(fairnessKey, granted.resolve);
        throw error;
      }
    },
    giveBack() {
      tokens = Math.min(perMinute, tokens + 1);
      serve();
    },
    learn({ limit, remaining }) {
      refill();
      if (limit !== undefined && limit !== perMinute) {
        tokens = Math.max(0, tokens + limit - perMinute);
        perMinute = limit;
      }
      // Others use the key too; our own bucket can only be too full, never too empty.
      if (remaining !== undefined) tokens = Math.min(tokens, remaining);
      serve();
    },
    pause(ms) {
      refill();
      tokens = Math.min(tokens, 0);
      pausedUntilMs = Math.max(pausedUntilMs, clock.now() + ms);
      serve();
    },
    expectedWaitMs() {
      refill();
      return waitMs([...queues.values()].reduce((sum, queue) => sum + queue.length, 0));
    },
  };
}
