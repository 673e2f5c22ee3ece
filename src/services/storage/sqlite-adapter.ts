import { EventEmitter } from 'node:events';
import type { DatabaseSync } from 'node:sqlite';
import type { KeyvStoreAdapter } from 'keyv';
import { daily } from './daily.ts';
import { emptyWriteAheadLog } from './database.ts';

/**
 * Keyv over one namespace of the `entries` table. Each Keyv gets an adapter of its own, because Keyv writes its namespace
 * into the adapter: a shared one would clear the wrong entries.
 */
export function createSqliteAdapter(database: DatabaseSync, namespace: string): KeyvStoreAdapter {
  const select = database.prepare(
    'SELECT value FROM entries WHERE namespace = ? AND key = ? AND (expires_at IS NULL OR expires_at > ?)',
  );
  const upsert = database.prepare(
    `INSERT INTO entries (namespace, key, value, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`,
  );
  const list = database.prepare(
    'SELECT key FROM entries WHERE namespace = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY key',
  );
  const remove = database.prepare('DELETE FROM entries WHERE namespace = ? AND key = ?');
  const removeAll = database.prepare('DELETE FROM entries WHERE namespace = ?');

  const emitter = new EventEmitter();
  const adapter: KeyvStoreAdapter = {
    opts: { dialect: 'sqlite' },
    namespace,
    async get<Value>(key: string) {
      return select.get(namespace, key, Date.now())?.value as Value | undefined;
    },
    async set(key, value, ttlMs) {
      upsert.run(namespace, key, String(value), ttlMs === undefined ? null : Date.now() + ttlMs);
    },
    async delete(key) {
      return remove.run(namespace, key).changes > 0;
    },
    async clear() {
      removeAll.run(namespace);
    },
    async *iterator() {
      for (const { key } of list.all(namespace, Date.now())) yield [String(key), undefined];
    },
    on(event, listener) {
      emitter.on(event, listener);
      return adapter;
    },
  };
  return adapter;
}

/** Deletes what has expired, now and once a day; the returned function ends that. */
export function deleteExpiredDaily(database: DatabaseSync, onFailure: (error: unknown) => void): () => void {
  const removeExpired = database.prepare('DELETE FROM entries WHERE expires_at <= ?');
  return daily(() => {
    removeExpired.run(Date.now());
    emptyWriteAheadLog(database);
  }, onFailure);
}
