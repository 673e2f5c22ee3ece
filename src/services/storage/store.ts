import { isDeepStrictEqual } from 'node:util';
import Keyv, { type KeyvStoreAdapter } from 'keyv';
import type { Logger } from 'pino';
import * as z from 'zod';
import { StoreError } from '../../errors/user-errors.ts';
import { withDeadline } from '../time/timers.ts';
import { databaseProblem } from './database.ts';
import { repeat } from './repeated-work.ts';
import { postgresProblem, type Sql } from './sql.ts';

interface StoreOptions {
  readonly sql: Sql;
  readonly log: Logger;
  readonly onFailure?: (table: string) => void;
}

/** The store's deadline: a command must be answered within 3 s. No timer can end SQLite's statements, which block the event loop. */
const DEADLINE_MS = 1000;
const LASTING = '(expires_at IS NULL OR expires_at > $2)';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export type Store = ReturnType<typeof createStore>;

/** Stores typed values in the database table `entries`, through the library Keyv. */
export function createStore(options: StoreOptions) {
  const { sql, log } = options;
  const expire = () => sql.query(`DELETE FROM ${sql.schema}entries WHERE expires_at <= $1`, Date.now());
  const failed = (error: unknown) => log.warn({ err: error }, 'Could not delete expired data: trying again later');
  const endings = [
    repeat(MINUTE_MS, expire, failed),
    // Deleted data is erased from files once a day only, because erasing waits for the disk.
    repeat(DAY_MS, sql.eraseDeleted, failed),
  ];
  let closing: Promise<void> | undefined;
  const probe = createTable(options, 'health', z.number());

  return {
    /** If a stored value does not fit the schema, get() returns `unreadable` instead. */
    table: <Value>(name: string, schema: z.ZodType<Value>, { unreadable }: { readonly unreadable?: Value } = {}) =>
      createTable(options, name, schema, unreadable),
    /** Tests the store by writing a value. Resolves with the problem in words; undefined if there is none. */
    async problem(): Promise<string | undefined> {
      try {
        await probe.set('probe', Date.now());
        return undefined;
      } catch (error) {
        // A StoreError only says that an operation of the store failed. Its `cause`, the database's own error, tells the reason.
        const { cause } = error as StoreError;
        return databaseProblem(cause) ?? postgresProblem(cause) ?? 'it does not answer';
      }
    },
    /** Removes deleted data from the bot's files; backups keep it. Throws if another program reads the database. */
    eraseDeleted: sql.eraseDeleted,
    close() {
      for (const end of endings) end();
      closing ??= sql.close();
      return closing;
    },
  };
}

/** Stored values of one kind, by key. Functions reject with a StoreError, also if PostgreSQL takes too long. */
export type Table<Value> = ReturnType<typeof createTable<Value>>;

