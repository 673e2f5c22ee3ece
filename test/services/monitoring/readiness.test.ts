import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createReadiness } from '../../../src/services/monitoring/readiness.ts';

describe('readiness', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('does not wait for one that hangs, nor tell what is in an error', async () => {
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
});
