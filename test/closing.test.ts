import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClosing } from '../src/closing.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('closes the last first, each before the next, and nothing twice', async () => {
  const opened = createClosing(pino({ level: 'silent' }));
  const closed: string[] = [];
  opened.later('the store', () => void closed.push('store'));
  opened.later('the speakers', async () => {
    await Promise.resolve();
    closed.push('speakers');
  });
  await opened.all();
  await opened.all();
  expect(closed).toEqual(['speakers', 'store']);
});

it('closes what is opened while it closes', async () => {
  const opened = createClosing(pino({ level: 'silent' }));
  const late = vi.fn();
  opened.later('the store', () => opened.later('what was still being opened', late));
  await opened.all();
  expect(late).toHaveBeenCalledOnce();
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
  expect(warned).toEqual(['Closing what hangs failed', 'Closing what fails failed']);
});