function createTable<Value>(options: StoreOptions, name: string, schema: z.ZodType<Value>, unreadable?: Value) {
  const { sql, log, onFailure = () => undefined } = options;
  const kept = new Keyv<unknown>({
    store: entriesOf(sql, name),
    useKeyPrefix: false,
    throwOnErrors: true,
    // An error event without a listener would end the process. Keyv's functions reject instead.
    emitErrors: false,
    // Keyv would store the time of expiry with the value, but the database has a column for it.
    serialize: ({ value }) => JSON.stringify(value),
  });
  const reported = new Map<string, unknown>();
  const lastInTurn = new Map<string, Promise<unknown>>();

  async function answered<Result>(what: string, work: Promise<Result>): Promise<Result> {
    try {
      return await withDeadline(work, { timeoutMs: DEADLINE_MS, what });
    } catch (error) {
      onFailure(name);
      throw new StoreError(`The store could not ${what}`, { cause: error });
    }
  }

  /** Waits until no other process runs work for the same key. Rejects like `work`, or with a StoreError. */
  async function amongProcesses<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    let isItsTurn = false;
    try {
      return await sql.inTurn(`${name}:${key}`, () => {
        isItsTurn = true;
        return work();
      });
    } catch (error) {
      if (isItsTurn) throw error;
      onFailure(name);
      throw new StoreError(`The store could not let ${name} be changed`, { cause: error });
    }
  }

  return {
    /** A value that does not fit the schema is logged and kept. It counts as absent, or as `unreadable`. */
    async get(key: string): Promise<Value | undefined> {
      const value = await answered(`read ${name}`, kept.get(key));
      if (value === undefined) return undefined;
      const { success, data } = schema.safeParse(value);
      if (success) return data;
      if (!isDeepStrictEqual(reported.get(key), value))
        log.warn({ table: name, key }, 'A stored value is invalid: ignoring it without deleting it');
      reported.set(key, value);
      return unreadable;
    },
    async set(key: string, value: Value, { ttlMs }: { readonly ttlMs?: number } = {}): Promise<void> {
      const { error } = schema.safeParse(value);
      // A value that does not fit its table's schema must not be stored: it could never be read again.
      if (error) throw new StoreError(`A value does not fit ${name}`, { cause: error });
      await answered(`write ${name}`, kept.set(key, value, ttlMs));
    },
    async delete(key: string): Promise<void> {
      await answered(`delete from ${name}`, kept.delete(key));
    },
    async keys(): Promise<readonly string[]> {
      const statement = `SELECT key FROM ${sql.schema}entries WHERE namespace = $1 AND ${LASTING} ORDER BY key`;
      const rows = await answered(`list ${name}`, sql.query(statement, name, Date.now()));
      return rows.map(({ key }) => String(key));
    },
    /** Runs work for a key after all earlier work for it, across processes too. Rejects like `work`, or with a StoreError. */
    inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
      const result = (lastInTurn.get(key) ?? Promise.resolve()).then(() => amongProcesses(key, work));
      // The next work runs even if this work fails. Only the caller of the failed work gets its error.
      const settled = result.catch(() => undefined);
      lastInTurn.set(key, settled);
      void settled.then(() => {
        if (lastInTurn.get(key) === settled) lastInTurn.delete(key);
      });
      return result;
    },
  };
}

function entriesOf(sql: Sql, name: string): KeyvStoreAdapter {
  const entries = `${sql.schema}entries`;
  return {
    opts: {},
    async get<Value>(key: string) {
      const [row] = await sql.query(
        `SELECT value FROM ${entries} WHERE namespace = $1 AND key = $3 AND ${LASTING}`,
        ...[name, Date.now(), key],
      );
      return row && { value: parsed(String(row.value)) as Value };
    },
    async set(key, value, ttlMs) {
      await sql.query(
        `INSERT INTO ${entries} (namespace, key, value, expires_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`,
        ...[name, key, String(value), ttlMs === undefined ? null : Date.now() + ttlMs],
      );
    },
    async delete(key) {
      await sql.query(`DELETE FROM ${entries} WHERE namespace = $1 AND key = $2`, name, key);
      return true;
    },
    async clear() {
      await sql.query(`DELETE FROM ${entries} WHERE namespace = $1`, name);
    },
    // Keyv requires `on` for error events, but the adapter emits none: its functions reject instead.
    on() {
      return this;
    },
  };
}

/** Parses stored JSON. Invalid JSON counts as a plain string, which no table's schema accepts. */
function parsed(kept: string): unknown {
  try {
    return JSON.parse(kept);
  } catch {
    return kept;
  }
}

/**
 * Editable values, by key: empty until the first change, and deleted from the table if they become empty. Functions
 * reject with a StoreError or the error of `edit`.
 */
export function createRecords<Value extends object>(table: Table<Value>, empty: Value) {
  const get = async (key: string): Promise<Value> => (await table.get(key)) ?? empty;
  return {
    get,
    /** Changes of a key run one after the other, across processes too. A change that fails with a StoreError was probably not made. */
    change: (key: string, edit: (before: Value) => Value) =>
      table.inTurn(key, async () => {
        const before = await get(key);
        const after = edit(before);
        await (Object.keys(after).length === 0 ? table.delete(key) : table.set(key, after));
        return { before, after };
      }),
  };
}

export type Records<Value extends object> = ReturnType<typeof createRecords<Value>>;
