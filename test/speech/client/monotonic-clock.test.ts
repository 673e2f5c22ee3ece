import { expect, it } from 'vitest';
import { monotonicClock } from '../../../src/speech/client/monotonic-clock.ts';

const A_WHILE_MS = 1_000;

it('durations come from a monotonic clock, and only dates from the wall clock', () => {
  expect(Math.abs(monotonicClock.now() - performance.now())).toBeLessThan(A_WHILE_MS);
  expect(Math.abs(monotonicClock.sinceEpochMs() - Date.now())).toBeLessThan(A_WHILE_MS);
});
