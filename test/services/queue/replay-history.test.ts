import { beforeEach, expect, it, vi } from 'vitest';
import { type Clip, clipFromPackets } from '../../../src/audio/clips/clip.ts';
import type { LiveItem } from '../../../src/services/queue/queue-item.ts';
import { createReplayHistory } from '../../../src/services/queue/replay-history.ts';
import { itemOf, orderOf } from './items.ts';

beforeEach(() => void vi.useFakeTimers().advanceTimersByTime(1));

function scene() {
  const history = createReplayHistory();
  const keep = async (id: string, clip: Clip, userId = `author of ${id}`) => {
    const delivery = Promise.resolve({ speech: {} });
    const place = { channelId: 'hall' };
    history.keep({ ...itemOf({ id, order: orderOf({ userId }) }), clip, delivery, place } as unknown as LiveItem);
    await delivery;
  };
  const spoken = async (id: string, bytes: number) => keep(id, clipFromPackets([new Uint8Array(bytes)]));
  return { history, keep, spoken, ids: () => history.items.map(({ id }) => id) };
}

it('is bounded in number and in bytes; the oldest go first', async () => {
  const { spoken, ids } = scene();
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await spoken(id, 1_000);
  expect(ids()).toEqual(['f', 'e', 'd', 'c', 'b']);
  await spoken('large', 997_500);
  expect(ids()).toEqual(['large', 'f', 'e']);
  await spoken('longest', 4_000_000);
  expect(ids()).toEqual(['longest']);
  await spoken('next', 10);
  expect(ids()).toEqual(['next']);
  await spoken('too long', 4_000_001);
  expect(ids()).toEqual([]);
});

it('takes no room of its own when it is spoken again, and is found and forgotten as one, with who had it first', async () => {
  const { history, keep, spoken, ids } = scene();
  for (const id of ['a', 'b']) await spoken(id, 400_000);
  const { clip } = history.find('a') as { clip: Clip };
  for (let time = 0; time < 60; time++) await keep(`a ${time}`, clip, 'bob');
  history.forget(({ userId }) => userId === 'bob', []);
  expect(ids()).toEqual(['a 59', 'b']);
  for (const id of ['b', 'a 59', 'a 20']) expect(history.find(id)?.item.id).toBe(id);
  expect(history.find('a 0')).toBeUndefined();
  history.forget(({ userId }) => userId === 'author of a', []);
  expect(ids()).toEqual(['b']);
  expect(history.find('a 59')).toBeUndefined();
});

it('goes after a quarter of an hour, one after the other, also where nobody asks for it', async () => {
  const { history, spoken, ids } = scene();
  await spoken('a', 1);
  vi.advanceTimersByTime(60_000);
  await spoken('b', 1);
  vi.advanceTimersByTime(14 * 60_000 + 1);
  expect(ids()).toEqual(['b']);
  expect(history.find('a')).toBeUndefined();
  vi.advanceTimersByTime(60_000);
  expect(ids()).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
