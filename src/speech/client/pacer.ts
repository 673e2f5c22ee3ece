import { announcedWaitMs, type Headers, header } from '../../network/downloads.ts';

/** The longest delay of a timer in milliseconds: setTimeout fires at once for longer delays. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock = {
  now: () => performance.now(),
  random: Math.random,
  /** Calls `callback` once after `ms` milliseconds; the returned function cancels the call. */
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, Math.min(ms, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

export type ClientClock = typeof systemClock;

/** The rate limit of the API key, according to the headers of an answer, of which proxies may drop or add some. */
export function readRateLimit(headers: Headers) {
  const now = Date.now();
  const number = (name: string) => {
    const text = header(headers, name)?.trim() ?? '';
    return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  };
  const resetMs = announcedWaitMs(headers, 'x-ratelimit-reset-requests', now);
  const retryAfterMs = announcedWaitMs(headers, 'retry-after', now);
  const waits = [resetMs, retryAfterMs].filter((ms) => ms !== undefined);
  return {
    limit: number('x-ratelimit-limit-requests') || undefined,
    remaining: number('x-ratelimit-remaining-requests'),
    retryAfterMs,
    /** The longest delay in the headers in milliseconds: the service and a proxy may each announce a limit. */
    liftedAfterMs: waits.length > 0 ? Math.max(...waits) : undefined,
  };
}

/** The service's limit for each API key, over all endpoints, until an answer's headers state another one. */
export const DEFAULT_REQUESTS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Maximum pause. A longer delay from the service is probably a mistake: after the pause, one request asks again. */
export const MAX_PAUSE_MS = 10 * MINUTE_MS;

/** Requests of different Discord servers (fairness keys) alternate, and those of one server keep their order. */
export function createPacer(clock = systemClock) {
  let perMinute = DEFAULT_REQUESTS_PER_MINUTE;
  let tokens = perMinute;
  let filledAtMs = clock.now();
  let pausedUntilMs = 0;
  /** Waiting requests by Discord server. The first server is next, and moves to the end after its request. */
  const queues = new Map<string, Set<() => void>>();
  let cancelTimer = (): void => {};

  function refill(): void {
    const now = clock.now();
    tokens = Math.min(perMinute, tokens + (Math.max(0, now - filledAtMs) * perMinute) / MINUTE_MS);
    filledAtMs = now;
    if (pausedUntilMs !== 0 && now >= pausedUntilMs) {
      pausedUntilMs = 0;
      tokens = Math.max(1, tokens);
    }
  }

  /** Milliseconds until a request that waits behind `ahead` others may be sent; 0 if it may be sent now. */
  function waitMs(ahead: number): number {
    const perMs = perMinute / MINUTE_MS;
    const pauseMs = Math.max(0, pausedUntilMs - clock.now());
    const tokensThen = pauseMs > 0 ? Math.max(1, tokens + pauseMs * perMs) : tokens;
    const missing = ahead + 1 - tokensThen;
    // The count of rate-limit tokens is a fraction: less than 1e-6 of a token is a rounding error.
    return pauseMs + (missing <= 1e-6 ? 0 : Math.ceil(missing / perMs));
  }

  function serve(): void {
    cancelTimer();
    refill();
    for (const [key, queue] of queues) {
      const delayMs = waitMs(0);
      if (delayMs > 0) {
        cancelTimer = clock.after(delayMs, serve);
        return;
      }
      const [next] = queue;
      queues.delete(key);
      if (next === undefined) continue;
      queue.delete(next);
      if (queue.size > 0) queues.set(key, queue);
      tokens -= 1;
      next();
    }
  }

  return {
    expectedWaitMs(fairnessKey: string): number {
      refill();
      const own = queues.get(fairnessKey)?.size ?? 0;
      let ahead = own;
      // Discord servers take turns: before the new request, each other server gets at most one turn more than the request's own server.
      for (const [key, queue] of queues) if (key !== fairnessKey) ahead += Math.min(queue.size, own + 1);
      return waitMs(ahead);
    },
    /** Resolves with true when the request may be sent, and with false when the signal aborts. */
    turn(fairnessKey: string, signal: AbortSignal): Promise<boolean> {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const queue = queues.get(fairnessKey) ?? new Set();
      const grant = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(true);
      };
      const giveUp = () => {
        queue.delete(grant);
        if (queue.size === 0) queues.delete(fairnessKey);
        if (queues.size === 0) cancelTimer();
        resolve(false);
      };
      if (signal.aborted) return Promise.resolve(false);
      signal.addEventListener('abort', giveUp, { once: true });
      queues.set(fairnessKey, queue.add(grant));
      serve();
      return promise;
    },
    giveBack() {
      tokens = Math.min(perMinute, tokens + 1);
      serve();
    },
    learn(headers: Headers): void {
      const { limit, remaining } = readRateLimit(headers);
      refill();
      if (limit !== undefined && limit !== perMinute) {
        tokens = Math.max(0, tokens + limit - perMinute);
        perMinute = limit;
      }
      // Other programs may use the API key, too, so the service may count fewer remaining requests than the bot.
      if (remaining !== undefined) tokens = Math.min(tokens, remaining);
      serve();
    },
    pause(ms: number): void {
      refill();
      tokens = Math.min(tokens, 0);
      pausedUntilMs = Math.max(pausedUntilMs, clock.now() + Math.min(ms, MAX_PAUSE_MS));
      serve();
    },
  };
}
