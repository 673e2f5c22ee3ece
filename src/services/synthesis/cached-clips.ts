import type { Logger } from 'pino';
import { packClip, unpackClip } from '../../audio/clips/clip-bytes.ts';
import { createClipCache } from '../../audio/clips/clip-cache.ts';
import type { DiskCache } from './disk-cache.ts';

/** Clips spoken before, as packets: in memory, and behind it on disk. */
export interface CachedClips {
  /** What is in memory. */
  peek(key: string): readonly Uint8Array[] | undefined;
  /** Whether it is in memory, without counting as a use. */
  holds(key: string): boolean;
  /** Whether it is on disk, without counting as a use. Never rejects. */
  isOnDisk(key: string): Promise<boolean>;
  /** What is on disk; undefined when there is nothing or the disk does not answer in time. Never rejects. */
  find(key: string): Promise<readonly Uint8Array[] | undefined>;
  /** Keeps a complete clip. */
  keep(key: string, packets: readonly Uint8Array[]): void;
  /** Whether anything is kept at all. */
  readonly keeps: boolean;
  /** What was looked for since the start, by where it was, and the bytes in memory now. */
  use(): CacheUse;
  close(): Promise<void>;
}

interface CacheUse {
  readonly memoryHits: number;
  readonly diskHits: number;
  readonly misses: number;
  readonly bytes: number;
}

interface CachedClipsOptions {
  /** 0: nothing is kept in memory. */
  readonly memoryBytes: number;
  readonly disk?: DiskCache | undefined;
  readonly log: Logger;
}

/** Half an hour of speech; a larger text is not said twice. */
const MAX_CLIP_BYTES = 16 * 1024 * 1024;

export function createCachedClips({ memoryBytes, disk, log }: CachedClipsOptions): CachedClips {
  const memory = createClipCache({ maxBytes: memoryBytes });
  const found = { memoryHits: 0, diskHits: 0, misses: 0 };

  return {
    keeps: memoryBytes > 0 || disk !== undefined,
    use: () => ({ ...found, bytes: memory.bytes }),
    peek(key) {
      const packets = memory.get(key);
      if (packets) found.memoryHits += 1;
      return packets;
    },
    holds: memory.has,
    isOnDisk: async (key) => (await disk?.get(key)) !== undefined,
    async find(key) {
      const packed = await disk?.get(key);
      const packets = packed && unpackClip(packed);
      if (packets) found.diskHits += 1;
      else found.misses += 1;
      if (!packed) return undefined;
      if (packets) {
        memory.set(key, packed);
      } else {
        log.warn({ bytes: packed.length }, 'Kept speech is damaged or of another version: made anew');
        disk?.delete(key);
      }
      return packets;
    },
    keep(key, packets) {
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
