import type { Table } from './store.ts';

/** Values that are edited: each key has one, which is empty until its first change. */
export interface Records<Value extends object> {
  /** Rejects with a StoreError. */
  get(key: string): Promise<Value>;
  /**
   * Changes one value and resolves with what it was and is. Two changes at once are made one after the other, so that
   * neither undoes the other. Rejects with a StoreError, and then nothing was changed as far as is known.
   */
  change(key: string, edit: (before: Value) => Value): Promise<{ readonly before: Value; readonly after: Value }>;
}

/** Records over a table of the store. What becomes empty again is not kept. */
export function createRecords<Value extends object>(table: Table<Value>, empty: Value): Records<Value> {
  const lastChange = new Map<string, Promise<unknown>>();

  const get = async (key: string): Promise<Value> => (await table.get(key)) ?? empty;

  return {
    get,
    change(key, edit) {
      const previous = lastChange.get(key) ?? Promise.resolve();
      const change = previous.then(async () => {
        const before = await get(key);
        const after = edit(before);
        await (Object.keys(after).length === 0 ? table.delete(key) : table.set(key, after));
        return { before, after };
      });
      // The next change waits for this one, however it ends; its caller hears of a failure.
      const settled = change.catch(() => undefined);
      lastChange.set(key, settled);
      void settled.then(() => {
        if (lastChange.get(key) === settled) lastChange.delete(key);
      });
      return change;
    },
  };
}
