import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { compactHeap } from '../../src/process/compact-heap.ts';

test('what is used no longer goes back to the system, and nothing is left behind in the program', () => {
  let used: object[] | undefined = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  const grownBytes = getHeapStatistics().total_physical_size;
  expect(used).toHaveLength(1_000_000);
  used = undefined;
  compactHeap();
  expect(grownBytes - getHeapStatistics().total_physical_size).toBeGreaterThan(20e6);
  expect(globalThis.gc).toBeUndefined();
});
