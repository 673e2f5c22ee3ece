import type { KeptRow, KeptRows } from '../../../src/services/storage/kept-rows.ts';

export function createMemoryRows<Value>(keptMs = Number.POSITIVE_INFINITY): KeptRows<Value> {
  const rows = new Map<string, KeptRow<Value>>();
  const isKept = ({ sinceMs }: KeptRow<Value>) => Date.now() < sinceMs + keptMs;
  return {
    get: (key) => [rows.get(key)].find((row) => row && isKept(row)),
    entries: () => [...rows].filter(([, row]) => isKept(row)),
    set: (key, row) => void rows.set(key, row),
    delete: (key) => void rows.delete(key),
    async deleteAll(matches) {
      for (const key of rows.keys()) if (matches(key)) rows.delete(key);
    },
    written: async () => undefined,
    close: async () => undefined,
  };
}
