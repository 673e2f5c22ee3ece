import { pino } from 'pino';
import { beforeEach, expect, it, vi } from 'vitest';
import { createClosing } from '../../src/app/startup.ts';
import { silentLog } from '../silent-log.ts';

beforeEach(() => void vi.useFakeTimers());

it('closes the last first, each before the next, nothing twice, and also what is opened meanwhile', async () => {
  const opened = createClosing(silentLog);
  const closed: string[] = [];
  opened.later('the store', () => void closed.push('store'));
  opened.later('the speakers', async () => {
    await Promise.resolve();
    closed.push('speakers');
  });
  opened.later('the client', () => opened.later('what was still being opened', () => void closed.push('late')));
  await opened.all();
  await opened.all();
  expect(closed).toEqual(['late', 'speakers', 'store']);
});

it('goes on after what fails and after what hangs, and says so', async () => {
  const warned: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warned.push(JSON.parse(line).msg) });
  const opened = createClosing(log);
  const last = vi.fn();
  opened.later('the last one', last);
  opened.later('what fails', () => {
    throw new Error('No');
  });
  opened.later('what hangs', () => new Promise(() => undefined));
  const all = opened.all();
  await vi.advanceTimersByTimeAsync(2_500);
  await all;
  expect(last).toHaveBeenCalledOnce();
  expect(warned).toEqual([
    'Could not close what hangs: the shutdown continues',
    'Could not close what fails: the shutdown continues',
  ]);
});

it('leaves time for what keeps data, however much hangs before it', async () => {
  const opened = createClosing(silentLog);
  const hangs = () => new Promise<void>(() => undefined);
  const closedAtMs = new Map<string, number>();
  const startedAtMs = performance.now();
  const taking = (what: string, ms: number) => async () => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    closedAtMs.set(what, performance.now() - startedAtMs);
  };
  opened.later('the store', taking('the store', 900), { keepsData: true });
  for (let i = 0; i < 5; i++) opened.later(`hanging ${i}`, hangs);
  opened.later('the credits', taking('the credits', 900), { keepsData: true });
  for (let i = 5; i < 15; i++) opened.later(`hanging ${i}`, hangs);
  const told = vi.fn(hangs);
  opened.later('told', told);
  await Promise.all([opened.all(), vi.runAllTimersAsync()]);
  expect([...closedAtMs.keys()]).toEqual(['the credits', 'the store']);
  expect(told).toHaveBeenCalledOnce();
  expect(performance.now() - startedAtMs).toBeLessThanOrEqual(9_000);
});
