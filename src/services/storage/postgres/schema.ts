import type pg from 'pg';
import { OperatorError } from '../../../errors/operator-error.ts';

/** The channel on which a written or deleted entry is announced, by its key, and an empty text for 'any of them'. */
export const ENTRIES_CHANNEL = 'crier_entries';

/**
 * Each entry brings a database one version up. Never changed once released: a change is one more entry, one a release at
 * most, that only adds, so that processes of the release before can go on meanwhile. All of it is in the schema `crier`.
 */
const MIGRATIONS: readonly string[] = [
  // Keyv's table: the namespace is before the first colon of a key. The time of expiry is at the end of a value, after which
  // comes the version (store.ts); PostgreSQL's own functions for JSON refuse a text with a NUL in it. Sorted by bytes, so that
  // the keys of a namespace are one range of the index. Probes and the gains of voices concern no other process.
  `CREATE TABLE crier.entries (
     key VARCHAR(255) COLLATE "C" PRIMARY KEY,
     value TEXT,
     expires_at BIGINT GENERATED ALWAYS AS (
       substring(value FROM ',"expires":(\\d+),"version":\\d+}$')::bigint
     ) STORED
   );
   CREATE INDEX entries_expiry ON crier.entries (expires_at) WHERE expires_at IS NOT NULL;
   CREATE FUNCTION crier.announce_entry() RETURNS trigger LANGUAGE plpgsql AS $$
     DECLARE changed TEXT := CASE TG_OP WHEN 'DELETE' THEN OLD.key ELSE NEW.key END;
     BEGIN
       IF split_part(changed, ':', 1) NOT IN ('health', 'voice-loudness') THEN
         PERFORM pg_notify('${ENTRIES_CHANNEL}', changed);
       END IF;
       RETURN NULL;
     END $$;
   CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON crier.entries
     FOR EACH ROW EXECUTE FUNCTION crier.announce_entry();`,
];

/** Any number: two processes that start at once bring the tables up one after the other. */
const MIGRATION_LOCK = 0x43_72_69_65;

/**
 * Brings the tables up to this version's: wholly or not at all. Throws an OperatorError when they are of a version further
 * on than the next.
 */
export async function migrate(client: pg.ClientBase, migrations: readonly string[] = MIGRATIONS): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const version = await versionOf(client);
    // A migration only adds: the tables of the next version hold all of this one's.
    const readable = migrations.length + 1;
    if (version > readable) {
      throw new OperatorError(
        `the database of STORE_URL was written by a newer version of Crier (schema ${version}, this one reads up to ${readable})`,
        { remedy: 'install that version again, or let STORE_URL name another database' },
      );
    }
    if (version < migrations.length) {
      await client.query('CREATE SCHEMA IF NOT EXISTS crier');
      await client.query('CREATE TABLE IF NOT EXISTS crier.schema_version (version INTEGER NOT NULL)');
      for (const statements of migrations.slice(version)) await client.query(statements);
      await client.query('DELETE FROM crier.schema_version');
      await client.query('INSERT INTO crier.schema_version VALUES ($1)', [migrations.length]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      // The connection is gone, and with it the transaction: the first error says why.
    });
    throw error;
  }
}

async function versionOf(client: pg.ClientBase): Promise<number> {
  const found = await client.query("SELECT to_regclass('crier.schema_version') IS NOT NULL AS present");
  if (found.rows[0]?.present !== true) return 0;
  const { rows } = await client.query('SELECT version FROM crier.schema_version');
  return Number(rows[0]?.version ?? 0);
}
