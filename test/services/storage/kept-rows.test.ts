import { beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createValueCipher, openKeptRows } from '../../../src/services/storage/kept-rows.ts';
import type { Table } from '../../../src/services/storage/store.ts';
import { silentLog } from '../../silent-log.ts';
import { openMemoryStore } from './memory-store.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());

/** One process after the other, over one store. */
function open() {
  const { store, database } = openMemoryStore();
  const table = store.table('accepted-words', z.string());
  const start = (owns = (_guildId: string) => true, secret = 'key', over: Partial<Table<string>> = {}) =>
    openKeptRows<string>({
      table: { ...table, ...over },
      seal: createValueCipher(Buffer.from(secret)),
      keptMs: 10 * MINUTE_MS,
      owns,
      log: silentLog,
    });
  const inStore = () => database.prepare('SELECT key, value FROM entries ORDER BY key').all();
  return { start, table, inStore };
}

/** A first process has kept a text. */
async function keptOne() {
  const opened = open();
  const rows = await opened.start();
  rows.set('1 alice a', row('Hello'));
  await rows.written();
  return { ...opened, rows };
}

const row = (value: string) => ({ value, sinceMs: Date.now() });

it('the next process finds what was set, which nobody reads in the store', async () => {
  const { start, inStore, rows } = await keptOne();
  rows.set('1 alice b', row('Gone'));
  rows.delete('1 alice b');
  await rows.written();
  expect(inStore().map(({ key }) => key)).toEqual(['1 alice a']);
  expect(Buffer.from(String(inStore()[0]?.value), 'base64').toString('latin1')).not.toContain('Hello');
  expect((await start()).get('1 alice a')).toMatchObject({ value: 'Hello' });
});

it('what was kept with another key is forgotten', async () => {
  const { start, inStore } = await keptOne();
  const second = await start(undefined, 'another key');
  expect(second.entries()).toEqual([]);
  await second.written();
  expect(inStore()).toEqual([]);
});

it('rows of servers that another process speaks for are neither read nor written, but deleted with their member', async () => {
  const { start, inStore } = open();
  const other = await start((guildId) => guildId === '2');
  other.set('2 alice a', row('Hello'));
  other.set('2 bob b', row('Hello'));
  await other.written();
  const rows = await start((guildId) => guildId === '1');
  expect(rows.entries()).toEqual([]);
  rows.set('2 alice c', row('Not this process’s'));
  await expect(rows.written()).rejects.toThrow('Another process speaks for this server now');
  await rows.deleteAll((key) => key.includes('alice')).catch(() => undefined);
  expect(inStore().map(({ key }) => key)).toEqual(['2 bob b']);
});

it('nothing is older than it is kept, in the store neither', async () => {
  const { start, rows } = await keptOne();
  vi.advanceTimersByTime(10 * MINUTE_MS - 1);
  expect((await start()).entries()).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect([rows.get('1 alice a'), rows.entries(), (await start()).entries()]).toEqual([undefined, [], []]);
});

it('a change that could not be written is said so, and is written once the store answers', async () => {
  const { start, table, inStore } = open();
  let isAway = true;
  let attempts = 0;
  const rows = await start(undefined, undefined, {
    set(...values) {
      attempts += 1;
      return isAway ? Promise.reject(new Error('away')) : table.set(...values);
    },
  });
  rows.set('1 alice a', row('Hello'));
  await expect(rows.written()).rejects.toThrow('away');
  expect(inStore()).toEqual([]);
  const before = attempts;
  for (const words of ['Hello again', 'And again']) rows.set('1 alice a', row(words));
  await vi.advanceTimersByTimeAsync(0);
  expect(attempts).toBe(before);
  isAway = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(inStore()).toMatchObject([{ key: '1 alice a' }]);
});

it('a store that cannot be read counts as empty', async () => {
  const { start } = open();
  const keys = () => Promise.reject(new Error('away'));
  expect((await start(undefined, undefined, { keys })).entries()).toEqual([]);
});
