import { describe, expect, it } from 'vitest';
import { createHistogram, median, percentile } from '../../bench/stats.ts';

describe('median and percentiles', () => {
  it('are the middle, or the mean of the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('are values that were measured, by nearest rank', () => {
    const values = Array.from({ length: 20 }, (_, i) => 20 - i);
    expect(percentile(values, 0.5)).toBe(10);
    expect(percentile(values, 0.95)).toBe(19);
    expect(percentile(values, 1)).toBe(20);
    expect(percentile([7], 0.01)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('a histogram', () => {
  it('says the same as the values themselves, to 0.1 ms', () => {
    const histogram = createHistogram();
    const values = Array.from({ length: 1_000 }, (_, i) => (i * 37) % 500);
    for (const value of values) histogram.add(value);
    for (const share of [0.01, 0.5, 0.99, 1]) {
      expect(Math.abs(histogram.percentile(share) - percentile(values, share))).toBeLessThan(0.11);
    }
    expect(histogram.below(5)).toBe(values.filter((value) => value < 5).length / 1_000);
    expect(histogram.above(30)).toBe(values.filter((value) => value >= 30).length / 1_000);
    expect(histogram).toMatchObject({ count: 1_000, maxMs: 499 });
  });

  it('keeps values above a second, and forgets when cleared', () => {
    const histogram = createHistogram();
    histogram.add(5_000);
    expect(histogram.above(30)).toBe(1);
    expect(histogram.maxMs).toBe(5_000);
    histogram.clear();
    expect(histogram).toMatchObject({ count: 0, maxMs: 0 });
    expect(histogram.percentile(0.5)).toBeNaN();
  });
});
