/** Time passes only with `advance`, so that tests of the deadlines of 3 s and 15 min need not wait. */
export function createManualClock(startMs: number = Date.UTC(2026, 0, 15, 12)) {
  let nowMs = startMs;
  const timers = new Set<{ dueMs: number; callback: () => void }>();
  return {
    now: () => nowMs,
    after(delayMs: number, callback: () => void) {
      const timer = { dueMs: nowMs + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(byMs: number) {
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
