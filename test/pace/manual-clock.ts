const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Time passes only with `advance` and `elapse`, so that tests of the deadlines of 3 s and 15 min need not wait. */
export function createManualClock() {
  let nowMs = Date.UTC(2026, 0, 15, 12);
  const timers = new Set<{ dueMs: number; callback: () => void }>();
  const inOrder = () => [...timers].toSorted((a, b) => a.dueMs - b.dueMs);
  const clock = {
    now: () => nowMs,
    random: () => 0.5,
    after(delayMs: number, callback: () => void) {
      const timer = { dueMs: nowMs + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    /** Delays waited for at this moment, shortest first. */
    pending: () => inOrder().map(({ dueMs }) => dueMs - nowMs),
    /** Runs every timer that is due within this time, in order, letting promises settle in between. */
    async advance(byMs: number) {
      const endMs = nowMs + byMs;
      for (let [next] = inOrder(); next && next.dueMs <= endMs; [next] = inOrder()) {
        nowMs = Math.max(nowMs, next.dueMs);
        timers.delete(next);
        next.callback();
        await settle();
      }
      nowMs = endMs;
      await settle();
    },
    /** Waits until something waits for exactly this delay, then lets that time pass. Rejects after 5 real seconds. */
    async elapse(delayMs: number) {
      const giveUpAt = performance.now() + 5000;
      while (!clock.pending().includes(delayMs)) {
        if (performance.now() > giveUpAt) throw new Error(`nothing waits ${delayMs} ms but ${clock.pending()}`);
        await settle();
      }
      await clock.advance(delayMs);
    },
  };
  return clock;
}
