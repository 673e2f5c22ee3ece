import { afterEach, beforeEach, expect, it } from 'vitest';
import * as z from 'zod';
import { StoreError } from '../../../src/errors/user-errors.ts';
import { createRecords, type Store } from '../../../src/services/storage/store.ts';

const note = z.object({ words: z.string() });

/** The tests that every kind of store passes. `open` gives an empty one. */
export function keepsTheContract(open: () => Promise<Store>): void {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  it('lists the keys that have a value, of one table alone', async () => {
    const [notes, others] = [store.table('notes', note), store.table('notes.more', note)];
    for (const key of ['b', 'a', 'c']) await notes.set(key, { words: key });
    await others.set('z', { words: 'z' });
    await notes.delete('c');
    expect([...(await notes.keys())].sort()).toEqual(['a', 'b']);
    expect(await store.table('nothing', note).keys()).toEqual([]);
  });

  it('takes no value that could not be read again, and keeps one of another shape, giving what stands for it', async () => {
    await expect(store.table('notes', note).set('a', { words: 5 } as never)).rejects.toThrow(StoreError);
    expect(await store.table('notes', note).keys()).toEqual([]);
    await store.table('notes', z.number()).set('a', 5);
    const notes = store.table('notes', note, { unreadable: { words: 'unknown' } });
    expect(await notes.get('a')).toEqual({ words: 'unknown' });
    expect(await notes.get('b')).toBeUndefined();
    expect(await store.table('notes', note).get('a')).toBeUndefined();
    expect(await store.table('notes', z.number()).get('a')).toBe(5);
  });

  it('forgets what has expired, and only that', async () => {
    const notes = store.table('notes', note);
    await notes.set('for an hour', { words: 'x' }, { ttlMs: 3_600_000 });
    await notes.set('for a moment', { words: 'x' }, { ttlMs: 1 });
    await expect.poll(() => notes.keys()).toEqual(['for an hour']);
    expect(await notes.get('for an hour')).toEqual({ words: 'x' });
    expect(await notes.get('for a moment')).toBeUndefined();
  });

  it('takes what Discord and members may name a thing', async () => {
    const notes = store.table('notes', note);
    for (const [index, words] of ["'; DROP TABLE entries; --", '%_\\', '\u0000', '💬'.repeat(2_000)].entries()) {
      await notes.set(`it's ${index}%_\\`, { words });
      expect(await notes.get(`it's ${index}%_\\`)).toEqual({ words });
    }
  });

  it('makes changes of one value one after the other', async () => {
    const counts = createRecords<{ count?: number | undefined }>(
      store.table('counts', z.object({ count: z.number().optional() })),
      {},
    );
    await Promise.all(Array.from({ length: 20 }, () => counts.change('a', ({ count = 0 }) => ({ count: count + 1 }))));
    expect(await counts.get('a')).toEqual({ count: 20 });
  });
}
