type Value = string | number | null;

export type Row = Readonly<Record<string, unknown>>;

/** An SQL statement; its values are $1, $2 and so on. The text must contain each of them. */
export type Statement = readonly [text: string, ...values: readonly Value[]];

/** The statements of a transaction. Each `yield` returns its rows, so later statements can depend on them. */
export type Steps<Result> = Generator<Statement, Result, readonly Row[]>;

/** The bot's tables, in SQLite or in a PostgreSQL that several processes share. Statements must work in both. */
export interface Sql {
  readonly schema: '' | 'crier.';
  query(...statement: Statement): Promise<readonly Row[]>;
  /** Runs all SQL statements or none. Transactions run one after the other, including those of other processes. */
  transaction<Result>(begin: () => Steps<Result>): Promise<Result>;
  /** The id of this process in table columns that name the owner of a row. */
  readonly holder: number;
  /** An SQL condition: does the process whose id is in this column or value still hold its lease? */
  isHolding(column: string): string;
  /** Waits until no other process runs work with the same name. Rejects if the wait takes too long. */
  inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /** Empties SQLite's write-ahead log, which still holds deleted rows. Throws if another program reads it. */
  eraseDeleted(): void;
  close(): Promise<void>;
}

type Dialect = Readonly<Record<'schema' | 'text' | 'integer' | 'real' | 'boolean' | 'options', string>>;

/** The version of the tables in SQLite and PostgreSQL. Any other version is rejected. */
export const SCHEMA_VERSION = 2;

export const TABLE_NAMES = ['entries', 'spending_days', 'spending_reservations', 'spending_rates'] as const;

/** `text` is the SQL type of text columns: PostgreSQL must sort by code points, as SQLite does. */
export const tablesFor = ({ schema, text, integer, real, boolean, options }: Dialect): string => `
  -- The values of the store.
  CREATE TABLE ${schema}entries (
    namespace ${text} NOT NULL,
    key ${text} NOT NULL,
    value ${text} NOT NULL,
    expires_at ${integer},
    PRIMARY KEY (namespace, key)
  ) ${options};
  CREATE INDEX entries_expiry ON ${schema}entries (expires_at) WHERE expires_at IS NOT NULL;
  -- Usage by day. An empty user_id counts a whole server, an empty guild_id a person everywhere, both empty everything.
  CREATE TABLE ${schema}spending_days (
    guild_id ${text} NOT NULL,
    user_id ${text} NOT NULL,
    day ${text} NOT NULL,
    millicredits ${integer} NOT NULL,
    cached ${integer} NOT NULL,
    kept_until ${text} NOT NULL,
    PRIMARY KEY (guild_id, user_id, day)
  ) ${options};
  CREATE INDEX spending_days_by_user ON ${schema}spending_days (user_id, day);
  -- 'sent' is true if the reservation's request may have reached the service.
  CREATE TABLE ${schema}spending_reservations (
    id ${integer} PRIMARY KEY,
    holder ${integer} NOT NULL,
    day ${text} NOT NULL,
    guild_id ${text} NOT NULL,
    user_id ${text} NOT NULL,
    millicredits ${integer} NOT NULL,
    state ${text} NOT NULL CHECK (state IN ('reserved', 'unknown')),
    sent ${boolean} NOT NULL
  ) ${options};
  CREATE TABLE ${schema}spending_rates (
    model ${text} PRIMARY KEY,
    characters ${real} NOT NULL,
    credits ${real} NOT NULL
  ) ${options};`;

/** Causes of database errors by SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html) or system code. */
const PROBLEMS: readonly (readonly [code: RegExp, problem: string])[] = [
  [/^(ECONNREFUSED|ENOENT|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ECONNRESET|EPIPE)$/, 'PostgreSQL cannot be reached'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the host of PostgreSQL is not known'],
  [/^28/, 'PostgreSQL refuses the user or the password'],
  [/^3D000$/, 'PostgreSQL has no such database'],
  [/^42501$/, 'the user may not make or use the tables'],
  [/^53100$/, 'the disk of PostgreSQL is full'],
  [/^53300$/, 'PostgreSQL takes no more connections'],
  [/^(57P0[123]|08)/, 'PostgreSQL is being stopped or started'],
  [/^(57014|55P03)$/, 'PostgreSQL is too slow'],
  [/^25006$/, 'PostgreSQL only lets itself be read'],
];

export function postgresProblem(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return PROBLEMS.find(([pattern]) => pattern.test(code))?.[1];
}
