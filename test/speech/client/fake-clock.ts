const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A clock that only moves when told to. */
export function createFakeClock() {
  let nowMs = 0;
  const timers = new Set<{ atMs: number; callback: () => void }>();
  const due = () => [...timers].toSorted((a, b) => a.atMs - b.atMs);
  const clock = {
    now: () => nowMs,
    random: () => 0.5,
    after(ms: number, callback: () => void) {
      const timer = { atMs: nowMs + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    /** Delays waited for at this moment, shortest first. */
    pending: () => due().map((timer) => timer.atMs - nowMs),
    /** Runs every timer that is due within `ms`, in order, letting promises settle in between. */
    async advance(ms: number) {
      const endMs = nowMs + ms;
      for (let [next] = due(); next && next.atMs <= endMs; [next] = due()) {
        nowMs = Math.max(nowMs, next.atMs);
        timers.delete(next);
        next.callback();
        await settle();
      }
      nowMs = endMs;
      await settle();
    },
    /** Waits until something waits for exactly `ms`, then lets that time pass. Rejects after 5 real seconds. */
    async elapse(ms: number) {
      const giveUpAt = performance.now() + 5000;
      while (!clock.pending().includes(ms)) {
        if (performance.now() > giveUpAt)
          throw new Error(`nothing waits ${ms} ms; pending: ${clock.pending().join(', ')}`);
        await settle();
      }
      await clock.advance(ms);
    },
  };
  return clock;
}
