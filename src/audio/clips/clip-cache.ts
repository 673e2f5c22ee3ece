import type { Buffer } from 'node:buffer';
import { LRUCache } from 'lru-cache';
import { unpackClip } from './clip-bytes.ts';

/** Finished clips in memory; those used the longest ago make room for new ones. */
interface ClipCache {
  get(key: string): Buffer[] | undefined;
  /** Without counting as a use. */
  has(key: string): boolean;
  /** Keeps what packClip() made; what is larger than the whole cache is not kept. */
  set(key: string, packed: Uint8Array): void;
  readonly bytes: number;
}

/** Key, entry, and the object around the bytes. */
const ENTRY_BYTES = 300;

/**
 * Packed clips take little more than their bytes; as arrays of packets they would take twice as much. Unpacking one second
 * of sound takes some 5 µs.
 */
export function createClipCache({ maxBytes }: { readonly maxBytes: number }): ClipCache {
  const entries = new LRUCache<string, Uint8Array>({
    // 0 would be no limit; in one byte nothing fits.
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ length }) => length + ENTRY_BYTES,
  });
  return {
    get(key) {
      const packed = entries.get(key);
      return packed && unpackClip(packed);
    },
    has: (key) => entries.has(key),
    set: (key, packed) => void entries.set(key, packed),
    get bytes() {
      return entries.calculatedSize;
    },
  };
}
