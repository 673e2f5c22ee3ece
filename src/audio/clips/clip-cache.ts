import { LRUCache } from 'lru-cache';
import { unpackClip } from './clip-bytes.ts';

/** Key, entry, and the object around the bytes. */
const ENTRY_BYTES = 300;

/**
 * Finished clips in memory; the least recently used make room for new ones.
 *
 * Packed clips take little more than their bytes; as arrays of packets they would take twice as much. Unpacking one second
 * of sound takes some 5 µs.
 */
export function createClipCache({ maxBytes }: { readonly maxBytes: number }) {
  const entries = new LRUCache<string, Uint8Array>({
    // 0 would be no limit; in one byte nothing fits.
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ length }) => length + ENTRY_BYTES,
  });
  return {
    get(key: string) {
      const packed = entries.get(key);
      return packed && unpackClip(packed);
    },
    /** Without counting as a use. */
    has: (key: string) => entries.has(key),
    /** Keeps a clip packed by packClip(), unless it is larger than the whole cache. */
    set: (key: string, packed: Uint8Array) => void entries.set(key, packed),
    get bytes() {
      return entries.calculatedSize;
    },
  };
}
