/** The client's source of time and randomness, replaced in tests. */
export interface MonotonicClock {
  /** Milliseconds of a monotonic clock, for durations. */
  now(): number;
  /** Milliseconds since 1970, to compare with times from other machines. */
  sinceEpochMs(): number;
  /** 0 ≤ n < 1. */
  random(): number;
  /** Calls back once after `ms`; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
}

/** setTimeout fires at once for anything longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const monotonicClock: MonotonicClock = {
  now: () => performance.now(),
  sinceEpochMs: Date.now,
  random: Math.random,
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: MonotonicClock, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal.aborted) {
    reject(signal.reason);
    return promise;
  }
  const cancel = clock.after(ms, () => {
    signal.removeEventListener('abort', onAbort);
    resolve();
  });
  const onAbort = () => {
    cancel();
    reject(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return promise;
}
