import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { StoreError } from '../../../src/errors/user-errors.ts';
import { openDataFolder } from '../../../src/services/storage/data-folder.ts';
import { inspectDatabase, openDatabase, sqlOf } from '../../../src/services/storage/database.ts';
import type { Sql } from '../../../src/services/storage/sql.ts';
import { createStore } from '../../../src/services/storage/store.ts';
import { silentLog as log } from '../../silent-log.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { openMemoryStore } from './memory-store.ts';
import { keepsTheContract } from './store-contract.ts';

const note = z.object({ words: z.string() });
const HOUR_MS = 60 * 60 * 1000;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const openFile = () =>
  createStore({ sql: sqlOf(openDatabase(openDataFolder(folder).privateFile('crier.sqlite'), log)), log });

describe('a store in SQLite', () => keepsTheContract(async () => openFile()));

describe('the store in a file', () => {
  const path = () => join(folder, 'crier.sqlite');

  it('has nothing of what was deleted in any of its files, also before it is closed', async () => {
    const store = openFile();
    const notes = store.table('notes', note);
    for (let key = 0; key < 50; key++) await notes.set(`key ${key}`, { words: `Zaphodbeeble ${key}` });
    await notes.set('kept', { words: 'Trillian' });
    const all = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    expect(all().join()).toContain('Zaphodbeeble');
    for (let key = 0; key < 50; key++) await notes.delete(`key ${key}`);
    store.eraseDeleted();
    expect(all().join()).not.toContain('Zaphodbeeble');
    const reader = new DatabaseSync(path());
    reader.exec('BEGIN; SELECT * FROM entries');
    await notes.set('another', { words: 'Ford' });
    expect(() => store.eraseDeleted()).toThrow('Another program reads the database');
    reader.close();
    expect(() => store.eraseDeleted()).not.toThrow();
    expect(all().join()).toContain('Trillian');
    await store.close();
  });

  it('of another version is refused in words, and left as it is', () => {
    const other = openDatabase(path(), log);
    other.exec('PRAGMA user_version = 7');
    other.close();
    for (const look of [openDatabase, inspectDatabase]) {
      expect(() => look(path(), log)).toThrow(
        /another version of Crier \(schema 7, this one reads 2\): install that version/,
      );
    }
  });

  it('is rid of what has expired a minute later, and when it is opened', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    const inFile = () => {
      const database = new DatabaseSync(path());
      const keys = database.prepare('SELECT key FROM entries ORDER BY key').all();
      database.close();
      return keys.map(({ key }) => key);
    };
    const first = openFile();
    const notes = first.table('notes', note);
    await notes.set('for an hour', { words: 'x' }, { ttlMs: HOUR_MS });
    await notes.set('for a week', { words: 'x' }, { ttlMs: 7 * 24 * HOUR_MS });
    await notes.set('for ever', { words: 'x' });
    vi.advanceTimersByTime(HOUR_MS - 1);
    expect(inFile()).toHaveLength(3);
    vi.advanceTimersByTime(60_000);
    expect(inFile()).toEqual(['for a week', 'for ever']);
    await first.close();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(7 * 24 * HOUR_MS);
    await openFile().close();
    expect(inFile()).toEqual(['for ever']);
  });
});

it.each<[string, Sql['query']]>([
  ['hangs: at the deadline, instead of hanging commands for ever', () => new Promise<never>(() => undefined)],
  ['fails', () => Promise.reject(new Error('disk gone'))],
])('a store rejects when its database %s; tells of every failure by the table it was in', async (_, query) => {
  vi.useFakeTimers();
  const failed: string[] = [];
  const onFailure = (table: string) => void failed.push(table);
  const store = createStore({ sql: { ...openMemoryStore().sql, query }, log, onFailure });
  const notes = store.table('notes', note);
  const rejects = (work: Promise<unknown>) =>
    Promise.all([expect(work).rejects.toThrow(StoreError), vi.advanceTimersByTimeAsync(1_000)]);
  await rejects(notes.get('a'));
  await rejects(notes.set('a', { words: 'x' }));
  await rejects(notes.delete('a'));
  await rejects(store.table('others', note).keys());
  expect(await Promise.all([store.problem(), vi.advanceTimersByTimeAsync(1_000)])).toContain('it does not answer');
  expect(failed).toEqual(['notes', 'notes', 'notes', 'others', 'health']);
});
