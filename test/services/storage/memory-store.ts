import { pino } from 'pino';
import { openDatabase } from '../../../src/services/storage/database.ts';
import { createSqliteEntries } from '../../../src/services/storage/sqlite-store.ts';
import { createStore } from '../../../src/services/storage/store.ts';

/** The store over a database of its own that is gone with the test. */
export function openMemoryStore() {
  const database = openDatabase(':memory:');
  const store = createStore({
    entries: createSqliteEntries(database),
    close: () => database.close(),
    log: pino({ level: 'silent' }),
  });
  return { store, database };
}
