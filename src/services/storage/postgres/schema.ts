import type pg from 'pg';
import { OperatorError } from '../../../errors/operator-error.ts';
import { CELLS, ENTRIES, SPENDING } from './tables.ts';

/** Of the tables, all of which are in the schema `crier`: a database of another version is refused in words. */
const VERSION = 1;

/** Any number: two processes that start at once make the tables one after the other. */
const LOCK = 0x43_72_69_65;

/** Makes the tables in a new database: wholly or not at all. Throws an OperatorError when they are of another version. */
export async function makeTables(client: pg.ClientBase, given: string): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const version = await versionOf(client);
    if (version === undefined) {
      await client.query(`CREATE SCHEMA IF NOT EXISTS crier; CREATE TABLE crier.schema_version (version INTEGER NOT NULL);
        INSERT INTO crier.schema_version VALUES (${VERSION});
        ${ENTRIES} ${CELLS} ${SPENDING}`);
    } else if (version !== VERSION) {
      throw new OperatorError(
        `the database of ${given} was written by another version of Crier (schema ${version}, this one reads ${VERSION})`,
        { remedy: `install that version again, or let ${given} name another database` },
      );
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      // The connection is gone, and with it the transaction: the first error says why.
    });
    throw error;
  }
}

async function versionOf(client: pg.ClientBase): Promise<number | undefined> {
  const found = await client.query("SELECT to_regclass('crier.schema_version') IS NOT NULL AS present");
  if (found.rows[0]?.present !== true) return undefined;
  const { rows } = await client.query('SELECT version FROM crier.schema_version');
  return Number(rows[0]?.version);
}
