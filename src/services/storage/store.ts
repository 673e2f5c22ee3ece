import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import * as z from 'zod';
import { StoreError } from '../../errors/user-errors.ts';
import { withDeadline } from '../time/deadline.ts';
import { databaseProblem } from './database.ts';
import { repeat } from './repeated-work.ts';
import { postgresProblem, type Sql } from './sql.ts';

/** Values of one kind by key. Calls reject with a StoreError; the deadline of the store ends those that are asynchronous. */
export interface Table<Value> {
  /**
   * The value, or undefined when there is none. One that does not fit the schema counts as absent, or as the table's options
   * say: it is logged and stays as it is. What is written over it is written beside it.
   */
  get(key: string): Promise<Value | undefined>;
  set(key: string, value: Value, options?: { readonly ttlMs?: number }): Promise<void>;
  delete(key: string): Promise<void>;
  /** All keys that have a value. */
  keys(): Promise<readonly string[]>;
  /** Does this while no other process does so with the same key. Rejects like the work, or with a StoreError. */
  inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

interface TableOptions<Value> {
  /** The value that stands for one that cannot be read; none unless stated. */
  readonly unreadable?: Value;
}

export interface Store {
  table<Value>(name: string, schema: z.ZodType<Value>, options?: TableOptions<Value>): Table<Value>;
  /** Rejects with a StoreError when the store neither answers nor writes. */
  check(): Promise<void>;
  /** What was deleted is in no file of the bot's own any more, but for backups. */
  eraseDeleted(): void;
  /** Idempotent. */
  close(): Promise<void>;
}

interface StoreOptions {
  readonly sql: Sql;
  readonly log: Logger;
  /** Told of every read and write that failed. */
  readonly onFailure?: (table: string) => void;
  readonly deadlineMs?: number;
}

/**
 * A database that hangs must not hang commands: Discord gives them 3 s. Statements of SQLite block the event loop until they
 * are done, so no timer ends one: its own limit is how long it waits for a lock (see database.ts).
 */
const DEADLINE_MS = 1000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How long the data of a left server is kept, as /privacy says: time enough to find out that leaving was a mistake. */
export const KEPT_AFTER_LEAVING_DAYS = 30;
export const KEPT_AFTER_LEAVING_MS = KEPT_AFTER_LEAVING_DAYS * DAY_MS;

/** Values as JSON in the `entries` of a database, with errors that are never swallowed, and a deadline for asynchronous work. */
export function createStore({ sql, log, onFailure = () => undefined, deadlineMs = DEADLINE_MS }: StoreOptions): Store {
  const entries = `${sql.schema}entries`;
  const lasting = '(expires_at IS NULL OR expires_at > $2)';
  const failed = (error: unknown) => log.warn({ err: error }, 'Could not delete expired data yet');
  const endings = [
    repeat(MINUTE_MS, () => sql.query(`DELETE FROM ${entries} WHERE expires_at <= $1`, Date.now()), failed),
    // It waits for the disk.
    repeat(DAY_MS, sql.eraseDeleted, failed),
  ];
  let closing: Promise<void> | undefined;

  async function read(table: string, key: string): Promise<unknown> {
    const [row] = await sql.query(
      `SELECT value FROM ${entries} WHERE namespace = $1 AND key = $3 AND ${lasting}`,
      table,
      Date.now(),
      key,
    );
    return row && parsed(String(row.value));
  }

  async function write(table: string, key: string, value: unknown, ttlMs: number | undefined): Promise<void> {
    await sql.query(
      `INSERT INTO ${entries} (namespace, key, value, expires_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`,
      table,
      key,
      JSON.stringify(value),
      ttlMs === undefined ? null : Date.now() + ttlMs,
    );
  }

  async function remove(table: string, key: string): Promise<void> {
    await sql.query(`DELETE FROM ${entries} WHERE namespace = $1 AND key = $2`, table, key);
  }

  async function keys(table: string): Promise<readonly string[]> {
    const rows = await sql.query(
      `SELECT key FROM ${entries} WHERE namespace = $1 AND ${lasting} ORDER BY key`,
      table,
      Date.now(),
    );
    return rows.map(({ key }) => String(key));
  }

  function table<Value>(
    name: string,
    schema: z.ZodType<Value>,
    { unreadable }: TableOptions<Value> = {},
  ): Table<Value> {
    const aside = `${name}.unreadable`;
    /** What was read and does not fit the schema, by key. */
    const unread = new Map<string, unknown>();

    async function answered<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
      try {
        return await withDeadline(work(), { timeoutMs: deadlineMs, what });
      } catch (error) {
        onFailure(name);
        throw new StoreError(`The store could not ${what}`, { cause: error });
      }
    }

    return {
      async get(key) {
        const value = await answered(`read ${name}`, () => read(name, key));
        if (value === undefined) return undefined;
        const { success, data } = schema.safeParse(value);
        if (success) return data;
        if (!isDeepStrictEqual(unread.get(key), value))
          log.warn({ table: name, key }, 'Could not read a stored value: leaving it as it is');
        unread.set(key, value);
        return unreadable;
      },
      async set(key, value, { ttlMs } = {}) {
        const { error } = schema.safeParse(value);
        // It could never be read again.
        if (error) throw new StoreError(`A value does not fit ${name}`, { cause: error });
        const lost = unread.get(key);
        await answered(`write ${name}`, async () => {
          if (lost !== undefined) await write(aside, key, lost, KEPT_AFTER_LEAVING_MS);
          await write(name, key, value, ttlMs);
        });
        unread.delete(key);
      },
      async delete(key) {
        await answered(`delete from ${name}`, () => Promise.all([remove(name, key), remove(aside, key)]));
        unread.delete(key);
      },
      keys: () => answered(`list ${name}`, () => keys(name)),
      async inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
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
      },
    };
  }

  const probe = table('health', z.number());

  return {
    table,
    // What counts is that it is written.
    check: () => probe.set('probe', Date.now()),
    eraseDeleted: sql.eraseDeleted,
    close() {
      for (const end of endings) end();
      closing ??= sql.close();
      return closing;
    },
  };
}

