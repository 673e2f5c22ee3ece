import { expect, it } from 'vitest';
import { monotonicClock } from '../../../src/speech/client/monotonic-clock.ts';

const A_WHILE_MS = 1_000;

it('time is measured by a clock that nobody sets, and only dates are read from the one that people do', () => {
  expect(Math.abs(monotonicClock.now() - performance.now())).toBeLessThan(A_WHILE_MS);
  expect(Math.abs(monotonicClock.sinceEpochMs() - Date.now())).toBeLessThan(A_WHILE_MS);
});
