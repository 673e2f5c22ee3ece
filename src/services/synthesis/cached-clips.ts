import type { Logger } from 'pino';
import { packClip, unpackClip } from '../../audio/clips/clip-bytes.ts';
import { createClipCache } from '../../audio/clips/clip-cache.ts';
import type { DiskCache } from './disk-cache.ts';

interface CachedClipsOptions {
  /** 0: nothing is kept in memory. */
  readonly memoryBytes: number;
  readonly disk?: DiskCache | undefined;
  readonly log: Logger;
}

/** Half an hour of speech; a larger text is not said twice. */
const MAX_CLIP_BYTES = 16 * 1024 * 1024;

/** Clips spoken before, as packets: in memory, and behind it on disk. */
export function createCachedClips({ memoryBytes, disk, log }: CachedClipsOptions) {
  const memory = createClipCache({ maxBytes: memoryBytes });
  const found = { memoryHits: 0, diskHits: 0, misses: 0 };

  return {
    /** Whether anything is kept at all. */
    keeps: memoryBytes > 0 || disk !== undefined,
    /** Lookups since the start, by where they found a clip, and the bytes in memory now. */
    use: () => ({ ...found, bytes: memory.bytes }),
    /** From memory. */
    peek(key: string) {
      const packets = memory.get(key);
      if (packets) found.memoryHits += 1;
      return packets;
    },
    /** Whether it is in memory, without counting as a use. */
    holds: memory.has,
    /** Whether find() would find it, without counting as a use. Never rejects. */
    isKept: async (key: string) => (await disk?.get(key)) !== undefined,
    /** From disk; undefined when there is nothing or it does not answer in time. Never rejects. */
    async find(key: string) {
      const packed = await disk?.get(key);
      const packets = packed && unpackClip(packed);
      if (packed && !packets) {
        log.warn({ bytes: packed.length }, 'Kept speech is damaged or of another version: made anew');
        disk?.delete(key);
      }
      if (packed && packets) {
        found.diskHits += 1;
        memory.set(key, packed);
      } else found.misses += 1;
      return packets;
    },
    /** Keeps a complete clip. */
    keep(key: string, packets: readonly Uint8Array[]): void {
      const bytes = packets.reduce((sum, { length }) => sum + length, 0);
      if (packets.length === 0 || bytes > MAX_CLIP_BYTES) return;
      const packed = packClip(packets);
      memory.set(key, packed);
      disk?.set(key, packed);
    },
    async close() {
      await disk?.close();
    },
  };
}

export type CachedClips = ReturnType<typeof createCachedClips>;
