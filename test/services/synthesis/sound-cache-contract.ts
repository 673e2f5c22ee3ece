import { Buffer } from 'node:buffer';
import { afterEach, expect, it } from 'vitest';

interface SoundCache {
  get(key: string): Promise<Uint8Array | undefined>;
  set(key: string, packed: Uint8Array): void;
  close(): Promise<void>;
}

/** The tests that every place passes in which sound outlives a process. `open` opens the same place, ready, which is empty at first. */
export function keepsTheSoundContract(open: (ttlMs: number) => Promise<SoundCache>): void {
  const HOUR_MS = 3_600_000;
  const opened: SoundCache[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((cache) => cache.close()));
  });

  async function openOne(ttlMs = HOUR_MS): Promise<SoundCache> {
    const cache = await open(ttlMs);
    opened.push(cache);
    return cache;
  }
  async function found(key: string): Promise<Buffer | undefined> {
    const packed = await (await openOne()).get(key);
    return packed && Buffer.from(packed);
  }

  it('has nothing under a key that was never set', async () => {
    expect(await found('never')).toBeUndefined();
  });

  it('has what was set before it was closed, byte by byte, for whichever opens it next', async () => {
    const cache = await openOne();
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    cache.set('every_byte-1', every);
    cache.set('large', Buffer.alloc(500_000, 7));
    await cache.close();
    expect(await found('every_byte-1')).toEqual(every);
    expect(await found('large')).toEqual(Buffer.alloc(500_000, 7));
  });

  it('has what was set last', async () => {
    const cache = await openOne();
    for (const words of ['first', 'second', 'last']) cache.set('a', Buffer.from(words));
    await cache.close();
    expect(await found('a')).toEqual(Buffer.from('last'));
  });

  it('forgets what has expired', async () => {
    const cache = await openOne(1);
    cache.set('a', Buffer.from('x'));
    await expect.poll(() => cache.get('a')).toBeUndefined();
  });

  it('can be closed twice, and takes and gives nothing afterwards', async () => {
    const cache = await openOne();
    await Promise.all([cache.close(), cache.close()]);
    cache.set('late', Buffer.from('x'));
    expect(await cache.get('late')).toBeUndefined();
    expect(await found('late')).toBeUndefined();
  });
}
