import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createQuotaCircuits,
  FIRST_QUOTA_WAIT_MS,
  LONGEST_QUOTA_WAIT_MS,
} from '../../../src/speech/client/quota-circuits.ts';
import { SpeechError } from '../../../src/speech/errors.ts';

const never = new AbortController().signal;
const quota = (retryAfterMs?: number) => () =>
  Promise.reject(
    new SpeechError({ kind: 'quota-exceeded', message: 'quota', status: 429, requestId: 'req_1', retryAfterMs }),
  );
const good = () => Promise.resolve('spoken');

describe('the circuits of upstream quotas', () => {
  // The circuits measure with Date.now().
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

  it('opens at the first used-up quota and says when it will try again', async () => {
    const changes: unknown[] = [];
    const circuits = createQuotaCircuits((change) => changes.push(change));
    await expect(circuits.run('gpro', quota(), never)).rejects.toMatchObject({
      kind: 'quota-exceeded',
      requestId: 'req_1',
      retryAfterMs: FIRST_QUOTA_WAIT_MS,
    });
    pass(60_000);
    const attempt = vi.fn(good);
    await expect(circuits.run('gpro', attempt, never)).rejects.toMatchObject({
      kind: 'quota-exceeded',
      retryAfterMs: FIRST_QUOTA_WAIT_MS - 60_000,
      creditsMayBeSpent: false,
    });
    expect(attempt).not.toHaveBeenCalled();
    expect(circuits.retryAfterMs('gpro')).toBe(FIRST_QUOTA_WAIT_MS - 60_000);
    expect(changes).toEqual([{ circuit: 'gpro', open: true, retryAfterMs: FIRST_QUOTA_WAIT_MS }]);
  });

  it('never silences another model', async () => {
    const circuits = createQuotaCircuits(() => {});
    await circuits.run('gpro', quota(), never).catch(() => {});
    await expect(circuits.run('ext', good, never)).resolves.toBe('spoken');
  });

  it('tries again after the wait and closes when the quota is back', async () => {
    const changes: boolean[] = [];
    const circuits = createQuotaCircuits(({ open }) => changes.push(open));
    await circuits.run('gpro', quota(), never).catch(() => {});
    pass(FIRST_QUOTA_WAIT_MS);
    expect(circuits.retryAfterMs('gpro')).toBeUndefined();
    await expect(circuits.run('gpro', good, never)).resolves.toBe('spoken');
    await expect(circuits.run('gpro', good, never)).resolves.toBe('spoken');
    expect(changes).toEqual([true, false]);
  });

  it('waits twice as long after each trial that fails, up to the longest', async () => {
    const circuits = createQuotaCircuits(() => {});
    const waits: number[] = [];
    for (let trial = 0; trial < 9; trial++) {
      const error = await circuits.run('gpro', quota(), never).catch((thrown: SpeechError) => thrown);
      waits.push((error as SpeechError).retryAfterMs ?? 0);
      pass(waits.at(-1) ?? 0);
    }
    expect(waits.map((wait) => wait / 60_000)).toEqual([5, 10, 20, 40, 80, 160, 320, 360, 360]);
    expect(waits.at(-1)).toBe(LONGEST_QUOTA_WAIT_MS);
  });

  it('obeys a time the service announces', async () => {
    const circuits = createQuotaCircuits(() => {});
    await circuits.run('gpro', quota(30_000), never).catch(() => {});
    expect(circuits.retryAfterMs('gpro')).toBe(30_000);
  });

  it('lets one call try while the others wait for its outcome', async () => {
    const circuits = createQuotaCircuits(() => {});
    await circuits.run('gpro', quota(), never).catch(() => {});
    pass(FIRST_QUOTA_WAIT_MS);
    const trial = Promise.withResolvers<string>();
    const first = circuits.run('gpro', () => trial.promise, never);
    const other = vi.fn(good);
    const second = circuits.run('gpro', other, never);
    const controller = new AbortController();
    const third = circuits.run('gpro', other, controller.signal);
    controller.abort(new Error('stopped'));
    await expect(third).rejects.toThrow('stopped');
    expect(other).not.toHaveBeenCalled();
    trial.resolve('spoken');
    await expect(Promise.all([first, second])).resolves.toEqual(['spoken', 'spoken']);
    expect(other).toHaveBeenCalledOnce();
  });

  it('lets the others try one after the other where the trial was cut short', async () => {
    const changes: boolean[] = [];
    const circuits = createQuotaCircuits(({ open }) => changes.push(open));
    await circuits.run('gpro', quota(), never).catch(() => {});
    pass(FIRST_QUOTA_WAIT_MS);
    const trial = Promise.withResolvers<string>();
    const first = circuits.run('gpro', () => trial.promise, never);
    const others = [circuits.run('gpro', good, never), circuits.run('gpro', good, never)];
    trial.reject(new SpeechError({ kind: 'network', message: 'no' }));
    await expect(first).rejects.toMatchObject({ kind: 'network' });
    await expect(Promise.all(others)).resolves.toEqual(['spoken', 'spoken']);
    expect(changes).toEqual([true, false]);
  });

  it('refuses those that waited for a trial that failed', async () => {
    const circuits = createQuotaCircuits(() => {});
    await circuits.run('gpro', quota(), never).catch(() => {});
    pass(FIRST_QUOTA_WAIT_MS);
    const other = vi.fn(good);
    const calls = [circuits.run('gpro', quota(30_000), never), circuits.run('gpro', other, never)];
    const refused = { status: 'rejected', reason: expect.objectContaining({ retryAfterMs: 30_000 }) };
    expect(await Promise.allSettled(calls)).toEqual([refused, refused]);
    expect(other).not.toHaveBeenCalled();
  });

  it('counts several calls that fail at once as one', async () => {
    const changes: unknown[] = [];
    const circuits = createQuotaCircuits((change) => changes.push(change));
    await Promise.allSettled([circuits.run('gpro', quota(), never), circuits.run('gpro', quota(), never)]);
    expect(changes).toEqual([{ circuit: 'gpro', open: true, retryAfterMs: FIRST_QUOTA_WAIT_MS }]);
  });

  it('does not take a trial that was cut short for the quota being back', async () => {
    const circuits = createQuotaCircuits(() => {});
    await circuits.run('gpro', quota(), never).catch(() => {});
    pass(FIRST_QUOTA_WAIT_MS);
    const stopped = new SpeechError({ kind: 'aborted', message: 'stopped' });
    await expect(circuits.run('gpro', () => Promise.reject(stopped), never)).rejects.toBe(stopped);
    await circuits.run('gpro', quota(), never).catch(() => {});
    expect(circuits.retryAfterMs('gpro')).toBe(2 * FIRST_QUOTA_WAIT_MS);
  });

  it('passes every other failure on as it is', async () => {
    const circuits = createQuotaCircuits(() => {});
    const failure = new SpeechError({ kind: 'unavailable', message: 'no', status: 503 });
    await expect(circuits.run('gpro', () => Promise.reject(failure), never)).rejects.toBe(failure);
    await expect(circuits.run('gpro', good, never)).resolves.toBe('spoken');
  });
});
