import { KeyvPostgres } from '@keyv/postgres';
import type { KeyvStoreAdapter } from 'keyv';
import type pg from 'pg';

/**
 * Keyv's adapter for PostgreSQL on our connections and our table. Its own pool has no listener for errors, so that a restart
 * of PostgreSQL would end the process; its own list of keys leaves out what could not be read.
 */
export function createPostgresAdapter(pool: pg.Pool, namespace: string): KeyvStoreAdapter {
  class OverOurPool extends KeyvPostgres {
    override async connect() {
      return async (sql: string, values?: unknown[]) => {
        // The table is a migration's.
        if (sql.startsWith('CREATE ')) return [];
        return (await pool.query(sql, values)).rows;
      };
    }

    override async *iterator(): AsyncGenerator<string[], void, unknown> {
      const { rows } = await pool.query<{ key: string }>(
        `SELECT substr(key, $1) AS key FROM crier.entries
         WHERE key >= $2 AND key < $3 AND (expires_at IS NULL OR expires_at > $4) ORDER BY key`,
        // The character after the colon ends the range.
        [namespace.length + 2, `${namespace}:`, `${namespace};`, Date.now()],
      );
      for (const { key } of rows) yield [key];
    }
  }
  return new OverOurPool({ schema: 'crier', table: 'entries' });
}
