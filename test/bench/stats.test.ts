import { describe, expect, it } from 'vitest';
import { median, percentile } from '../../bench/stats.ts';

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
