import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
import { keepsTheContract } from './store-contract.ts';

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
  const values = new Map<string, { readonly value: unknown; readonly endsAtMs: number }>();
  const adapter: KeyvStoreAdapter = {
    // Keyv looks for a known address where an adapter can be listed.
    opts: { url: '' },
    get: async <Value>(key: string) => values.get(key)?.value as Value | undefined,
    set: async (key, value, ttlMs = Number.POSITIVE_INFINITY) =>
      values.set(key, { value, endsAtMs: Date.now() + ttlMs }),
    delete: async (key) => values.delete(key),
    clear: async () => values.clear(),
    async *iterator() {
      for (const [key, { endsAtMs }] of values) if (endsAtMs > Date.now()) yield [key, undefined];
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

describe.each(Object.entries(BACKENDS))('a store (%s)', (_, open) => keepsTheContract(async () => open()));

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

  it('has nothing of what was deleted in any of its files, also before it is closed', async () => {
    const store = openSqliteStore({ path: openDataFolder(folder).privateFile('crier.sqlite'), log });
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

  it('are upgraded step by step from the version that is stored beside them', async () => {
    const path = openDataFolder(folder).privateFile('store.sqlite');
    const store = openSqliteStore({ path, log });
    const first = store.table('servers', z.object({ seconds: z.number() }));
    await first.set('a', { seconds: 2 });
    const upgrades = [
      (kept: unknown) => ({ tenths: (kept as { seconds: number }).seconds * 10 }),
      (kept: unknown) => ({ ms: (kept as { tenths: number }).tenths * 100 }),
    ];
    const third = store.table('servers', z.object({ ms: z.number() }), { upgrades });
    expect(await third.get('a')).toEqual({ ms: 2_000 });
    await third.set('b', { ms: 500 });
    expect(await third.get('b')).toEqual({ ms: 500 });
    const stored = new DatabaseSync(path);
    const versions = stored.prepare("SELECT key, value ->> 'version' AS version FROM entries ORDER BY key").all();
    stored.close();
    expect(versions.map((row) => ({ ...row }))).toEqual([
      { key: 'a', version: 1 },
      { key: 'b', version: 3 },
    ]);
    await store.close();
  });

  it('are of the first version where none is stored, and are read by versions that know of none', async () => {
    const store = openSqliteStore({ path: openDataFolder(folder).privateFile('store.sqlite'), log });
    await store.table('notes', note).set('a', { words: ':old' });
    const database = new DatabaseSync(join(folder, 'store.sqlite'));
    const { value } = database.prepare('SELECT value FROM entries').get() as { value: string };
    // The text as it was stored before there were versions.
    database.prepare('UPDATE entries SET value = ?').run(value.replace(',"version":1', ''));
    database.close();
    const upgrades = [(kept: unknown) => ({ words: `upgraded ${(kept as { words: string }).words}` })];
    expect(await store.table('notes', note, { upgrades }).get('a')).toEqual({ words: 'upgraded :old' });
    await store.close();
  });

  it('give back the fields that were set aside once they can be read, without those chosen since', async () => {
    const store = openSqliteStore({ path: openDataFolder(folder).privateFile('store.sqlite'), log });
    const newer = z.object({ name: z.string().optional(), limit: z.union([z.number(), z.string()]).optional() });
    await store.table('servers', newer).set('a', { name: 'x', limit: 'ten' });
    const older = createRecords(store.table('servers', server), {});
    await older.change('a', (before) => ({ ...before, name: 'y', limit: 5 }));
    expect(await older.setAside('a')).toEqual({ readable: {}, unreadable: ['limit'] });
    const again = createRecords(store.table('servers', newer), {});
    expect(await again.setAside('a')).toEqual({ readable: { limit: 'ten' }, unreadable: [] });
    expect(await again.restore('a')).toEqual({
      before: { name: 'y', limit: 5 },
      after: { name: 'y', limit: 'ten' },
    });
    expect(await again.get('a')).toEqual({ name: 'y', limit: 'ten' });
    expect(await again.setAside('a')).toBeUndefined();
    await store.close();
  });

  it('are discarded where they cannot be read, and nothing else of them', async () => {
    const store = openSqliteStore({ path: openDataFolder(folder).privateFile('store.sqlite'), log });
    const raw = store.table('servers', z.unknown());
    await raw.set('a', { name: 'x', limit: 'ten', later: true });
    const servers = createRecords(store.table('servers', server, { unreadableFields: { limit: 0 } }), {});
    expect(await servers.discardUnreadable('a')).toEqual({ before: { name: 'x', limit: 0 }, after: { name: 'x' } });
    expect(await raw.get('a')).toEqual({ name: 'x', later: true });
    expect(await servers.setAside('a')).toBeUndefined();
    await raw.set('b', 5);
    expect((await servers.discardUnreadable('b')).after).toEqual({});
    expect(await raw.keys()).toEqual(['a']);
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
