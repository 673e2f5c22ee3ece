import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createQuotaCircuits,
  FIRST_QUOTA_WAIT_MS,
  LONGEST_QUOTA_WAIT_MS,
} from '../../../src/speech/client/quota-circuits.ts';
import { SpeechError } from '../../../src/speech/errors.ts';

const quota = (retryAfterMs?: number) => () =>
  Promise.reject(
    new SpeechError({ kind: 'quota-exceeded', message: 'quota', status: 429, requestId: 'req_1', retryAfterMs }),
  );
const good = () => Promise.resolve('spoken');

/** Circuits with what they tell the operator. */
function setUp() {
  const changes: object[] = [];
  const note = (facts: object) => void changes.push(facts);
  return { circuits: createQuotaCircuits({ debug: note, info: note, warn: note }), changes };
}

describe('the circuits of upstream quotas', () => {
  // The circuits measure with Date.now().
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

  it('opens at the first used-up quota and says when it will try again', async () => {
    const { circuits, changes } = setUp();
    await expect(circuits.run('gpro', quota())).rejects.toMatchObject({
      kind: 'quota-exceeded',
      requestId: 'req_1',
      retryAfterMs: FIRST_QUOTA_WAIT_MS,
    });
    pass(60_000);
    const attempt = vi.fn(good);
    await expect(circuits.run('gpro', attempt)).rejects.toMatchObject({
      kind: 'quota-exceeded',
      retryAfterMs: FIRST_QUOTA_WAIT_MS - 60_000,
      creditsMayBeSpent: false,
    });
    expect(attempt).not.toHaveBeenCalled();
    expect(circuits.retryAfterMs('gpro')).toBe(FIRST_QUOTA_WAIT_MS - 60_000);
    expect(changes).toEqual([{ circuit: 'gpro', open: true, retryAfterMs: FIRST_QUOTA_WAIT_MS }]);
  });

  it('never silences another model', async () => {
    const { circuits } = setUp();
    await circuits.run('gpro', quota()).catch(() => {});
    await expect(circuits.run('ext', good)).resolves.toBe('spoken');
  });

  it('tries again after the wait and closes when the quota is back', async () => {
    const { circuits, changes } = setUp();
    await circuits.run('gpro', quota()).catch(() => {});
    pass(FIRST_QUOTA_WAIT_MS);
    expect(circuits.retryAfterMs('gpro')).toBeUndefined();
    await expect(circuits.run('gpro', good)).resolves.toBe('spoken');
    await expect(circuits.run('gpro', good)).resolves.toBe('spoken');
    expect(changes).toMatchObject([{ open: true }, { open: false }]);
  });

  it('waits twice as long after each further failure, up to the longest', async () => {
    const { circuits } = setUp();
    const waits: number[] = [];
    for (let trial = 0; trial < 9; trial++) {
      const error = await circuits.run('gpro', quota()).catch((thrown: SpeechError) => thrown);
      waits.push((error as SpeechError).retryAfterMs ?? 0);
      pass(waits.at(-1) ?? 0);
    }
    expect(waits.map((wait) => wait / 60_000)).toEqual([5, 10, 20, 40, 80, 160, 320, 360, 360]);
    expect(waits.at(-1)).toBe(LONGEST_QUOTA_WAIT_MS);
  });

  it('obeys a time the service announces', async () => {
    const { circuits } = setUp();
    await circuits.run('gpro', quota(30_000)).catch(() => {});
    expect(circuits.retryAfterMs('gpro')).toBe(30_000);
  });

  it('counts several calls that fail at once as one', async () => {
    const { circuits, changes } = setUp();
    await Promise.allSettled([circuits.run('gpro', quota()), circuits.run('gpro', quota())]);
    expect(changes).toEqual([{ circuit: 'gpro', open: true, retryAfterMs: FIRST_QUOTA_WAIT_MS }]);
  });

  it('does not take a call that was cut short for the quota being back', async () => {
    const { circuits } = setUp();
    await circuits.run('gpro', quota()).catch(() => {});
    pass(FIRST_QUOTA_WAIT_MS);
    const stopped = new SpeechError({ kind: 'aborted', message: 'stopped' });
    await expect(circuits.run('gpro', () => Promise.reject(stopped))).rejects.toBe(stopped);
    await circuits.run('gpro', quota()).catch(() => {});
    expect(circuits.retryAfterMs('gpro')).toBe(2 * FIRST_QUOTA_WAIT_MS);
  });

  it('passes every other failure on as it is', async () => {
    const { circuits } = setUp();
    const failure = new SpeechError({ kind: 'unavailable', message: 'no', status: 503 });
    await expect(circuits.run('gpro', () => Promise.reject(failure))).rejects.toBe(failure);
    await expect(circuits.run('gpro', good)).resolves.toBe('spoken');
  });
});
