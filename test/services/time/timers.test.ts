import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  abortable,
  createAdjustableTimer,
  createAges,
  createPending,
  DeadlineError,
  withDeadline,
} from '../../../src/services/time/timers.ts';

const MINUTE_MS = 60_000;

describe('work with a deadline', () => {
  const what = 'The work';
  beforeEach(() => void vi.useFakeTimers());

  it('gives what the work gives when that is in time, and leaves no timer behind', async () => {
    await expect(withDeadline(Promise.resolve(7), { timeoutMs: 100, what })).resolves.toBe(7);
    const failure = new Error('broken');
    await expect(withDeadline(Promise.reject(failure), { timeoutMs: 100, what })).rejects.toBe(failure);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects with what took too long, and no sooner', async () => {
    const failed = vi.fn();
    withDeadline(new Promise(() => undefined), { timeoutMs: 100, what }).catch(failed);
    await vi.advanceTimersByTimeAsync(99);
    expect(failed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(failed).toHaveBeenCalledWith(new DeadlineError('The work took longer than 100 ms'));
  });

  it('rejects with the reason of a signal, whether it comes before or meanwhile', async () => {
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const late = withDeadline(new Promise(() => undefined), { timeoutMs: 100, what, signal: controller.signal });
    controller.abort(reason);
    await expect(late).rejects.toBe(reason);
    const failing = Promise.reject(new Error('nobody hears of this one'));
    await expect(withDeadline(failing, { timeoutMs: 100, what, signal: controller.signal })).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('work that several wait for goes on when one of them gives up', async () => {
  const { promise: work, resolve } = Promise.withResolvers<number>();
  const [leaving, staying] = [new AbortController(), new AbortController()];
  const reason = new Error('gone');
  const [left, stayed] = [abortable(work, leaving.signal), abortable(work, staying.signal)];
  leaving.abort(reason);
  await expect(left).rejects.toBe(reason);
  resolve(7);
  await expect(stayed).resolves.toBe(7);
});

describe('an adjustable timer', () => {
  beforeEach(() => void vi.useFakeTimers());

  function waiting() {
    const onOver = vi.fn();
    const limit = { ms: 1_000 };
    return { wait: createAdjustableTimer(() => limit.ms, onOver), onOver, limit };
  }

  it('is over once, after its time, also when it is started again', () => {
    const { wait, onOver } = waiting();
    wait.start();
    vi.advanceTimersByTime(500);
    wait.start();
    vi.advanceTimersByTime(500);
    expect(onOver).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(10_000);
    expect(onOver).toHaveBeenCalledOnce();
  });

  it('a shorter time holds for what is under way; a longer one even without a word', () => {
    const { wait, onOver, limit } = waiting();
    wait.start();
    limit.ms = 3_000;
    vi.advanceTimersByTime(2_999);
    expect(onOver).not.toHaveBeenCalled();
    limit.ms = 10_000;
    wait.measureAgain();
    vi.advanceTimersByTime(2_001);
    limit.ms = 4_000;
    wait.measureAgain();
    vi.advanceTimersByTime(0);
    expect(onOver).toHaveBeenCalledOnce();
  });
});

const of = (userId: string, words = 'Hello') => ({ userId, words });
type Words = ReturnType<typeof of>;
type Kinds = { readonly order: Words; readonly form: Words };

describe('what is kept for a press on a button', () => {
  it('gives back what was kept of a kind, once', () => {
    const pending = createPending<Kinds>();
    const token = pending.put('form', of('2'));
    expect(pending.peek('form', token)).toEqual(of('2'));
    for (const wrong of [token, 'made up']) expect(pending.take('order', wrong)).toBeUndefined();
    expect(pending.take('form', token)).toEqual(of('2'));
    expect(pending.peek('form', token)).toBeUndefined();
    expect(pending.take('form', token)).toBeUndefined();
  });

  it('knows who took it, and nobody for what was not taken', () => {
    const pending = createPending<Kinds>();
    const [hers, left, nobodys] = ['1', '2', '3'].map((id) => pending.put('order', of(id))) as [string, string, string];
    pending.take('order', hers, 'alice');
    pending.take('order', 'made up', 'alice');
    pending.take('order', nobodys);
    expect(pending.wasTakenBy('alice', hers)).toBe(true);
    expect(pending.wasTakenBy('bob', hers)).toBe(false);
    expect([left, nobodys, 'made up'].some((token) => pending.wasTakenBy('alice', token))).toBe(false);
  });

  it('counts the texts of a member and forgets all that is theirs, of every kind', () => {
    let nowMs = 1;
    const pending = createPending<Kinds>(() => nowMs);
    pending.put('order', of('alice'));
    nowMs += 15 * MINUTE_MS;
    const hers = [pending.put('form', of('alice')), pending.put('form', of('alice', ''))];
    const bobs = pending.put('order', of('bob'));
    expect(pending.countOf('alice')).toBe(2);
    nowMs += 1;
    expect(pending.countOf('alice')).toBe(1);
    pending.forgetMember('alice');
    expect(hers.map((token) => pending.take('form', token))).toEqual([undefined, undefined]);
    expect(pending.take('order', bobs)).toEqual(of('bob'));
  });

  it('forgets the oldest of too many', () => {
    const pending = createPending<Kinds>();
    const first = pending.put('order', of('2'));
    const rest = Array.from({ length: 1_000 }, (_, index) => pending.put('order', of(String(index))));
    expect(pending.take('order', first)).toBeUndefined();
    expect(pending.take('order', rest[0] as string)).toEqual(of('0'));
  });

  it('keeps nothing in memory that has expired, also when nothing more is put', () => {
    vi.useFakeTimers();
    // A start at 0 means no lifetime to lru-cache.
    vi.advanceTimersByTime(1);
    const pending = createPending<Kinds>();
    pending.put('order', of('alice'));
    vi.advanceTimersByTime(60_000);
    pending.put('order', of('alice'));
    expect(vi.getTimerCount()).toBe(2);
    vi.advanceTimersByTime(14 * 60_000 + 1);
    expect(vi.getTimerCount()).toBe(1);
    expect(pending.countOf('alice')).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(pending.countOf('alice')).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

const NOON = Date.UTC(2026, 10, 21, 12);

/** Discord's clock, and one here that is wrong by so much and runs so much too fast. */
function clocks({ wrongByMs = 0, tooFast = 0 } = {}) {
  let passedMs = 0;
  const ages = createAges(() => NOON + wrongByMs + passedMs * (1 + tooFast));
  return {
    passes: (ms: number) => {
      passedMs += ms;
    },
    /** How old a message is when it comes in so long after it was posted. */
    comesIn(afterMs: number) {
      const postedAtMs = NOON + passedMs - afterMs;
      ages.cameIn(postedAtMs);
      return Math.round(ages.ageMs(postedAtMs));
    },
  };
}

describe('the age of a message', () => {
  const WRONG_BY_MS = [0, -3 * MINUTE_MS, 3 * MINUTE_MS, -NOON];
  it.each(WRONG_BY_MS)('does not depend on the host’s clock: wrong by %d ms', (wrongByMs) => {
    const { comesIn, passes } = clocks({ wrongByMs });
    expect(comesIn(100)).toBe(0);
    passes(10 * MINUTE_MS);
    expect(comesIn(100)).toBeLessThan(1_000);
    // What a resumed session replays.
    expect(comesIn(5 * MINUTE_MS)).toBeGreaterThan(4.9 * MINUTE_MS);
    expect(comesIn(MINUTE_MS)).toBeLessThan(1.1 * MINUTE_MS);
    expect(comesIn(100)).toBeLessThan(1_000);
  });

  it('grows while it waits', () => {
    let now = 0;
    const ages = createAges(() => now);
    ages.cameIn(NOON);
    now = MINUTE_MS;
    expect(ages.ageMs(NOON)).toBeGreaterThan(0.99 * MINUTE_MS);
  });

  it.each([-0.0005, 0.0005])('is right after months with a clock that drifts by %d', (tooFast) => {
    const { comesIn, passes } = clocks({ tooFast });
    for (let hours = 0; hours < 2_000; hours += 1) {
      expect(comesIn(200)).toBeLessThan(10_000);
      passes(60 * MINUTE_MS);
    }
    expect(comesIn(5 * MINUTE_MS)).toBeGreaterThan(4.9 * MINUTE_MS);
  });
});
