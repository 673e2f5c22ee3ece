import type pg from 'pg';
import { OperatorError } from '../../../errors/operator-error.ts';
import { SCHEMA_VERSION, tablesFor } from '../sql.ts';

/** The PostgreSQL notification channel that announces each written or deleted entry, by table and key. */
export const ENTRIES_CHANNEL = 'crier_entries';

/** A trigger announces each changed entry to all processes, except for entries that no other process caches. */
const SHARED = `${tablesFor({
  schema: 'crier.',
  text: 'TEXT COLLATE "C"',
  integer: 'BIGINT',
  real: 'DOUBLE PRECISION',
  boolean: 'BOOLEAN',
  options: '',
})}
  CREATE FUNCTION crier.announce_entry() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE changed crier.entries := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    BEGIN
      IF changed.namespace <> 'health' AND changed.namespace NOT LIKE 'accepted-%' THEN
        PERFORM pg_notify('${ENTRIES_CHANNEL}', changed.namespace || ':' || changed.key);
      END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON crier.entries
    FOR EACH ROW EXECUTE FUNCTION crier.announce_entry();`;

/**
 * A cell is a process with a lease on a range of shards. If the last shard is null, the range has no end. If the count
 * of shards is null, the process runs the whole bot.
 */
const CELLS = `
  CREATE TABLE crier.cells (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL,
    first_shard INTEGER NOT NULL,
    last_shard INTEGER,
    shard_count INTEGER,
    lease_until TIMESTAMPTZ NOT NULL,
    -- True if the process was told to stop: it gives its lease back soon.
    ending BOOLEAN NOT NULL DEFAULT false
  );
  -- clock_timestamp(), because the transaction's time is outdated after a wait for a lock.
  CREATE FUNCTION crier.holds_lease(cell BIGINT) RETURNS BOOLEAN LANGUAGE sql VOLATILE AS
    'SELECT EXISTS (SELECT FROM crier.cells WHERE id = cell AND lease_until > clock_timestamp())';
  -- When the next session of a bucket may begin: https://docs.discord.com/developers/events/gateway#sharding-max-concurrency
  CREATE TABLE crier.identify_buckets (bucket INTEGER PRIMARY KEY, next_at TIMESTAMPTZ NOT NULL);
  -- Returns the new cell, or the cell that prevents it, with the rest of that cell's lease.
  CREATE FUNCTION crier.claim_shards(
    cell_name TEXT, first INTEGER, last INTEGER, of_count INTEGER, lease INTERVAL,
    OUT claimed BIGINT, OUT rival BIGINT, OUT rival_name TEXT, OUT rival_left_ms BIGINT, OUT rival_ending BOOLEAN
  ) LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(1131571557, 2);
      DELETE FROM crier.cells WHERE lease_until < clock_timestamp() - INTERVAL '1 day';
      SELECT id, name, ceil(extract(epoch FROM lease_until - clock_timestamp()) * 1000), ending
      INTO rival, rival_name, rival_left_ms, rival_ending FROM crier.cells
      WHERE lease_until > clock_timestamp()
        AND (shard_count IS DISTINCT FROM of_count
          OR (first_shard <= coalesce(last, 2147483647) AND coalesce(last_shard, 2147483647) >= first))
      ORDER BY lease_until DESC LIMIT 1;
      IF rival IS NOT NULL THEN RETURN; END IF;
      INSERT INTO crier.cells (name, first_shard, last_shard, shard_count, lease_until)
      VALUES (cell_name, first, last, of_count, clock_timestamp() + lease) RETURNING id INTO claimed;
    END $$;`;

/**
 * Creates all tables in one transaction. Throws an OperatorError if the tables have another version. If this throws, the
 * caller closes the connection, which rolls back the transaction.
 */
export async function makeTables(client: pg.ClientBase): Promise<void> {
  // Processes that start at once create the tables one after the other. The number of the lock is arbitrary.
  await client.query('BEGIN; SELECT pg_advisory_xact_lock(1131571557)');
  const { rows: found } = await client.query("SELECT to_regclass('crier.schema_version') IS NOT NULL AS present");
  if (found[0]?.present !== true) {
    await client.query(`CREATE SCHEMA IF NOT EXISTS crier; CREATE TABLE crier.schema_version (version INTEGER NOT NULL);
      INSERT INTO crier.schema_version VALUES (${SCHEMA_VERSION});
      ${SHARED} ${CELLS}`);
  } else {
    const { rows } = await client.query('SELECT version FROM crier.schema_version');
    const version = Number(rows[0]?.version);
    if (version !== SCHEMA_VERSION) {
      throw new OperatorError(
        `the database of STORE_URL was written by another version of Crier (schema ${version}, this one reads ${SCHEMA_VERSION})`,
        { remedy: `install that version again, or let STORE_URL name another database` },
      );
    }
  }
  await client.query('COMMIT');
}
