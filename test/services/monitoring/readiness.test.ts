import { expect, it, vi } from 'vitest';
import { createReadiness } from '../../../src/services/monitoring/readiness.ts';

it('readiness does not wait for one that hangs, nor tells what is in an error', async () => {
  vi.useFakeTimers();
  const readiness = createReadiness(['store', 'speech']);
  readiness.check('store', () => new Promise(() => undefined));
  readiness.check('speech', () => {
    throw new RangeError('secret words');
  });
  const report = readiness.report();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await report).toEqual({
    ready: false,
    checks: { store: 'does not answer (DeadlineError)', speech: 'does not answer (RangeError)' },
  });
});
