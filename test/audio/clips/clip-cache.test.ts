import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { packClip, unpackClip } from '../../../src/audio/clips/clip-bytes.ts';
import { createClipCache } from '../../../src/audio/clips/clip-cache.ts';

const packets = [Buffer.from([1, 2, 3]), Buffer.from([]), Buffer.alloc(1275, 7), Buffer.from([0xf8, 0xff, 0xfe])];
const clipOf = (bytes: number, fill = 0) => packClip([Buffer.alloc(bytes, fill)]);

describe('a packed clip', () => {
  test('comes out as it went in', () => {
    expect(unpackClip(packClip(packets))).toEqual(packets);
    expect(unpackClip(packClip([]))).toEqual([]);
  });

  test('is nothing when any of its bytes was changed', () => {
    const whole = packClip(packets);
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0x20;
      expect(unpackClip(damaged)).toBeUndefined();
    }
  });

  test('is nothing when it was cut off anywhere, or when something follows it', () => {
    const whole = packClip(packets);
    for (let length = 0; length < whole.length; length++) expect(unpackClip(whole.subarray(0, length))).toBeUndefined();
    expect(unpackClip(Buffer.concat([whole, Buffer.from([0])]))).toBeUndefined();
  });
});

describe('clips in memory', () => {
  test('are found again, and count no more than they are said to take', () => {
    const cache = createClipCache({ maxBytes: 10_000 });
    cache.set('a', packClip(packets));
    expect(cache.get('a')).toEqual(packets);
    expect(cache.get('b')).toBeUndefined();
    const keys = Array.from({ length: 100 }, (_, i) => `key ${i}`);
    for (const key of keys) cache.set(key, clipOf(500));
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
    expect(keys.filter((key) => cache.has(key)).length).toBeGreaterThan(10);
  });

  test('make room for new ones in the order in which they were used last', () => {
    const cache = createClipCache({ maxBytes: 4_000 });
    for (const key of ['a', 'b', 'c']) cache.set(key, clipOf(900));
    cache.get('a');
    cache.set('d', clipOf(900));
    expect(cache.get('b')).toBeUndefined();
    expect(cache.get('a')).toBeDefined();
    expect(cache.get('c')).toBeDefined();
    expect(cache.get('d')).toBeDefined();
  });

  test('are replaced by a newer one of the same key, whose bytes alone count', () => {
    const cache = createClipCache({ maxBytes: 4_000 });
    cache.set('a', clipOf(1_000, 1));
    const before = cache.bytes;
    cache.set('a', clipOf(1_000, 2));
    expect(cache.bytes).toBe(before);
    expect(cache.get('a')?.[0]?.[0]).toBe(2);
  });

  test('do not throw everything else out for one that does not fit at all, and keep nothing where there is no room', () => {
    const cache = createClipCache({ maxBytes: 4_000 });
    cache.set('a', clipOf(1_000));
    cache.set('huge', clipOf(1_275 * 1));
    cache.set('huger', packClip(Array.from({ length: 4 }, () => Buffer.alloc(1_200))));
    expect(cache.get('a')).toBeDefined();
    expect(cache.get('huger')).toBeUndefined();
    const none = createClipCache({ maxBytes: 0 });
    none.set('a', clipOf(1));
    expect(none.get('a')).toBeUndefined();
    expect(none.bytes).toBe(0);
  });
});
