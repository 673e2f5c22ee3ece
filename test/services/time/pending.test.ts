import { afterEach, expect, it, vi } from 'vitest';
import { createPending } from '../../../src/services/time/pending.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('gives back what was kept, once', () => {
  const pending = createPending<string>();
  const [one, two] = [pending.put('one'), pending.put('two')];
  expect(pending.peek(two)).toBe('two');
  expect(pending.take(two)).toBe('two');
  expect(pending.peek(two)).toBeUndefined();
  expect(pending.take(one)).toBe('one');
  expect(pending.take(one)).toBeUndefined();
  expect(pending.take('made up')).toBeUndefined();
});

it('knows who took it, and nobody for what was not taken', () => {
  const pending = createPending<string>();
  const [hers, left, nobodys] = [pending.put('hers'), pending.put('left'), pending.put('nobodys')];
  pending.take(hers, 'alice');
  pending.take('made up', 'alice');
  pending.take(nobodys);
  expect(pending.wasTakenBy('alice', hers)).toBe(true);
  expect(pending.wasTakenBy('bob', hers)).toBe(false);
  expect([left, nobodys, 'made up'].some((token) => pending.wasTakenBy('alice', token))).toBe(false);
});

it('counts and drops what matches, and leaves the rest', () => {
  let nowMs = 1;
  const pending = createPending<{ readonly whose: string }>({ now: () => nowMs });
  const isAlices = ({ whose }: { whose: string }) => whose === 'alice';
  pending.put({ whose: 'alice' });
  nowMs += 15 * 60_000;
  const [hers, bobs] = [pending.put({ whose: 'alice' }), pending.put({ whose: 'bob' })];
  expect(pending.count(isAlices)).toBe(2);
  nowMs += 1;
  expect(pending.count(isAlices)).toBe(1);
  pending.drop(isAlices);
  expect(pending.count(isAlices)).toBe(0);
  expect(pending.take(hers)).toBeUndefined();
  expect(pending.take(bobs)).toEqual({ whose: 'bob' });
});

it('forgets after a quarter of an hour, and the oldest of too many', () => {
  let nowMs = 1;
  const pending = createPending<number>({ now: () => nowMs });
  const early = pending.put(1);
  nowMs += 15 * 60_000 + 1;
  expect(pending.take(early)).toBeUndefined();
  const first = pending.put(2);
  const rest = Array.from({ length: 1_000 }, (_, index) => pending.put(index));
  expect(pending.take(first)).toBeUndefined();
  expect(pending.take(rest[0] as string)).toBe(0);
});

it('keeps nothing in memory that has expired, also when nothing more is put', () => {
  vi.useFakeTimers();
  // A start at 0 means no lifetime to lru-cache.
  vi.advanceTimersByTime(1);
  const pending = createPending<string>();
  const inMemory = () => {
    const found: string[] = [];
    pending.drop((value) => found.push(value) < 0);
    return found;
  };
  pending.put('one');
  vi.advanceTimersByTime(60_000);
  pending.put('two');
  expect(vi.getTimerCount()).toBe(2);
  vi.advanceTimersByTime(14 * 60_000 + 1);
  expect(vi.getTimerCount()).toBe(1);
  expect(inMemory()).toEqual(['two']);
  vi.advanceTimersByTime(60_000);
  expect(inMemory()).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
