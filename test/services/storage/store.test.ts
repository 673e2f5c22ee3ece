import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { KeyvStoreAdapter } from 'keyv';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { StoreError } from '../../../src/errors/store-error.ts';
import { openDataFolder } from '../../../src/services/storage/data-folder.ts';
import { inspectDatabase } from '../../../src/services/storage/database.ts';
import { createRecords } from '../../../src/services/storage/editable-records.ts';
import { createStore, openSqliteStore, type Store } from '../../../src/services/storage/store.ts';

const log = pino({ level: 'silent' });
const note = z.object({ words: z.string() });
const HOUR_MS = 60 * 60 * 1000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** An adapter in memory, as the plainest thing that keeps the contract. */
function memoryAdapter(): KeyvStoreAdapter {
  const values = new Map<string, unknown>();
  const adapter: KeyvStoreAdapter = {
    // Keyv looks for a known address where an adapter can be listed.
    opts: { url: '' },
    get: async <Value>(key: string) => values.get(key) as Value | undefined,
    set: async (key, value) => values.set(key, value),
    delete: async (key) => values.delete(key),
    clear: async () => values.clear(),
    async *iterator() {
      for (const key of values.keys()) yield [key, undefined];
    },
    on: () => adapter,
  };
  return adapter;
}

const BACKENDS: Record<string, () => Store> = {
  sqlite: () => openSqliteStore({ path: openDataFolder(folder).privateFile('crier.sqlite'), log }),
  memory: () => {
    const adapters = new Map<string, KeyvStoreAdapter>();
    const adapterFor = (namespace: string) => {
      const adapter = adapters.get(namespace) ?? memoryAdapter();
      adapters.set(namespace, adapter);
      return adapter;
    };
    return createStore({ adapterFor, close: () => undefined, log });
  },
};

describe.each(Object.entries(BACKENDS))('a store (%s)', (_, open) => {
  let store: Store;
  beforeEach(() => {
    store = open();
  });
  afterEach(() => store.close());

  it('lists the keys that have a value, of one table alone', async () => {
    const [notes, others] = [store.table('notes', note), store.table('others', note)];
    for (const key of ['b', 'a', 'c']) await notes.set(key, { words: key });
    await others.set('z', { words: 'z' });
    await notes.delete('c');
    expect([...(await notes.keys())].sort()).toEqual(['a', 'b']);
    expect(await store.table('nothing', note).keys()).toEqual([]);
  });

  it('has nothing under a key that was never set', async () => {
    expect(await store.table('notes', note).get('a')).toBeUndefined();
  });

  it('gives back what was set last, any script included', async () => {
    const notes = store.table('notes', note);
    await notes.set('a', { words: 'first' });
    await notes.set('a', { words: 'второй 二番目 🎉' });
    expect(await notes.get('a')).toEqual({ words: 'второй 二番目 🎉' });
  });

  it('forgets what was deleted, and does not mind deleting nothing', async () => {
    const notes = store.table('notes', note);
    await notes.set('a', { words: 'x' });
    await notes.delete('a');
    await notes.delete('a');
    expect(await notes.get('a')).toBeUndefined();
  });

  it('keeps tables apart', async () => {
    const notes = store.table('notes', note);
    await notes.set('a', { words: 'x' });
    expect(await store.table('others', note).get('a')).toBeUndefined();
  });

  it('forgets what has expired', async () => {
    const notes = store.table('notes', note);
    await notes.set('a', { words: 'x' }, { ttlMs: 1 });
    await expect.poll(() => notes.get('a')).toBeUndefined();
  });

  it('leaves out a value that has another shape than this version knows', async () => {
    await store.table('notes', z.number()).set('a', 5);
    expect(await store.table('notes', note).get('a')).toBeUndefined();
  });

  it('sets such a value aside before it is written over, until the key is deleted', async () => {
    await store.table('notes', z.number()).set('a', 5);
    const [notes, aside] = [store.table('notes', note), store.table('notes.unreadable', z.number())];
    await notes.get('a');
    await notes.set('a', { words: 'new' });
    expect(await notes.get('a')).toEqual({ words: 'new' });
    expect(await aside.get('a')).toBe(5);
    await notes.delete('a');
    expect(await aside.keys()).toEqual([]);
  });

  it('can be closed twice', async () => {
    await store.close();
    await store.close();
  });
});

