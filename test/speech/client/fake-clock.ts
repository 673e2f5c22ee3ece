import type { ClientClock } from '../../../src/speech/client/pacer.ts';

export interface FakeClock extends ClientClock {
  /** Runs every timer that is due within `ms`, in order, letting promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Waits until something waits for exactly `ms`, then lets that time pass. Rejects after 5 real seconds. */
  elapse(ms: number): Promise<void>;
  /** Delays waited for at this moment, shortest first. */
  pending(): number[];
  chance: number;
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A clock that only moves when told to; `random()` gives `chance`, 0.5 at first. */
export function createFakeClock(): FakeClock {
  let nowMs = 0;
  const timers = new Set<{ atMs: number; callback: () => void }>();
  const due = () => [...timers].toSorted((a, b) => a.atMs - b.atMs);
  const clock: FakeClock = {
    chance: 0.5,
    now: () => nowMs,
    random: () => clock.chance,
    after(ms, callback) {
      const timer = { atMs: nowMs + ms, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pending: () => due().map((timer) => timer.atMs - nowMs),
    async advance(ms) {
      const endMs = nowMs + ms;
      while (true) {
        const [next] = due();
        if (next === undefined || next.atMs > endMs) break;
        nowMs = Math.max(nowMs, next.atMs);
        timers.delete(next);
        next.callback();
        await settle();
      }
      nowMs = endMs;
      await settle();
    },
    async elapse(ms) {
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
