import { expect, it, vi } from 'vitest';
import { createPending } from '../../../src/services/time/timers.ts';

const of = (userId: string, words = 'Hello') => ({ userId, words });
type Words = ReturnType<typeof of>;
type Kinds = { readonly order: Words; readonly form: Words };

it('gives back what was kept of a kind, once', () => {
  const pending = createPending<Kinds>();
  const [one, two] = [pending.put('order', of('1')), pending.put('form', of('2'))];
  expect(pending.peek('form', two)).toEqual(of('2'));
  expect(pending.take('order', two)).toBeUndefined();
  expect(pending.take('form', two)).toEqual(of('2'));
  expect(pending.peek('form', two)).toBeUndefined();
  expect(pending.take('order', one)).toEqual(of('1'));
  expect(pending.take('order', one)).toBeUndefined();
  expect(pending.take('order', 'made up')).toBeUndefined();
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
  nowMs += 15 * 60_000;
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
