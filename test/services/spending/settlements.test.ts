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
  const add = (name: string, isBroken = false) =>
    settlements.add(`write down ${name}`, async () => {
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

it('repeats what failed with one statement a round, at intervals that double up to a minute, until it is done', async () => {
  const { store, attempts, lines, add } = scene();
  for (const name of ['a', 'b', 'c']) await add(name);
  expect(attempts).toEqual(['a']);
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
  expect(attempts.sort()).toEqual(['a', 'b', 'c']);
  expect(lines.at(-1)).toContain('is written down now');
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(attempts).toHaveLength(3);
});

it('lets one that always fails hold up no other', async () => {
  const { store, attempts, add } = scene();
  await add('broken', true);
  await add('a');
  await add('b');
  store.isDown = false;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(attempts).toEqual(['broken', 'broken', 'a', 'b', 'broken']);
});

it('tries for the last time when it is closed, says what is left, and ends', async () => {
  const { settlements, attempts, lines, add } = scene();
  await add('a');
  await add('b');
  await settlements.close();
  expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({ left: 2, msg: expect.stringContaining('stay counted') });
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(attempts).toEqual(['a', 'a']);

  const works = scene();
  await works.add('a');
  works.store.isDown = false;
  await works.settlements.close();
  expect(works.attempts).toEqual(['a', 'a']);
  expect(works.lines.at(-1)).toContain('is written down now');
});
