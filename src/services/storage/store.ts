import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import Keyv, { type KeyvStoreAdapter } from 'keyv';
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

/** Keyv over any database, with typed values, errors that are never swallowed, and a deadline for asynchronous work. */
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

  /** The values of one table. */
  function keyvOf(name: string): Keyv<unknown> {
    const store = adapterOf(entries, name);
    const keyv = new Keyv<unknown>({ store, namespace: name, useKeyPrefix: false, throwOnErrors: true });
    // The entries keep when each value expires, so it is not kept a second time beside the value.
    keyv.serialize = ({ value }) => JSON.stringify(value);
    keyv.deserialize = <Kept>(kept: string) => ({ value: parsed(kept) as Kept });
    // Without a listener a failing adapter would end the process; the calls themselves reject as well.
    keyv.on('error', (error: unknown) => log.warn({ err: error, table: name }, 'The store reported an error'));
    return keyv;
  }

  function table<Value>(
    name: string,
    schema: z.ZodType<Value>,
    { unreadable }: TableOptions<Value> = {},
  ): Table<Value> {
    const kept = keyvOf(name);
    const aside = keyvOf(`${name}.unreadable`);
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
        const value = await answered(`read ${name}`, () => kept.get(key));
        if (value === undefined) return undefined;
        const { success, data } = schema.safeParse(value);
        if (success) return data;
        if (!isDeepStrictEqual(unread.get(key), value))
          log.warn({ table: name, key }, 'A stored value cannot be read: it stays as it is');
        unread.set(key, value);
        return unreadable;
      },
      async set(key, value, { ttlMs } = {}) {
        const { error } = schema.safeParse(value);
        // It could never be read again.
        if (error) throw new StoreError(`A value does not fit ${name}`, { cause: error });
        const lost = unread.get(key);
        await answered(`write ${name}`, async () => {
          if (lost !== undefined) await aside.set(key, lost, KEPT_AFTER_LEAVING_MS);
          await kept.set(key, value, ttlMs);
        });
        unread.delete(key);
      },
      async delete(key) {
        await answered(`delete from ${name}`, () => Promise.all([kept.delete(key), aside.delete(key)]));
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

/** What is no JSON counts as the text that it is, which no table's schema takes. */
function parsed(kept: string): unknown {
  try {
    return JSON.parse(kept);
  } catch {
    return kept;
  }
}

/** One table of the entries, as Keyv wants it. */
function adapterOf(entries: Entries, name: string): KeyvStoreAdapter {
  const emitter = new EventEmitter();
  const adapter: KeyvStoreAdapter = {
    opts: {},
    namespace: name,
    get: async <Value>(key: string) => (await entries.get(name, key)) as Value | undefined,
    async set(key, value, ttlMs) {
      await entries.set(name, key, String(value), ttlMs === undefined ? undefined : Date.now() + ttlMs);
    },
    async delete(key) {
      await entries.delete(name, key);
      return true;
    },
    async clear() {
      for (const key of await entries.keys(name)) await entries.delete(name, key);
    },
    on(event, listener) {
      emitter.on(event, listener);
      return adapter;
    },
  };
  return adapter;
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
