import type pg from 'pg';
import { OperatorError } from '../../../errors/operator-error.ts';
import { HANDOVER } from './handover-tables.ts';
import { CELLS, ENTRIES, RATE_LIMITS, SPENDING } from './tables.ts';

/**
 * Each entry brings a database one version up. Never changed once released: a change is one more entry, one a release at
 * most, that only adds, so that processes of the release before can go on meanwhile. All of it is in the schema `crier`.
 */
const MIGRATIONS: readonly string[] = [`${ENTRIES} ${CELLS} ${RATE_LIMITS} ${SPENDING} ${HANDOVER}`];

/** Any number: two processes that start at once bring the tables up one after the other. */
const MIGRATION_LOCK = 0x43_72_69_65;

/**
 * Brings the tables up to this version's: wholly or not at all. Throws an OperatorError when they are of a version further
 * on than the next.
 */
export async function migrate(
  client: pg.ClientBase,
  { migrations = MIGRATIONS, given }: { readonly migrations?: readonly string[]; readonly given: string },
): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const version = await versionOf(client);
    // A migration only adds: the tables of the next version hold all of this one's.
    const readable = migrations.length + 1;
    if (version > readable) {
      throw new OperatorError(
        `the database of ${given} was written by a newer version of Crier (schema ${version}, this one reads up to ${readable})`,
        { remedy: `install that version again, or let ${given} name another database` },
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
