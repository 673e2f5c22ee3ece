import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSettlements } from '../../../src/services/spending/settlements.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function scene() {
  const lines: string[] = [];
  const store = { isDown: true };
  const attempts: string[] = [];
  const settlements = createSettlements(pino({ level: 'info' }, { write: (line) => void lines.push(line) }));
  const add = (name: string, { isBroken = false, settle = settlements.ofOne() } = {}) =>
    settle(`write down ${name}`, async () => {
      attempts.push(name);
      if (store.isDown || isBroken) throw new Error('database is locked');
    });
  return { settlements, store, attempts, lines, add };
}

it('writes at once, and nothing a second time', async () => {
  const { store, attempts, add } = scene();
  store.isDown = false;
  await add('a');
  await add('b');
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(attempts).toEqual(['a', 'b']);
});

it('repeats what failed at intervals that double up to a minute, until it is done', async () => {
  const { store, attempts, lines, add } = scene();
  await add('a');
  const intervalsMs: number[] = [];
  for (let waitedMs = 0; intervalsMs.length < 8; waitedMs += 500) {
    const before = attempts.length;
    await vi.advanceTimersByTimeAsync(500);
    if (attempts.length === before) continue;
    intervalsMs.push(waitedMs + 500);
    waitedMs = -500;
  }
  expect(intervalsMs).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  store.isDown = false;
  attempts.length = 0;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines.at(-1)).toContain('could write down a at last');
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(attempts).toEqual(['a']);
});

it('lets one that always fails neither hold up nor slow down any other', async () => {
  const { store, attempts, add } = scene();
  store.isDown = false;
  await add('broken', { isBroken: true });
  await vi.advanceTimersByTimeAsync(300_000);
  attempts.length = 0;
  await add('a');
  await add('b');
  expect(attempts).toEqual(['a', 'b']);
});

it('gives up what failed of a reservation for what came later of the same', async () => {
  const { settlements, store, attempts, add } = scene();
  const settle = settlements.ofOne();
  await add('a first', { settle });
  store.isDown = false;
  await add('a last', { settle });
  await settlements.retryNow();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(attempts).toEqual(['a first', 'a last']);
});

it('tries for the last time when it is closed, says what is left, and ends', async () => {
  const { settlements, attempts, lines, add } = scene();
  await add('a');
  await add('b');
  await settlements.close();
  expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({ left: 2, msg: expect.stringContaining('stay counted') });
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(attempts).toEqual(['a', 'b', 'a', 'b']);

  const works = scene();
  await works.add('a');
  works.store.isDown = false;
  await works.settlements.close();
  expect(works.attempts).toEqual(['a', 'a']);
  expect(works.lines.at(-1)).toContain('at last');
});
