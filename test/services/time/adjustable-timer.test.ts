import { beforeEach, expect, it, vi } from 'vitest';
import { createAdjustableTimer } from '../../../src/services/time/timers.ts';

beforeEach(() => void vi.useFakeTimers());

function waiting(initialMs: number) {
  const onOver = vi.fn();
  const limit = { ms: initialMs };
  return { wait: createAdjustableTimer(() => limit.ms, onOver), onOver, limit };
}

it('is over once, after its time, also when it is started again', () => {
  const { wait, onOver } = waiting(1_000);
  wait.start();
  vi.advanceTimersByTime(500);
  wait.start();
  vi.advanceTimersByTime(500);
  expect(onOver).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(10_000);
  expect(onOver).toHaveBeenCalledOnce();
});

it('a shorter time holds for what is under way; a longer one even without a word', () => {
  const { wait, onOver, limit } = waiting(1_000);
  wait.start();
  limit.ms = 3_000;
  vi.advanceTimersByTime(2_999);
  expect(onOver).not.toHaveBeenCalled();
  limit.ms = 10_000;
  wait.measureAgain();
  vi.advanceTimersByTime(2_001);
  limit.ms = 4_000;
  wait.measureAgain();
  vi.advanceTimersByTime(0);
  expect(onOver).toHaveBeenCalledOnce();
});
