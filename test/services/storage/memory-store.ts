import { openDatabase, sqlOf } from '../../../src/services/storage/database.ts';
import { createStore } from '../../../src/services/storage/store.ts';
import { silentLog } from '../../silent-log.ts';

/** The store over a database of its own that is gone with the test. */
export function openMemoryStore() {
  const database = openDatabase(':memory:', silentLog);
  const sql = sqlOf(database);
  const rows = () => database.prepare('SELECT namespace, key FROM entries ORDER BY namespace, key').all();
  return { store: createStore({ sql, log: silentLog }), sql, database, rows };
}
