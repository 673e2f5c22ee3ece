import { isDeepStrictEqual } from 'node:util';
import Keyv, { type KeyvStoreAdapter } from 'keyv';
import type { Logger } from 'pino';
import * as z from 'zod';
import { StoreError } from '../../errors/store-error.ts';
import { withDeadline } from '../time/deadline.ts';
import { databaseProblem, emptyWriteAheadLog, openDatabase } from './database.ts';
import { postgresProblem } from './postgres/problem.ts';
import { isFields, mergeUnread, readRecord } from './record-fields.ts';
import { KEPT_AFTER_LEAVING_DAYS, KEPT_AFTER_LEAVING_MS } from './retention.ts';
import { createSqliteAdapter, deleteExpiredDaily } from './sqlite-adapter.ts';

/** Values of one kind by key. Calls reject with a StoreError; the deadline of the store ends those that are asynchronous. */
export interface Table<Value> {
  /**
   * The value, or undefined when there is none. What this version cannot read of it counts as absent, or as the table's
   * options say; it is logged and set aside in a table of its own for as long as the data of a left server is kept.
   */
  get(key: string): Promise<Value | undefined>;
  /** Keeps the stored fields that this version does not know or cannot read. */
  set(key: string, value: Value, options?: { readonly ttlMs?: number }): Promise<void>;
  /** Deletes an empty value, unless fields remain in it that this version does not know or cannot read. */
  clear(key: string, empty: Value): Promise<void>;
  /** The value set aside is deleted as well. */
  delete(key: string): Promise<void>;
  readonly aside: Aside<Value>;
  /** All keys that have a value. */
  keys(): Promise<readonly string[]>;
  /** Does this while no other process does so with the same key. Rejects like the work, or with a StoreError. */
  inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** What earlier calls of `get` set aside. */
interface Aside<Value> {
  /** Undefined when there is nothing. */
  get(key: string): Promise<SetAside<Value> | undefined>;
  /** Deletes these fields of it. */
  drop(key: string, fields: readonly string[]): Promise<void>;
  /** Deletes it, and of the value in the table all that cannot be read. */
  discard(key: string): Promise<void>;
}

/** What was set aside, as far as this version can read it by now. */
export interface SetAside<Value> {
  /** Undefined when nothing can be read, or too little to be a value. */
  readonly readable: Value | undefined;
  /** As in a ReadRecord. */
  readonly unreadable: readonly string[];
}

interface TableOptions<Value> {
  /**
   * Each brings a value one version up; a table begins with the first version. Never throws: an older version may have
   * written over a value of a newer one and kept some of its fields.
   */
  readonly upgrades?: readonly ((kept: unknown) => unknown)[];
  /** The values of fields that must not count as absent when they cannot be read. */
  readonly unreadableFields?: Partial<Value>;
  /** The value that stands for one of which nothing can be read; none unless stated. */
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
  readonly adapterFor: (namespace: string) => KeyvStoreAdapter;
  /** The adapters keep all namespaces in one table: their names stand before the keys. Default: they do not. */
  readonly prefixesKeys?: boolean;
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
 * An asynchronous adapter that hangs must not hang commands: Discord gives them 3 s. Statements of SQLite block the event
 * loop until they are done, so no timer ends one: its own limit is how long it waits for a lock (see database.ts).
 */
const DEADLINE_MS = 1000;

/** Every value is stored with the version of its table, by the one that wrote it last. */
interface Versioned {
  readonly value?: unknown;
  readonly version?: number;
}

/** A value without a version is one from before there were any. */
const FIRST_VERSION = 1;

const asideSchema = z.object({ version: z.number(), kept: z.unknown() });

/** Keyv over any adapter, with typed values, errors that are never swallowed, and a deadline for asynchronous work. */
export function createStore({
  adapterFor,
  prefixesKeys = false,
  inTurn,
  eraseDeleted = () => undefined,
  close,
  log,
  onFailure = () => undefined,
  deadlineMs = DEADLINE_MS,
}: StoreOptions): Store {
  let closing: Promise<void> | undefined;

  function keyvOf(name: string, adapter: KeyvStoreAdapter, version = FIRST_VERSION): Keyv {
    const keyv = new Keyv({ store: adapter, namespace: name, useKeyPrefix: prefixesKeys, throwOnErrors: true });
    const { serialize } = keyv;
    // Beside the value, where versions of the bot that know of no versions overlook it.
    if (serialize) keyv.serialize = (data) => serialize(Object.assign(data, { version }));
    // Without a listener a failing adapter would end the process; the calls themselves reject as well.
    keyv.on('error', (error: unknown) => log.warn({ err: error, table: name }, 'The store reported an error'));
    return keyv;
  }

  function table<Value>(
    name: string,
    schema: z.ZodType<Value>,
    { unreadable: whole, unreadableFields = {}, upgrades = [] }: TableOptions<Value> = {},
  ): Table<Value> {
    const adapter = adapterFor(name);
    const tableVersion = FIRST_VERSION + upgrades.length;
    const keyv = keyvOf(name, adapter, tableVersion);
    const asideName = `${name}.unreadable`;
    const aside = keyvOf(asideName, adapterFor(asideName));

    async function answered<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
      try {
        return await withDeadline(work(), { timeoutMs: deadlineMs, what });
      } catch (error) {
        onFailure(name);
        throw new StoreError(`The store could not ${what}`, { cause: error });
      }
    }

    const upgraded = (kept: unknown, version: number) =>
      upgrades.slice(version - FIRST_VERSION).reduce((value, upgrade) => upgrade(value), kept);

    /** The value as this version would store it, and the version it is of: this one, or a newer one. */
    async function present(key: string) {
      const { value, version = FIRST_VERSION } = ((await keyv.get(key, { raw: true })) ?? {}) as Versioned;
      return {
        kept: value === undefined ? undefined : upgraded(value, version),
        version: Math.max(version, tableVersion),
      };
    }

    async function asideOf(key: string): Promise<z.infer<typeof asideSchema> | undefined> {
      const { data } = asideSchema.safeParse(await aside.get<unknown>(key));
      if (!data) return undefined;
      return { kept: upgraded(data.kept, data.version), version: Math.max(data.version, tableVersion) };
    }

    /**
     * Together with the fields that were set aside before; false when all of it is there already. No longer than this:
     * nothing outlives what /privacy says.
     */
    async function keepAside(key: string, part: unknown, version: number): Promise<boolean> {
      const before = (await asideOf(key))?.kept;
      const kept = isFields(before) && isFields(part) ? { ...before, ...part } : part;
      if (isDeepStrictEqual(kept, before)) return false;
      return aside.set(key, { version, kept }, KEPT_AFTER_LEAVING_MS);
    }

    const setAside: Aside<Value> = {
      get: (key) =>
        answered(`read what was set aside in ${name}`, async () => {
          const found = await asideOf(key);
          if (!found) return undefined;
          const { value: readable, unreadable } = readRecord(schema, found.kept);
          return { readable, unreadable };
        }),
      async drop(key, fields) {
        await answered(`delete what was set aside in ${name}`, async () => {
          const { kept, version } = (await asideOf(key)) ?? {};
          const rest = isFields(kept) ? except(kept, fields) : {};
          if (Object.keys(rest).length === 0) return aside.delete(key);
          return aside.set(key, { version, kept: rest }, KEPT_AFTER_LEAVING_MS);
        });
      },
      async discard(key) {
        await answered(`delete what cannot be read in ${name}`, async () => {
          const { kept } = await present(key);
          const { value, unreadable } = kept === undefined ? { unreadable: [] } : readRecord(schema, kept);
          if (unreadable.length > 0) {
            const rest = isFields(kept) ? mergeUnread(schema, except(kept, unreadable), value) : value;
            await (value === undefined ? keyv.delete(key) : keyv.set(key, rest));
          }
          await aside.delete(key);
        });
      },
    };

    /** As it is written: over what is there. */
    async function merged(key: string, value: Value): Promise<unknown> {
      const { kept } = await present(key);
      return mergeUnread(schema, kept, value, unreadableFields);
    }

    async function set(key: string, value: Value, options?: { readonly ttlMs?: number }): Promise<void> {
      const done = await answered(`write ${name}`, async () => keyv.set(key, await merged(key, value), options?.ttlMs));
      if (done) return;
      onFailure(name);
      throw new StoreError(`The store refused to write ${name}`);
    }

    async function remove(key: string): Promise<void> {
      await answered(`delete from ${name}`, () => Promise.all([keyv.delete(key), aside.delete(key)]));
    }

    return {
      aside: setAside,
      async get(key) {
        const { kept, version } = await answered(`read ${name}`, () => present(key));
        if (kept === undefined) return undefined;
        const { value, unreadable } = readRecord(schema, kept, unreadableFields);
        if (unreadable.length === 0) return value;
        const part = isFields(kept) && value !== undefined ? only(kept, unreadable) : kept;
        const facts = { table: name, key, setAsideIn: asideName };
        const isNew = await answered(`set aside what it cannot read in ${name}`, () =>
          keepAside(key, part, version),
        ).catch((error: unknown) => {
          // It is in its place still: a disk that takes no writes must not keep the rest from being read.
          log.warn({ ...facts, err: error }, 'What cannot be read of a stored value could not be set aside');
          return false;
        });
        if (!isNew) return value ?? whole;
        if (value === undefined) {
          log.warn(facts, `A stored value cannot be read; it is set aside for ${KEPT_AFTER_LEAVING_DAYS} days`);
          return whole;
        }
        log.warn(
          { ...facts, fields: unreadable },
          `Parts of a stored value cannot be read; it is set aside for ${KEPT_AFTER_LEAVING_DAYS} days`,
        );
        return value;
      },
      set,
      async clear(key, empty) {
        const left = await answered(`write ${name}`, () => merged(key, empty));
        await (Object.keys(left as object).length === 0 ? remove(key) : set(key, empty));
      },
      delete: remove,
      keys: () =>
        answered(`list ${name}`, async () => {
          // Keyv's own is there only for adapters it knows by name.
          if (!adapter.iterator) throw new Error('This adapter cannot list its keys');
          const keys: string[] = [];
          for await (const [key] of adapter.iterator(name)) keys.push(String(key));
          return keys;
        }),
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

const only = (fields: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));

const except = (fields: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

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

/** The store in a SQLite file, which must exist (its access rights are decided where it is made). */
export function openSqliteStore(options: { readonly path: string } & Pick<StoreOptions, 'log' | 'onFailure'>): Store {
  const database = openDatabase(options.path, {
    onDamage: (error) =>
      options.log.error(
        { err: error },
        'The database is damaged: it is read as far as possible, and nothing is changed',
      ),
    onRemains: (error) =>
      options.log.warn(
        { err: error },
        'What earlier versions deleted may still be in the file of the database: the next start tries again to remove it',
      ),
  });
  const endDeleting = deleteExpiredDaily(database, (error) =>
    options.log.warn({ err: error }, 'What has expired could not be deleted: tried again tomorrow'),
  );
  return createStore({
    adapterFor: (namespace) => createSqliteAdapter(database, namespace),
    eraseDeleted: () => emptyWriteAheadLog(database),
    close() {
      endDeleting();
      database.close();
    },
    log: options.log,
    ...(options.onFailure && { onFailure: options.onFailure }),
  });
}