describe('the store in a file', () => {
  const path = () => join(folder, 'crier.sqlite');

  it('keeps what was set over a restart', async () => {
    const first = BACKENDS.sqlite?.();
    await first?.table('notes', note).set('a', { words: 'kept' });
    await first?.close();
    const second = BACKENDS.sqlite?.();
    expect(await second?.table('notes', note).get('a')).toEqual({ words: 'kept' });
    await second?.close();
  });

  it('can be read by its owner only, its journal included', async () => {
    writeFileSync(path(), '');
    chmodSync(path(), 0o644);
    const store = BACKENDS.sqlite?.();
    await store?.table('notes', note).set('a', { words: 'x' });
    for (const file of ['crier.sqlite', 'crier.sqlite-wal', 'crier.sqlite-shm']) {
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    }
    await store?.close();
  });

  it('is rid of what has expired a day later, and when it is opened', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    try {
      const inFile = () => {
        const database = new DatabaseSync(path());
        const keys = database.prepare('SELECT key FROM entries ORDER BY key').all();
        database.close();
        return keys.map(({ key }) => key);
      };
      const first = BACKENDS.sqlite?.();
      const notes = first?.table('notes', note);
      await notes?.set('for an hour', { words: 'x' }, { ttlMs: HOUR_MS });
      await notes?.set('for a week', { words: 'x' }, { ttlMs: 7 * 24 * HOUR_MS });
      await notes?.set('for ever', { words: 'x' });
      vi.advanceTimersByTime(23 * HOUR_MS);
      expect(inFile()).toHaveLength(3);
      vi.advanceTimersByTime(HOUR_MS);
      expect(inFile()).toEqual(['for a week', 'for ever']);
      await first?.close();
      expect(vi.getTimerCount()).toBe(0);
      vi.advanceTimersByTime(7 * 24 * HOUR_MS);
      await BACKENDS.sqlite?.().close();
      expect(inFile()).toEqual(['for ever']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is not opened when a newer version wrote it', async () => {
    const newer = new DatabaseSync(path());
    newer.exec('PRAGMA user_version = 999');
    newer.close();
    expect(() => BACKENDS.sqlite?.()).toThrow(/newer version of Crier/);
  });

  it('is not opened when it is no database', () => {
    writeFileSync(path(), 'not a database, but long enough to have a header that sqlite looks at'.repeat(20));
    expect(() => BACKENDS.sqlite?.()).toThrow();
  });
});

describe('a store that is in trouble', () => {
  const broken = (adapter: Partial<KeyvStoreAdapter>): Store =>
    createStore({
      adapterFor: () => ({ ...memoryAdapter(), ...adapter }),
      close: () => undefined,
      log,
      deadlineMs: 30,
    });

  it('rejects at the deadline when the backend hangs, instead of hanging commands for ever', async () => {
    const hang = () => new Promise<never>(() => undefined);
    const notes = broken({ get: hang, set: hang, delete: hang }).table('notes', note);
    await expect(notes.get('a')).rejects.toThrow(StoreError);
    await expect(notes.set('a', { words: 'x' })).rejects.toThrow(StoreError);
    await expect(notes.delete('a')).rejects.toThrow(StoreError);
  });

  it('rejects when the backend fails, and does not end the process with an unheard error event', async () => {
    const fail = () => Promise.reject(new Error('disk gone'));
    const notes = broken({ get: fail, set: fail, delete: fail }).table('notes', note);
    await expect(notes.get('a')).rejects.toThrow(StoreError);
    await expect(notes.set('a', { words: 'x' })).rejects.toThrow(StoreError);
    await expect(notes.delete('a')).rejects.toThrow(StoreError);
  });

  it('tells of every failure by the table it was in, and when looked at says that it is in trouble', async () => {
    const failed: string[] = [];
    const hang = () => new Promise<never>(() => undefined);
    const store = createStore({
      adapterFor: () => ({ ...memoryAdapter(), get: hang, set: async () => false }),
      close: () => undefined,
      log,
      onFailure: (table) => void failed.push(table),
      deadlineMs: 30,
    });
    await expect(store.table('notes', note).get('a')).rejects.toThrow(StoreError);
    await expect(store.table('others', note).set('a', { words: 'x' })).rejects.toThrow(StoreError);
    expect(failed).toEqual(['notes', 'others']);
    await expect(store.check()).rejects.toThrow(StoreError);
    await expect(broken({}).check()).resolves.toBeUndefined();
  });

  it('rejects when the backend says that it did not write', async () => {
    const notes = broken({ set: async () => false }).table('notes', note);
    await expect(notes.set('a', { words: 'x' })).rejects.toThrow(StoreError);
  });
});

describe('values of other versions', () => {
  const server = z.object({ name: z.string().optional(), limit: z.number().optional() });

  it('cost their unreadable field alone, come back with the version that wrote them, and are set aside', async () => {
    const path = openDataFolder(folder).privateFile('store.sqlite');
    const store = openSqliteStore({ path, log });
    await store.table('servers', z.unknown()).set('a', { name: 'x', limit: 'ten', later: true });
    const servers = store.table('servers', server, { unreadableFields: { limit: 0 } });
    expect(await servers.get('a')).toEqual({ name: 'x', limit: 0 });
    await servers.set('a', { name: 'y', limit: 0 });
    expect(await store.table('servers', z.unknown()).get('a')).toEqual({ name: 'y', limit: 'ten', later: true });
    expect(inspectDatabase(path)).toEqual(new Map([['servers', 1]]));
    await store.close();
  });

  it('stay when the known part of their record becomes empty, and go when the record is forgotten', async () => {
    const path = openDataFolder(folder).privateFile('store.sqlite');
    const store = openSqliteStore({ path, log });
    const all = store.table('servers', z.unknown());
    await all.set('unknown', { name: 'x', later: true });
    await all.set('unread', { name: 'x', limit: 'ten' });
    await all.set('known', { name: 'x', limit: 10 });
    const records = createRecords(store.table('servers', server), {});
    for (const key of ['unknown', 'unread', 'known']) await records.change(key, () => ({}));
    expect(await all.get('unknown')).toEqual({ later: true });
    expect(await all.get('unread')).toEqual({ limit: 'ten' });
    expect(await all.keys()).toEqual(['unknown', 'unread']);
    expect(inspectDatabase(path)).toEqual(new Map([['servers', 1]]));
    for (const key of ['unknown', 'unread']) await records.forget(key);
    expect(await all.keys()).toEqual([]);
    expect(inspectDatabase(path)).toEqual(new Map());
    await store.close();
  });

  it('count as the given value where nothing can be read of them', async () => {
    const store = openSqliteStore({ path: openDataFolder(folder).privateFile('store.sqlite'), log });
    await store.table('notes', z.unknown()).set('a', 5);
    expect(await store.table('notes', note, { unreadable: { words: 'unknown' } }).get('a')).toEqual({
      words: 'unknown',
    });
    expect(await store.table('notes', note).get('b')).toBeUndefined();
    await store.close();
  });
});
