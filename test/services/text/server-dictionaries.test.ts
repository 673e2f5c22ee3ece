import { pino } from 'pino';
import { expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/store-error.ts';
import { createServerDictionaries, type ServerDictionaries } from '../../../src/services/text/server-dictionaries.ts';
import { openMemoryStore } from '../storage/memory-store.ts';

function open() {
  const log = pino({ level: 'silent' });
  const { store, database } = openMemoryStore();
  const rows = () => database.prepare('SELECT key FROM entries').all();
  return { dictionaries: createServerDictionaries(store, log), rows, database, store };
}

const gif = { from: 'gif', to: 'jif', wholeWord: true };
const sql = { from: 'SQL', to: 'sequel', wholeWord: true };

const spoken = async (dictionaries: ServerDictionaries, guildId: string) =>
  (await dictionaries.of(guildId)).apply('a gif', 100, async () => undefined);

it('keeps the words of each server apart', async () => {
  const { dictionaries } = open();
  await dictionaries.change('1', () => [gif]);
  expect(await spoken(dictionaries, '1')).toBe('a jif');
  expect(await spoken(dictionaries, '2')).toBe('a gif');
  expect(await dictionaries.entries('1')).toEqual([gif]);
});

it('holds from the next text on when it is changed', async () => {
  const { dictionaries } = open();
  const before = await dictionaries.of('1');
  expect(await dictionaries.of('1')).toBe(before);
  await dictionaries.change('1', (entries) => [...entries, gif]);
  expect(await spoken(dictionaries, '1')).toBe('a jif');
});

it('does not keep values that were read before a concurrent change', async () => {
  const { dictionaries } = open();
  await Promise.all([dictionaries.of('1'), dictionaries.change('1', () => [gif]), dictionaries.of('1')]);
  expect(await spoken(dictionaries, '1')).toBe('a jif');
});

it('takes what two admins add at once', async () => {
  const { dictionaries } = open();
  await Promise.all([
    dictionaries.change('1', (entries) => [...entries, gif]),
    dictionaries.change('1', (entries) => [...entries, sql]),
  ]);
  expect(await dictionaries.entries('1')).toEqual([gif, sql]);
});

it('leaves nothing behind of a server that is forgotten', async () => {
  const { dictionaries, rows } = open();
  await dictionaries.change('1', () => [gif]);
  expect(rows()).toHaveLength(1);
  await dictionaries.forget('1');
  expect(rows()).toEqual([]);
  expect(await spoken(dictionaries, '1')).toBe('a gif');
});

it('a store that is down prevents no speech, and fails changes', async () => {
  const { dictionaries, store } = open();
  await store.close();
  expect(await spoken(dictionaries, '1')).toBe('a gif');
  await expect(dictionaries.change('1', () => [gif])).rejects.toThrow(StoreError);
});
