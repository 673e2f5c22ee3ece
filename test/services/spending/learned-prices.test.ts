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

it('is sure of a price after many bills of short texts, and takes an odd one among them for one', async () => {
  const { prices } = scene();
  for (let bill = 0; bill < 100; bill++) await prices.learn('gpro', { characters: 100, credits: 300 }, false);
  expect(prices.mayTry('gpro')).toBe(false);
  await prices.learn('gpro', { characters: 100, credits: 100_000 }, false);
  expect(prices.estimate('gpro', 100)).toBeLessThan(310);
});

it('tries a price that the last bill alone shows, of a long text too', async () => {
  const { prices } = scene();
  await prices.learn('gpro', { characters: 4_000, credits: 4_000_000 }, false);
  expect(prices.about('gpro', 10)).toBe(10_000);
  expect(prices.mayTry('gpro')).toBe(true);
  await prices.learn('gpro', { characters: 10, credits: 10 }, true);
  expect(prices.about('gpro', 10)).toBe(10);
});

it('believes a dear price that its trial bears out', async () => {
  const { prices } = scene();
  await prices.learn('gpro', { characters: 1_000, credits: 100_000 }, false);
  await prices.learn('gpro', { characters: 800, credits: 80_000 }, true);
  expect(prices.estimate('gpro', 1_000)).toBe(100_000);
  expect(prices.mayTry('gpro')).toBe(false);
});

it('knows a dear last bill after a restart, and still tries its price anew', async () => {
  const { prices, kept } = scene();
  await prices.learn('gpro', { characters: 1_000, credits: 100_000 }, false);
  const { prices: later } = scene(Object.fromEntries(kept));
  expect(later.estimate('gpro', 1_000)).toBe(100_000);
  expect(later.mayTry('gpro')).toBe(true);
  await later.learn('gpro', { characters: 100, credits: 10_000 }, false);
  expect(later.estimate('gpro', 1_000)).toBe(100_000);
});

it('goes on by a dear last bill after one that says nothing, for models that were never billed too', async () => {
  const { prices } = scene();
  await prices.learn('gpro', { characters: 100, credits: 5_000 }, false);
  await prices.learn('gpro', { characters: 0, credits: 5 }, false);
  await prices.learn('gpro', { characters: 20, credits: 0 }, false);
  expect([prices.about('gpro', 100), prices.about('orpheus', 100)]).toEqual([5_000, 5_000]);
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
