import { expect, it } from 'vitest';
import type { Rate } from '../../../src/services/spending/credit-rates.ts';
import { createLearnedPrices } from '../../../src/services/spending/learned-prices.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

function scene(rates: Readonly<Record<string, Rate>> = {}, stated?: Readonly<Record<string, number>>) {
  const clock = { atMs: Date.UTC(2026, 10, 21) };
  const kept = new Map<string, Rate>();
  const prices = createLearnedPrices({
    rates: new Map(Object.entries(rates)),
    ...(stated && { stated: new Map(Object.entries(stated)) }),
    keep: async (model, rate) => void kept.set(model, rate),
    now: () => clock.atMs,
  });
  return { prices, kept, clock };
}

it('tries a price at growing intervals, of an unknown model too', () => {
  const { prices, clock } = scene({ gpro: { characters: 5, credits: 150_000 } });
  for (const model of ['gpro', 'unknown']) {
    const pauses: number[] = [];
    for (let trial = 0; trial < 10; trial++) {
      expect(prices.mayTry(model)).toBe(true);
      prices.tried(model);
      let minutes = 0;
      for (; !prices.mayTry(model); minutes++) clock.atMs += MINUTE_MS;
      pauses.push(minutes);
    }
    expect(pauses.slice(0, 4)).toEqual([10, 20, 40, 80]);
    expect(pauses.at(-1)).toBe(24 * 60);
  }
});

it('tries no price that many bills bore out, until it is old', () => {
  const { prices, clock } = scene({ gpro: { characters: 4_000, credits: 40_000 } });
  expect(prices.mayTry('gpro')).toBe(false);
  clock.atMs += 3 * DAY_MS;
  expect(prices.mayTry('gpro')).toBe(true);
  expect(prices.estimate('gpro', 10)).toBe(100);
});

it('goes by what is stated, 0 too, whatever was or is billed', async () => {
  const { prices, kept } = scene({ local: { characters: 100, credits: 100 } }, { local: 0, nova: 15 });
  expect([prices.about('local', 100), prices.about('nova', 100)]).toEqual([0, 1_500]);
  expect([prices.estimate('local', 100), prices.estimate('nova', 100)]).toEqual([0, 1_500]);
  await prices.learn('nova', { characters: 100, credits: 100 }, false);
  await prices.learn('nova', { characters: 100, credits: 100 }, true);
  expect(prices.about('nova', 100)).toBe(1_500);
  expect(prices.mayTry('nova')).toBe(false);
  expect(kept.size).toBe(0);
});

it('keeps what a bill taught', async () => {
  const { prices, kept } = scene();
  await prices.learn('gpro', { characters: 100, credits: 200 }, false);
  expect(kept.get('gpro')).toEqual({ characters: 100, credits: 200 });
  expect(prices.about('gpro', 10)).toBe(20);
  await prices.learn('gpro', { characters: 0, credits: 200 }, false);
  expect(kept.get('gpro')).toEqual({ characters: 100, credits: 200 });
});

it('takes a model to be free after two bills of 0, not after one or where another had credits', async () => {
  const { prices, kept } = scene({ nova: { characters: 100, credits: 1_500 } });
  await prices.learn('gpro', { characters: 20, credits: 0 }, false);
  expect(prices.about('gpro', 10)).toBe(150);
  await prices.learn('gpro', { characters: 20, credits: 0 }, false);
  expect([prices.about('gpro', 10), prices.estimate('gpro', 10)]).toEqual([0, 0]);
  expect(kept.get('gpro')).toEqual({ characters: 20, credits: 0 });
  for (const isTrial of [false, false, true]) await prices.learn('nova', { characters: 20, credits: 0 }, isTrial);
  expect(prices.about('nova', 10)).toBe(150);
});
