import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/** A table in both databases. Its columns come in the same order from either, and its rows sorted by the key, by bytes. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, 'text' | 'bigint' | 'boolean' | 'float8'>>;
  readonly key: readonly string[];
  /** The columns as they are read from SQLite; by their names unless stated. */
  readonly read?: string;
  readonly where?: string;
  readonly convert?: (row: Row) => Row;
}

export type Row = readonly (string | number | boolean)[];

const COUNTED = { guild_id: 'text', user_id: 'text', day: 'text', millicredits: 'bigint' } as const;

/** All tables of database.ts. */
export const TABLES: readonly CopiedTable[] = [
  {
    name: 'entries',
    columns: { key: 'text', value: 'text' },
    key: ['key'],
    read: "namespace || ':' || key AS key, value, expires_at",
    // Probes are each process's own.
    where: "namespace <> 'health' AND (expires_at IS NULL OR expires_at > :now)",
    convert: ([key = '', value = '', expiresAt]) => [key, withExpiry(String(value), expiresAt)],
  },
  {
    name: 'spending_days',
    columns: { ...COUNTED, cached: 'bigint', kept_until: 'text' },
    key: ['guild_id', 'user_id', 'day'],
  },
  {
    name: 'spending_reservations',
    // No cell's: the first process that starts decides what became of them, as after any end.
    columns: {
      ...{ id: 'bigint', cell: 'bigint', ...COUNTED, model: 'text', characters: 'bigint' },
      ...{ spent_by: 'text', state: 'text', sent: 'boolean' },
    },
    key: ['id'],
    read: 'id, 0 AS cell, guild_id, user_id, day, millicredits, model, characters, spent_by, state, sent',
    convert: (row) => [...row.slice(0, -1), row.at(-1) === 1],
  },
  { name: 'spending_rates', columns: { model: 'text', characters: 'float8', credits: 'float8' }, key: ['model'] },
];

/** PostgreSQL reads the time of expiry from the end of a value, where versions of long ago wrote it not, or not alone. */
function withExpiry(value: string, expiresAt: unknown): string {
  if (typeof expiresAt !== 'number') return value;
  const { version = 1, ...kept } = JSON.parse(value) as { readonly version?: number };
  return JSON.stringify({ ...kept, expires: expiresAt, version });
}

export interface CopySource {
  rows(table: CopiedTable): IterableIterator<Row>;
  /** Another one when anything in it has changed. */
  fingerprint(): string;
  close(): void;
}

/** The bot's database, for reading; nothing may write into it meanwhile. */
export function openSource(path: string, nowMs = Date.now()): CopySource {
  const database = new DatabaseSync(path, { readOnly: true });

  function* rows({ name, columns, key, read, where = 'true', convert }: CopiedTable): IterableIterator<Row> {
    const statement = database.prepare(
      `SELECT ${read ?? Object.keys(columns).join(', ')} FROM ${name} WHERE ${where} ORDER BY ${key.join(', ')}`,
    );
    statement.setAllowUnknownNamedParameters(true);
    for (const found of statement.iterate({ now: nowMs })) {
      const row = Object.values(found) as unknown as Row;
      yield convert ? convert(row) : row;
    }
  }

  return {
    rows,
    fingerprint() {
      const hash = createHash('sha256');
      // Not what has expired meanwhile: a copy that goes on an hour later goes on with the rest.
      for (const table of TABLES) for (const row of rows(table)) hash.update(JSON.stringify(row));
      return hash.digest('hex');
    },
    close: () => database.close(),
  };
}
