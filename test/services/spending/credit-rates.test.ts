import { describe, expect, it } from 'vitest';
import {
  aged,
  creditsAt,
  creditsToReserve,
  isUncertain,
  learn,
  learnAnew,
  type Rate,
} from '../../../src/services/spending/credit-rates.ts';

const billed = (...bills: [characters: number, credits: number][]): Rate | undefined =>
  bills.reduce<Rate | undefined>((rate, [characters, credits]) => learn(rate, { characters, credits }), undefined);

describe('what credits a text will cost', () => {
  it('is told from the bills of the same model, and not at all before the first one', () => {
    expect(creditsAt(billed([100, 250], [50, 125]), 10)).toBe(25);
    expect(creditsAt(billed(), 10)).toBeUndefined();
  });

  it.each([
    [[1000, 100], 10, 1],
    [[1000, 100], 11, 2],
    [[3, 0.3], 7, 1],
    [[7, 0.7], 10, 1],
    [[1, 3], 0, 0],
  ] as const)(
    'is rounded up to whole credits, and binary fractions add none (%j, %i characters)',
    (bill, characters, credits) => {
      expect(creditsAt(billed([...bill]), characters)).toBe(credits);
    },
  );

  it('is nothing for a model that was only ever billed at 0, until a bill has credits', () => {
    expect(creditsAt(billed([20, 0], [30, 0]), 100)).toBe(0);
    expect(creditsAt(billed([20, 0], [30, 0], [10, 20]), 100)).toBe(200);
    expect(creditsAt(billed([20, 0], [5, 150_000]), 100)).toBe(1_000);
    expect(creditsAt(learnAnew(billed([20, 0]), { characters: 10, credits: 20 }), 100)).toBe(200);
  });

  it('learns nothing from what was given away of a paid model, nor from a bill without characters', () => {
    const rate = billed([100, 100]);
    expect(learn(rate, { characters: 500, credits: 0 })).toBe(rate);
    expect(learnAnew(rate, { characters: 500, credits: 0 })).toBe(rate);
    expect(learn(rate, { characters: 0, credits: 5 })).toBe(rate);
    expect(learn(undefined, { characters: 10, credits: Number.NaN })).toBeUndefined();
  });

  it('follows a changed price within some ten thousand characters', () => {
    const cheap: [number, number][] = Array.from({ length: 500 }, () => [1000, 1000]);
    const dear: [number, number][] = Array.from({ length: 100 }, () => [1000, 3000]);
    expect(creditsAt(billed(...cheap), 100)).toBe(100);
    expect(creditsAt(billed(...cheap, ...dear), 100)).toBeGreaterThan(290);
  });
});

describe('an odd bill', () => {
  it('moves a price by a bounded step, the first one too', () => {
    expect(creditsAt(billed([5, 150_000]), 100)).toBe(1_000);
    expect(creditsAt(billed([5, 0.000_1]), 100)).toBe(10);
    expect(creditsAt(billed([1000, 1000], [5, 150_000]), 100)).toBeLessThanOrEqual(101);
    expect(creditsAt(billed([5, 5], [1000, 1_000_000]), 100)).toBeLessThanOrEqual(200);
  });

  it('is outweighed by a few right ones, and a real new price is learned from a few', () => {
    const right: [number, number][] = Array.from({ length: 8 }, () => [50, 50]);
    expect(creditsAt(billed([5, 150_000], ...right), 100)).toBeLessThan(230);
    const dear: [number, number][] = Array.from({ length: 8 }, () => [50, 50 * 40]);
    expect(creditsAt(billed(...dear), 100)).toBeGreaterThan(3_000);
  });

  it('is no odd one that the next bill bears out, where little was billed before', () => {
    const dear = (characters: number) => ({ characters, credits: 1_000 * characters });
    const first = learn(undefined, dear(700));
    expect(creditsAt(first, 10)).toBe(100);
    expect(creditsAt(learn(first, dear(40), dear(700)), 10)).toBe(10_000);
    // A service may take as much for a word as for a sentence.
    const short = learn(undefined, dear(2));
    expect(creditsAt(learn(short, dear(2), dear(2)), 10)).toBe(150);
    const longKnown = learn({ characters: 5_000, credits: 5_000 }, dear(40));
    expect(creditsAt(learn(longKnown, dear(40), dear(40)), 10)).toBeLessThan(12);
  });

  it('is forgotten after a trial whose bill does not bear it out, and kept where it does', () => {
    const wrong = { characters: 5, credits: 150_000 };
    expect(creditsAt(learnAnew(wrong, { characters: 20, credits: 20 }), 100)).toBe(100);
    expect(creditsAt(learnAnew(wrong, { characters: 20, credits: 600_000 }), 100)).toBe(3_000_000);
  });

  it('weighs less with each day', () => {
    expect(aged({ characters: 800, credits: 1600 }, 1)).toEqual({ characters: 400, credits: 800 });
    expect(isUncertain({ characters: 800, credits: 1600 })).toBe(false);
    expect(isUncertain(aged({ characters: 800, credits: 1600 }, 1))).toBe(true);
    expect(isUncertain(undefined)).toBe(true);
  });
});

describe('what is set aside for a text', () => {
  it('is one credit a character before anything was billed', () => {
    expect(creditsToReserve(new Map(), 'gpro', 120)).toBe(120);
  });

  it('is told from the dearest model for one that was never billed, and from its own bills afterwards', () => {
    const rates = new Map([
      ['gpro', { characters: 100, credits: 400 }],
      ['ext', { characters: 100, credits: 10 }],
    ]);
    expect(creditsToReserve(rates, 'orpheus', 10)).toBe(40);
    expect(creditsToReserve(rates, 'ext', 10)).toBe(1);
    expect(creditsToReserve(new Map([['ext', { characters: 100, credits: 10 }]]), 'orpheus', 10)).toBe(10);
  });
});
