import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createArrivals, type Moved } from '../../src/reading/announcer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const told: string[] = [];
  const arrivals = createArrivals((kind, moves) => told.push(`${kind} ${moves.map(({ name }) => name).join(' ')}`));
  const add = (kind: Moved['kind'], name: string, channelId = '30') =>
    arrivals.add({
      kind,
      channelId,
      ...{ guildId: '9', userId: name, name, from: undefined, to: undefined, guildLocale: 'en-US' },
    });
  return { arrivals, told, add };
}

it('announces members together, once nobody has come or gone for two seconds', () => {
  const { told, add } = watched();
  add('joined', 'Ann');
  vi.advanceTimersByTime(1_900);
  add('joined', 'Ben');
  add('left', 'Cleo');
  vi.advanceTimersByTime(1_900);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(told).toEqual(['joined Ann Ben', 'left Cleo']);
  add('joined', 'Dora');
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual(['joined Ann Ben', 'left Cleo', 'joined Dora']);
});

it('tells nothing of a hiccup, nor of a look in', () => {
  const { told, add } = watched();
  add('left', 'Ann');
  vi.advanceTimersByTime(1_900);
  add('joined', 'Ann');
  add('joined', 'Ben');
  add('left', 'Ben');
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual([]);
});

it('keeps channels apart, and tells nothing once it is closed', () => {
  const { arrivals, told, add } = watched();
  add('joined', 'Ann', '30');
  add('joined', 'Ben', '31');
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual(['joined Ann', 'joined Ben']);
  add('joined', 'Cleo');
  arrivals.close();
  vi.advanceTimersByTime(10_000);
  expect(told).toHaveLength(2);
});
