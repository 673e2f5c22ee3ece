import type { Table } from './store.ts';

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
