import { describe, expect, test } from 'vitest';
import { createClock, type Ticking } from '../../../src/audio/playing/clock.ts';

/** Timers under our control: time only passes by `pass`. */
function manualTime() {
  let now = 500;
  let timers: { callback: () => void; atMs: number }[] = [];
  return {
    now: () => now,
    setTimer(callback: () => void, delayMs: number) {
      const timer = { callback, atMs: now + delayMs };
      timers.push(timer);
      return timer;
    },
    clearTimer(timer: unknown) {
      timers = timers.filter((other) => other !== timer);
    },
    pending: () => timers.length,
    pass(ms: number) {
      const end = now + ms;
      for (;;) {
        const due = timers.filter(({ atMs }) => atMs <= end).sort((a, b) => a.atMs - b.atMs)[0];
        if (!due) break;
        timers.splice(timers.indexOf(due), 1);
        now = Math.max(now, due.atMs);
        due.callback();
      }
      now = end;
    },
  };
}

function counting(overrides: Partial<Ticking> = {}): Ticking & { times: number[]; errors: unknown[] } {
  const times: number[] = [];
  const errors: unknown[] = [];
  return {
    times,
    errors,
    tick(nowMs) {
      times.push(nowMs);
      return true;
    },
    hasNext: () => true,
    warm: () => 0,
    failed: (error) => errors.push(error),
    ...overrides,
  };
}

describe('the clock', () => {
  test('gives the first turn before start() returns', () => {
    const time = manualTime();
    const ticking = counting();
    createClock(time).add(ticking).start();
    expect(ticking.times).toEqual([500]);
    time.pass(100);
    expect(ticking.times).toHaveLength(6);
  });

  test('gives no further turn once it may not, however late that is noticed', () => {
    const time = manualTime();
    let mayTick = true;
    const ticking = counting();
    const clock = createClock(time, () => mayTick);
    clock.add(ticking).start();
    time.pass(40);
    const before = ticking.times.length;
    expect(before).toBeGreaterThan(1);
    mayTick = false;
    time.pass(2_000);
    expect(ticking.times).toHaveLength(before);
    expect([clock.size, time.pending()]).toEqual([0, 0]);
  });

  test('uses one timer, however often it is started and stopped (the library leaks a chain for each idle)', () => {
    const time = manualTime();
    const clock = createClock(time);
    const handle = clock.add(counting());
    for (let i = 0; i < 50; i++) {
      handle.start();
      time.pass(7);
      handle.stop();
      time.pass(3);
    }
    handle.start();
    expect(time.pending()).toBe(1);
    handle.stop();
    time.pass(50);
    expect(time.pending()).toBe(0);
    expect(clock.size).toBe(0);
  });

  test('one that throws in every turn stops no other (the library stops every server)', () => {
    const time = manualTime();
    const clock = createClock(time);
    const good = [counting(), counting()];
    const bad = counting({
      tick() {
        throw new Error('encryption failed');
      },
    });
    const [first, second] = good;
    if (first) clock.add(first).start();
    clock.add(bad).start();
    if (second) clock.add(second).start();
    time.pass(1_000);
    for (const { times } of good) expect(times.length).toBeGreaterThanOrEqual(50);
    expect(bad.errors).toHaveLength(1);
    expect(clock.size).toBe(2);
  });
});
