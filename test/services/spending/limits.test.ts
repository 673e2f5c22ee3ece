import { expect, it } from 'vitest';
import type { Rate } from '../../../src/services/spending/ledger.ts';
import { createPrices } from '../../../src/services/spending/limits.ts';

function scene(before: Readonly<Record<string, Rate>> = {}, stated: Readonly<Record<string, number>> = {}) {
  const kept = new Map<string, Rate>();
  const prices = createPrices({
    kept: new Map(Object.entries(before)),
    stated: new Map(Object.entries(stated)),
    keep: async (model, rate) => void kept.set(model, rate),
  });
  return { prices, kept, bill: (characters: number, credits: number) => prices.learn('gpro', { characters, credits }) };
}

it('goes by the last bill of a model, and before the first by the dearest model, a credit a character at least', async () => {
  const { prices, kept, bill } = scene();
  expect([prices.about('gpro', 120), prices.estimate('gpro', 120)]).toEqual([120, undefined]);
  await bill(100, 250);
  await bill(55, 5_500);
  expect([prices.about('gpro', 10), prices.estimate('gpro', 1_197)]).toEqual([1_000, 119_700]);
  expect([prices.about('ext', 10), prices.estimate('ext', 10)]).toEqual([1_000, undefined]);
  expect(scene(Object.fromEntries(kept)).prices.estimate('gpro', 10)).toBe(1_000);
});

it.each([
  [[1000, 100], 10, 1],
  [[1000, 100], 11, 2],
  [[70, 7], 7, 1],
] as const)(
  'rounds up to whole credits, and binary fractions add none (%j, %i)',
  async (billed, characters, credits) => {
    const { prices, bill } = scene();
    await bill(billed[0], billed[1]);
    expect(prices.estimate('gpro', characters)).toBe(credits);
  },
);

it('leaves room for a short text after an odd bill, and is corrected by the next that is no short one', async () => {
  const { prices, bill } = scene();
  await bill(50, 1e7);
  expect(prices.about('gpro', 5)).toBe(500);
  // A service may take its least for a short text.
  await bill(5, 5);
  expect(prices.about('gpro', 5)).toBe(500);
  await bill(50, 50);
  expect(prices.about('gpro', 5)).toBe(5);
});

it('takes a model to be free until a bill has credits, and not one that has a price', async () => {
  const { prices, bill } = scene();
  await bill(20, 0);
  expect([prices.about('gpro', 10), prices.estimate('gpro', 10)]).toEqual([0, 0]);
  await bill(20, 40);
  await bill(20, 0);
  await bill(0, 5);
  await bill(20, Number.NaN);
  expect(prices.about('gpro', 10)).toBe(20);
});

it('goes by what is stated, 0 too, whatever was or is billed', async () => {
  const { prices, kept, bill } = scene({ local: { characters: 100, credits: 100 } }, { local: 0, gpro: 15 });
  await bill(100, 100);
  expect([prices.about('local', 100), prices.about('gpro', 100)]).toEqual([0, 1_500]);
  expect([prices.estimate('local', 100), prices.estimate('gpro', 100)]).toEqual([0, 1_500]);
  expect(kept.size).toBe(0);
});
