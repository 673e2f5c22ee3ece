import type { DatabaseSync } from 'node:sqlite';
import { emptyWriteAheadLog, openDatabase } from './database.ts';
import { repeat } from './repeated-work.ts';
import { createStore, type Entries, type Store, type StoreOptions } from './store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The values of the store in the `entries` table. */
export function createSqliteEntries(database: DatabaseSync): Entries {
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

  return {
    get: async (table, key) => select.get(table, key, Date.now())?.value as string | undefined,
    async set(table, key, value, expiresAtMs) {
      upsert.run(table, key, value, expiresAtMs ?? null);
    },
    async delete(table, key) {
      remove.run(table, key);
    },
    keys: async (table) => list.all(table, Date.now()).map(({ key }) => String(key)),
  };
}

/** The store in a SQLite file, which must exist (its access rights are decided where it is made). */
export function openSqliteStore({
  path,
  log,
  onFailure,
}: { readonly path: string } & Pick<StoreOptions, 'log' | 'onFailure'>): Store {
  const database = openDatabase(path, (error) =>
    log.error({ err: error }, 'The database is damaged: it is read as far as possible, and nothing is changed'),
  );
  const removeExpired = database.prepare('DELETE FROM entries WHERE expires_at <= ?');
  const failed = (error: unknown) => log.warn({ err: error }, 'What has expired could not be deleted yet');
  const endDeleting = repeat(MINUTE_MS, () => removeExpired.run(Date.now()), failed);
  // It waits for the disk.
  const endEmptying = repeat(DAY_MS, () => emptyWriteAheadLog(database), failed);
  return createStore({
    entries: createSqliteEntries(database),
    eraseDeleted: () => emptyWriteAheadLog(database),
    close() {
      endDeleting();
      endEmptying();
      database.close();
    },
    log,
    onFailure,
  });
}
