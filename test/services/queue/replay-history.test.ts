import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clipFromPackets } from '../../../src/audio/clips/clip.ts';
import type { LiveItem } from '../../../src/services/queue/live-item.ts';
import type { SpokenItem } from '../../../src/services/queue/queue-item.ts';
import { createRecentlySpoken, createReplayHistory } from '../../../src/services/queue/replay-history.ts';
import { itemOf, orderOf } from './items.ts';

const spoken = (id: string, bytes: number): SpokenItem => ({
  item: itemOf({ id, order: orderOf({ userId: `author of ${id}` }) }),
  clip: clipFromPackets([new Uint8Array(bytes)]),
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('what was spoken a short while ago', () => {
  const ids = (recent: { all: readonly SpokenItem[] }) => recent.all.map(({ item }) => item.id);

  it('is bounded in number and in bytes; the oldest go first', () => {
    const recent = createRecentlySpoken();
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) recent.add(spoken(id, 1_000));
    expect(ids(recent)).toEqual(['f', 'e', 'd', 'c', 'b']);
    recent.add(spoken('large', 997_500));
    expect(ids(recent)).toEqual(['large', 'f', 'e']);
    recent.add(spoken('longest', 4_000_000));
    expect(ids(recent)).toEqual(['longest']);
    recent.add(spoken('next', 10));
    expect(ids(recent)).toEqual(['next']);
    recent.add(spoken('too long', 4_000_001));
    expect(ids(recent)).toEqual([]);
  });

  it('takes no room of its own when it is spoken again, and is found and forgotten as one', () => {
    const recent = createRecentlySpoken();
    for (const id of ['a', 'b']) recent.add(spoken(id, 400_000));
    const again = recent.find('a') as SpokenItem;
    for (let time = 0; time < 60; time++)
      recent.add({ ...again, item: itemOf({ id: `a ${time}`, order: orderOf({ userId: 'bob' }) }) });
    expect(ids(recent)).toEqual(['a 59', 'b']);
    for (const id of ['a', 'b', 'a 59', 'a 20']) expect(recent.find(id)?.item.id).toBe(id);
    expect(recent.find('a 0')).toBeUndefined();
    expect(recent.drop(({ item }) => item.order.userId === 'bob')).toBe(0);
    expect(recent.drop(({ item }) => item.order.userId === 'author of a')).toBe(1);
    expect(ids(recent)).toEqual(['b']);
    expect(recent.find('a 59')).toBeUndefined();
  });

  it('can be forgotten one by one', () => {
    const recent = createRecentlySpoken();
    for (const id of ['a', 'b', 'c']) recent.add(spoken(id, 10));
    expect(recent.drop(({ item }) => item.id !== 'b')).toBe(2);
    expect(ids(recent)).toEqual(['b']);
  });

  it('goes after a quarter of an hour, one after the other, also where nobody asks for it', () => {
    const recent = createRecentlySpoken();
    recent.add(spoken('a', 1));
    vi.advanceTimersByTime(60_000);
    recent.add(spoken('b', 1));
    vi.advanceTimersByTime(14 * 60_000);
    expect(ids(recent)).toEqual(['b']);
    expect(recent.find('a')).toBeUndefined();
    expect(recent.find('b')?.item.id).toBe('b');
    vi.advanceTimersByTime(60_000);
    expect(ids(recent)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('what was stopped before all of it was there is not kept, which is known until the next one is', () => {
  const history = createReplayHistory();
  const heard = (state: 'growing' | 'complete') => {
    const clip = { ...clipFromPackets([new Uint8Array(1)]), state };
    const delivery = new Promise(() => undefined);
    const order = orderOf({ userId: 'ann' });
    history.keep({ audio: { clip }, delivery, order, place: { channelId: 'hall' } } as unknown as LiveItem);
    return history.latestNotKept;
  };
  expect(history.latestNotKept).toBeUndefined();
  expect(heard('growing')).toEqual({ order: { userId: 'ann' }, channelId: 'hall' });
  expect(heard('complete')).toBeUndefined();
  heard('growing');
  history.forget(({ userId }) => userId === 'bob', []);
  expect(history.latestNotKept).toBeDefined();
  history.forget(({ userId }) => userId === 'ann', []);
  expect(history.latestNotKept).toBeUndefined();
});
