import type { Logger } from 'pino';
import * as z from 'zod';
import { StoreError } from '../../errors/store-error.ts';
import { withDeadline } from '../time/deadline.ts';
import { databaseProblem } from './database.ts';
import { postgresProblem } from './postgres/problem.ts';
import { KEPT_AFTER_LEAVING_MS } from './retention.ts';

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

/** The values of all tables as JSON. What has expired is not there. */
export interface Entries {
  get(table: string, key: string): Promise<string | undefined>;
  set(table: string, key: string, value: string, expiresAtMs: number | undefined): Promise<void>;
  delete(table: string, key: string): Promise<void>;
  keys(table: string): Promise<readonly string[]>;
}

export interface StoreOptions {
  readonly entries: Entries;
  /** Does work while no other process does work of this name. Default: there is no other process. */
  readonly inTurn?: <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;
  /** Default: the database has no file of the bot's own. */
  readonly eraseDeleted?: () => void;
  readonly close: () => void | Promise<void>;
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

/** Typed values over any database, with errors that are never swallowed, and a deadline for asynchronous work. */
export function createStore({
  entries,
  inTurn,
  eraseDeleted = () => undefined,
  close,
  log,
  onFailure = () => undefined,
  deadlineMs = DEADLINE_MS,
}: StoreOptions): Store {
  let closing: Promise<void> | undefined;

  function table<Value>(
    name: string,
    schema: z.ZodType<Value>,
    { unreadable }: TableOptions<Value> = {},
  ): Table<Value> {
    const aside = `${name}.unreadable`;
    /** What was read and does not fit the schema, by key. */
    const unread = new Map<string, string>();

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
        const kept = await answered(`read ${name}`, () => entries.get(name, key));
        if (kept === undefined) return undefined;
        const { success, data } = schema.safeParse(parsed(kept));
        if (success) return data;
        if (unread.get(key) !== kept)
          log.warn({ table: name, key }, 'A stored value cannot be read: it stays as it is');
        unread.set(key, kept);
        return unreadable;
      },
      async set(key, value, { ttlMs } = {}) {
        const { error } = schema.safeParse(value);
        // It could never be read again.
        if (error) throw new StoreError(`A value does not fit ${name}`, { cause: error });
        const lost = unread.get(key);
        await answered(`write ${name}`, async () => {
          if (lost !== undefined) await entries.set(aside, key, lost, Date.now() + KEPT_AFTER_LEAVING_MS);
          await entries.set(name, key, JSON.stringify(value), ttlMs === undefined ? undefined : Date.now() + ttlMs);
        });
        unread.delete(key);
      },
      async delete(key) {
        await answered(`delete from ${name}`, () =>
          Promise.all([entries.delete(name, key), entries.delete(aside, key)]),
        );
        unread.delete(key);
      },
      keys: () => answered(`list ${name}`, () => entries.keys(name)),
      async inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
        if (!inTurn) return work();
        let isItsTurn = false;
        try {
          return await inTurn(`${name}:${key}`, () => {
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
    eraseDeleted,
    close() {
      closing ??= Promise.resolve().then(close);
      return closing;
    },
  };
}

/** Undefined for what is no JSON, which no schema takes. */
function parsed(kept: string): unknown {
  try {
    return JSON.parse(kept);
  } catch {
    return undefined;
  }
}

/** The problem of the store, in words; undefined while it answers. */
export async function storeProblem(store: Pick<Store, 'check'>): Promise<string | undefined> {
  try {
    await store.check();
    return undefined;
  } catch (error) {
    // The store has counted it.
    const { cause } = error as StoreError;
    return databaseProblem(cause) ?? postgresProblem(cause) ?? 'it does not answer';
  }
}
