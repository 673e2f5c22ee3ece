/** Time as the playground sees it: the deadlines of interactions, tokens and rate limits all ask this. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls back once after `delayMs`; the returned function cancels it. Never keeps the process alive. */
  after(delayMs: number, callback: () => void): () => void;
}

interface ManualClock extends Clock {
  /** Advances the time and runs due callbacks, in order. */
  advance(byMs: number): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A clock that stands still until `advance`, so that tests of the 3 s and 15 min deadlines need not sleep. */
export function createManualClock(startMs: number = Date.UTC(2026, 0, 15, 12)): ManualClock {
  let nowMs = startMs;
  const timers = new Set<{ dueMs: number; callback: () => void }>();
  return {
    now: () => nowMs,
    after(delayMs, callback) {
      const timer = { dueMs: nowMs + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(byMs) {
      const endMs = nowMs + byMs;
      for (;;) {
        const due = [...timers].filter((timer) => timer.dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
        if (!due) break;
        timers.delete(due);
        nowMs = Math.max(nowMs, due.dueMs);
        due.callback();
      }
      nowMs = endMs;
    },
  };
}
