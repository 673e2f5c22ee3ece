import { beforeEach, describe, expect, it, vi } from 'vitest';
import { abortable, DeadlineError, withDeadline } from '../../../src/services/time/timers.ts';

beforeEach(() => void vi.useFakeTimers());

const what = 'The work';

describe('work with a deadline', () => {
  it('gives what the work gives when that is in time, and leaves no timer behind', async () => {
    await expect(withDeadline(Promise.resolve(7), { timeoutMs: 100, what })).resolves.toBe(7);
    const failure = new Error('broken');
    await expect(withDeadline(Promise.reject(failure), { timeoutMs: 100, what })).rejects.toBe(failure);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects with what took too long, and no sooner', async () => {
    const outcome = withDeadline(new Promise(() => undefined), { timeoutMs: 100, what }).catch(
      (error: unknown) => error,
    );
    const settled = vi.fn();
    outcome.then(settled);
    await vi.advanceTimersByTimeAsync(99);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toEqual(new DeadlineError('The work took longer than 100 ms'));
  });

  it('rejects with the reason of a signal, whether it comes before or meanwhile', async () => {
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const late = withDeadline(new Promise(() => undefined), { timeoutMs: 100, what, signal: controller.signal });
    controller.abort(reason);
    await expect(late).rejects.toBe(reason);
    const failing = Promise.reject(new Error('nobody hears of this one'));
    await expect(withDeadline(failing, { timeoutMs: 100, what, signal: controller.signal })).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('work that several wait for goes on when one of them gives up', async () => {
  const { promise: work, resolve } = Promise.withResolvers<number>();
  const [leaving, staying] = [new AbortController(), new AbortController()];
  const reason = new Error('gone');
  const [left, stayed] = [abortable(work, leaving.signal), abortable(work, staying.signal)];
  leaving.abort(reason);
  await expect(left).rejects.toBe(reason);
  resolve(7);
  await expect(stayed).resolves.toBe(7);
  await expect(abortable(work, undefined)).resolves.toBe(7);
});
