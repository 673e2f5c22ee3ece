import { expect, it } from 'vitest';
import { createPrices } from '../../../src/services/spending/limits.ts';

function scene(before: Readonly<Record<string, number>> = {}, stated: Readonly<Record<string, number>> = {}) {
  const kept = new Map<string, number>();
  const prices = createPrices({
    kept: new Map(Object.entries(before)),
    stated: new Map(Object.entries(stated)),
    keep: async (model, { characters, credits }) => void kept.set(model, credits / characters),
  });
  return { prices, kept, bill: (characters: number, credits: number) => prices.learn('gpro', { characters, credits }) };
}

it('goes by the last bill of a model, and before the first by the dearest model, a credit a character at least', async () => {
  const { prices, kept, bill } = scene();
  expect([prices.about('gpro', 120), prices.isKnown('gpro')]).toEqual([120, false]);
  await bill(100, 250);
  await bill(55, 5_500);
  expect([prices.about('gpro', 10), prices.about('gpro', 1_197)]).toEqual([1_000, 119_700]);
  expect([prices.about('ext', 10), prices.isKnown('ext')]).toEqual([1_000, false]);
  const { prices: after } = scene(Object.fromEntries(kept));
  expect([after.about('gpro', 10), after.isKnown('gpro')]).toEqual([1_000, true]);
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
    expect(prices.about('gpro', characters)).toBe(credits);
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
  expect([prices.about('gpro', 10), prices.isKnown('gpro')]).toEqual([0, true]);
  await bill(20, 40);
  await bill(20, 0);
  await bill(0, 5);
  await bill(20, Number.NaN);
  expect(prices.about('gpro', 10)).toBe(20);
});

it('goes by what is stated, 0 too, whatever was or is billed', async () => {
  const { prices, kept, bill } = scene({ local: 1 }, { local: 0, gpro: 15 });
  await bill(100, 100);
  expect([prices.about('local', 100), prices.about('gpro', 100)]).toEqual([0, 1_500]);
  expect([prices.isKnown('local'), prices.isKnown('gpro')]).toEqual([true, true]);
  expect(kept.size).toBe(0);
});
