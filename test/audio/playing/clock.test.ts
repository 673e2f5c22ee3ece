import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createClock,
  createSchedule,
  createScheduleEntry,
  type ScheduleEntry,
  type Ticking,
} from '../../../src/audio/playing/clock.ts';

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
  beforeEach(() => void vi.useFakeTimers());

  test('gives the first turn before start() returns', () => {
    const ticking = counting();
    createClock().add(ticking).start();
    expect(ticking.times).toEqual([performance.now()]);
    vi.advanceTimersByTime(100);
    expect(ticking.times).toHaveLength(6);
  });

  test('gives no further turn once it may not, however late that is noticed', () => {
    let mayTick = true;
    const ticking = counting();
    const clock = createClock(() => mayTick);
    clock.add(ticking).start();
    vi.advanceTimersByTime(40);
    const before = ticking.times.length;
    expect(before).toBeGreaterThan(1);
    mayTick = false;
    vi.advanceTimersByTime(2_000);
    expect(ticking.times).toHaveLength(before);
    expect([clock.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('uses one timer, however often it is started and stopped (the library leaks a chain for each idle)', () => {
    const clock = createClock();
    const handle = clock.add(counting());
    for (let i = 0; i < 50; i++) {
      handle.start();
      vi.advanceTimersByTime(7);
      handle.stop();
      vi.advanceTimersByTime(3);
    }
    handle.start();
    expect(vi.getTimerCount()).toBe(1);
    handle.stop();
    vi.advanceTimersByTime(50);
    expect(vi.getTimerCount()).toBe(0);
    expect(clock.size).toBe(0);
  });

  test('one that throws in every turn stops no other (the library stops every server)', () => {
    const clock = createClock();
    const [first, second] = [counting(), counting()];
    const bad = counting({
      tick() {
        throw new Error('encryption failed');
      },
    });
    for (const each of [first, bad, second]) clock.add(each).start();
    vi.advanceTimersByTime(1_000);
    for (const { times } of [first, second]) expect(times.length).toBeGreaterThanOrEqual(50);
    expect(bad.errors).toHaveLength(1);
    expect(clock.size).toBe(2);
  });
});

/** A schedule with its own time, that writes down every turn. */
function world(hasNext: (entry: ScheduleEntry) => boolean = () => true, startMs = 1_000.3) {
  const turns: { entry: ScheduleEntry; atMs: number }[] = [];
  const schedule = createSchedule((entry, atMs) => void turns.push({ entry, atMs }));
  function newEntry(): ScheduleEntry {
    const entry: ScheduleEntry = createScheduleEntry(counting({ hasNext: () => hasNext(entry) }));
    return entry;
  }
  let now = startMs;
  const serve = () => {
    while (schedule.serveNext(now));
  };
  return {
    schedule,
    turns,
    now: () => now,
    newEntry,
    add(entry = newEntry()) {
      schedule.add(entry, now);
      return entry;
    },
    /** Lets time pass as timers see it: wakes when asked to, up to a millisecond late. */
    pass(ms: number, jitterMs = 0.4) {
      const end = now + ms;
      for (;;) {
        const next = schedule.nextMs();
        if (next === undefined || next > end) break;
        now = Math.max(now, next + jitterMs);
        serve();
      }
      now = Math.max(now, end);
      serve();
    },
    /** Nothing runs for this long, and then only one millisecond's turns are served before something else runs. */
    stallAndServeOnce(ms: number) {
      now += ms;
      schedule.serveNext(now);
    },
    /** Nothing runs for this long. */
    stall(ms: number) {
      now += ms;
      serve();
    },
    of: (entry: ScheduleEntry) => turns.filter((turn) => turn.entry === entry).map(({ atMs }) => atMs),
  };
}

const gaps = (times: readonly number[]) => times.slice(1).map((time, i) => time - (times[i] ?? 0));

describe('the schedule', () => {
  test('gives the first turn at once and then one every 20 ms, without drifting', () => {
    const { add, pass, of, now } = world();
    const startedAtMs = now();
    const entry = add();
    expect(of(entry)).toEqual([startedAtMs]);
    pass(60_010);
    const times = of(entry);
    expect(times.length).toBe(3_001);
    expect(Math.max(...times.map((time, i) => Math.abs(time - (startedAtMs + i * 20))))).toBeLessThan(1.5);
  });

  test('a hiccup of 45 ms is caught up, with at least 10 ms between any two turns', () => {
    const { add, pass, stall, of, now } = world();
    const startedAtMs = now();
    const entry = add();
    pass(100);
    stall(45);
    pass(400);
    const times = of(entry);
    expect(Math.min(...gaps(times))).toBeGreaterThanOrEqual(9);
    // Back in step: as many turns as without the hiccup.
    expect(times.length).toBe(Math.floor((now() - startedAtMs) / 20) + 1);
  });

  test('after a stall of 2 s there is no burst: at most 15 turns in 200 ms, and never two within 10 ms', () => {
    const { add, pass, stall, of, now } = world();
    const entry = add();
    pass(500);
    stall(2_000);
    const resumedAt = now();
    pass(200);
    const after = of(entry).filter((time) => time >= resumedAt);
    expect(after.length).toBeGreaterThanOrEqual(9);
    expect(after.length).toBeLessThanOrEqual(11);
    expect(Math.min(...gaps(after))).toBeGreaterThan(10);
  });

  test('one that has nothing for its next turn yet keeps its own 20 ms until it has', () => {
    const ready = new Set<ScheduleEntry>();
    const { add, pass, of } = world((entry) => ready.has(entry), 1_000);
    add();
    pass(7, 0);
    const slow = add();
    pass(193, 0);
    expect(new Set(gaps(of(slow)))).toEqual(new Set([20]));
    ready.add(slow);
    pass(100, 0);
    expect(gaps(of(slow)).slice(-2)).toEqual([20, 20]);
    expect(gaps(of(slow))).toContain(13);
  });

  test('a few that start at any time are soon woken for together, each by coming a little early', () => {
    const { add, pass, turns, of } = world();
    const entries = [0, 5, 11, 3, 14, 7, 16, 9].map((afterMs) => {
      pass(afterMs);
      return add();
    });
    pass(200);
    const from = turns.length;
    pass(1_000);
    const wakeUps = new Set(turns.slice(from).map(({ atMs }) => Math.floor(atMs)));
    expect(turns.length - from).toBeGreaterThanOrEqual(8 * 49);
    expect(wakeUps.size).toBeLessThanOrEqual(51);
    for (const entry of entries) {
      const own = gaps(of(entry));
      expect(Math.min(...own)).toBeGreaterThan(11);
      // Three turns that come 8 ms early at most cover the 20 ms.
      expect(own.filter((gap) => gap < 19).length).toBeLessThanOrEqual(3);
    }
  });

  test('a thousand that start at once spread over the 20 ms, without a gap under 10 ms', () => {
    const { add, pass, turns, of } = world();
    const entries = Array.from({ length: 1_000 }, () => add());
    pass(1_000);
    const last = turns.filter(({ atMs }) => atMs > 1_900).map(({ atMs }) => Math.floor(atMs) % 20);
    const load = Array.from({ length: 20 }, (_, phase) => last.filter((value) => value === phase).length);
    expect(Math.max(...load)).toBeLessThan(1.6 * (last.length / 20));
    for (const entry of entries) {
      const own = gaps(of(entry));
      expect(Math.min(...own)).toBeGreaterThan(10);
      expect(Math.max(...own)).toBeLessThan(22);
    }
  });

  test('whatever happens, no entry is lost and none has two turns within 9 ms', () => {
    const ms = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('pass'), ms: ms(0.1, 90) }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('stall', 'cut short'), ms: ms(1, 3_000) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('toggle'), ms: fc.integer({ min: 0, max: 9 }) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { schedule, newEntry, add, pass, stall, stallAndServeOnce, of } = world();
        const entries = Array.from({ length: 10 }, newEntry);
        for (const { kind, ms } of steps) {
          if (kind === 'pass') pass(ms);
          else if (kind === 'stall') stall(ms);
          else if (kind === 'cut short') stallAndServeOnce(ms);
          else {
            const entry = entries[ms] as ScheduleEntry;
            if (entry.isActive) schedule.remove(entry);
            else add(entry);
          }
        }
        const before = entries.map((entry) => of(entry).length);
        pass(100);
        for (const [i, entry] of entries.entries()) {
          const times = of(entry);
          if (times.length > 1) expect(Math.min(...gaps(times))).toBeGreaterThan(9);
          const gained = times.length - (before[i] ?? 0);
          if (entry.isActive) expect(gained).toBeGreaterThanOrEqual(4);
          else expect(gained).toBe(0);
        }
        expect(schedule.size).toBe(entries.filter(({ isActive }) => isActive).length);
      }),
      { numRuns: 300 },
    );
  });
});
