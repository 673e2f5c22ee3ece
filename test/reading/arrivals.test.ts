import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createArrivals } from '../../src/reading/arrivals.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const told: string[] = [];
  const arrivals = createArrivals({
    onSettled: (kind, moves) => told.push(`${kind} ${moves.map(({ name }) => name).join(' ')}`),
  });
  const who = (name: string, channelId = '30') => ({ userId: name, name, channelId, guildLocale: 'en-US' });
  return { arrivals, told, who };
}

it('announces members together who join within a second', () => {
  const { arrivals, told, who } = watched();
  arrivals.joined(who('Ann'));
  vi.advanceTimersByTime(900);
  arrivals.joined(who('Ben'));
  vi.advanceTimersByTime(100);
  arrivals.joined(who('Cleo'));
  expect(told).toEqual(['joined Ann Ben']);
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual(['joined Ann Ben', 'joined Cleo']);
});

it('tells nothing of a hiccup, nor of a look in', () => {
  const { arrivals, told, who } = watched();
  arrivals.left(who('Ann'));
  vi.advanceTimersByTime(1_900);
  arrivals.joined(who('Ann'));
  arrivals.joined(who('Ben'));
  arrivals.left(who('Ben'));
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual([]);
});

it('announces members together who leave within a second, once each has been away long enough', () => {
  const { arrivals, told, who } = watched();
  arrivals.left(who('Ann'));
  vi.advanceTimersByTime(900);
  arrivals.left(who('Ben'));
  vi.advanceTimersByTime(1_500);
  arrivals.left(who('Cleo'));
  vi.advanceTimersByTime(600);
  expect(told).toEqual(['left Ann Ben']);
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual(['left Ann Ben', 'left Cleo']);
});

it('keeps channels apart, and tells nothing once it is closed', () => {
  const { arrivals, told, who } = watched();
  arrivals.joined(who('Ann', '30'));
  arrivals.joined(who('Ben', '31'));
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual(['joined Ann', 'joined Ben']);
  arrivals.joined(who('Cleo'));
  arrivals.close();
  vi.advanceTimersByTime(10_000);
  expect(told).toHaveLength(2);
});