/** What is no JSON counts as the text that it is, which no table's schema takes. */
function parsed(kept: string): unknown {
  try {
    return JSON.parse(kept);
  } catch {
    return kept;
  }
}

/** The problem of the store, in words; undefined while it answers. */
export async function storeProblem(store: Store): Promise<string | undefined> {
  try {
    await store.check();
    return undefined;
  } catch (error) {
    // The store has counted it.
    const { cause } = error as StoreError;
    return databaseProblem(cause) ?? postgresProblem(cause) ?? 'it does not answer';
  }
}

/** Values that are edited: each key has one, which is empty until its first change. */
export interface Records<Value extends object> {
  /** Rejects with a StoreError. */
  get(key: string): Promise<Value>;
  /**
   * Changes one value and resolves with what it was and is. Two changes at once, of two processes too, are made one after
   * the other, so that neither undoes the other. Rejects with a StoreError, and then nothing was changed as far as is known.
   */
  change(key: string, edit: (before: Value) => Value): Promise<Change<Value>>;
  /** Deletes one value. Rejects with a StoreError. */
  forget(key: string): Promise<void>;
}

export interface Change<Value> {
  readonly before: Value;
  readonly after: Value;
}

/** Records over a table of the store. What becomes empty again is not kept. */
export function createRecords<Value extends object>(table: Table<Value>, empty: Value): Records<Value> {
  const lastChange = new Map<string, Promise<unknown>>();

  const get = async (key: string): Promise<Value> => (await table.get(key)) ?? empty;

  function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const change = (lastChange.get(key) ?? Promise.resolve()).then(() => table.inTurn(key, work));
    // The next change waits for this one, however it ends; its caller hears of a failure.
    const settled = change.catch(() => undefined);
    lastChange.set(key, settled);
    void settled.then(() => {
      if (lastChange.get(key) === settled) lastChange.delete(key);
    });
    return change;
  }

  return {
    get,
    change: (key, edit) =>
      inTurn(key, async () => {
        const before = await get(key);
        const after = edit(before);
        await (Object.keys(after).length === 0 ? table.delete(key) : table.set(key, after));
        return { before, after };
      }),
    forget: (key) => inTurn(key, () => table.delete(key)),
  };
}
