import type { Buffer } from 'node:buffer';
import { unpackClip } from './clip-bytes.ts';

/** Finished clips in memory; the ones not asked for the longest make room for new ones. */
export interface ClipCache {
  get(key: string): Buffer[] | undefined;
  /** Without counting as asking for it. */
  has(key: string): boolean;
  /** Keeps what packClip() made; what is larger than the whole cache is not kept. */
  set(key: string, packed: Uint8Array): void;
  readonly bytes: number;
}

/** Entry of the map, key, and the object around the bytes. */
const ENTRY_BYTES = 300;

/**
 * Packed clips take little more than their bytes; as arrays of packets they would take twice as much. Unpacking one second
 * of sound takes some 5 µs.
 */
export function createClipCache({ maxBytes }: { readonly maxBytes: number }): ClipCache {
  // A map keeps its keys in the order of their setting: the first one was used the longest ago.
  const entries = new Map<string, Uint8Array>();
  let bytes = 0;

  function remove(key: string): void {
    const packed = entries.get(key);
    if (!packed) return;
    entries.delete(key);
    bytes -= packed.length + ENTRY_BYTES;
  }

  return {
    get(key) {
      const packed = entries.get(key);
      if (!packed) return undefined;
      entries.delete(key);
      entries.set(key, packed);
      return unpackClip(packed);
    },
    has: (key) => entries.has(key),
    set(key, packed) {
      remove(key);
      const size = packed.length + ENTRY_BYTES;
      if (size > maxBytes) return;
      for (const oldest of entries.keys()) {
        if (bytes + size <= maxBytes) break;
        remove(oldest);
      }
      entries.set(key, packed);
      bytes += size;
    },
    get bytes() {
      return bytes;
    },
  };
}
