import type { Logger } from 'pino';
import { packClip, unpackClip } from '../../audio/clips/clip-bytes.ts';
import { createClipCache } from '../../audio/clips/clip-cache.ts';
import type { DiskCache } from './disk-cache.ts';
import type { SharedSound } from './shared-sound.ts';

interface CachedClipsOptions {
  /** 0: nothing is kept in memory. */
  readonly memoryBytes: number;
  readonly disk?: DiskCache | undefined;
  /** What other processes of the bot have made. */
  readonly shared?: SharedSound | undefined;
  readonly log: Logger;
}

/** Half an hour of speech; a larger text is not said twice. */
const MAX_CLIP_BYTES = 16 * 1024 * 1024;

/** Clips spoken before, as packets: in memory, behind it on disk, and last where all processes of the bot keep them. */
export function createCachedClips({ memoryBytes, disk, shared, log }: CachedClipsOptions) {
  const memory = createClipCache({ maxBytes: memoryBytes });
  const found = { memoryHits: 0, diskHits: 0, sharedHits: 0, misses: 0 };

  async function onDisk(key: string) {
    const packed = await disk?.get(key);
    const packets = packed && unpackClip(packed);
    if (packed && !packets) {
      log.warn({ bytes: packed.length }, 'Kept speech is damaged or of another version: made anew');
      disk?.delete(key);
    }
    return packets && { packed, packets };
  }

  async function atOthers(key: string) {
    const packed = await shared?.get(key);
    const packets = packed && unpackClip(packed);
    return packets && { packed, packets };
  }

  return {
    /** Whether anything is kept at all. */
    keeps: memoryBytes > 0 || disk !== undefined || shared !== undefined,
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
    isKept: async (key: string) => ((await disk?.get(key)) ?? (await shared?.get(key))) !== undefined,
    /** From disk or from other processes; undefined when there is nothing or neither answers in time. Never rejects. */
    async find(key: string) {
      const own = await onDisk(key);
      // On disk it would be kept for longer than was said.
      const clip = own ?? (await atOthers(key));
      if (!clip) found.misses += 1;
      else if (own) found.diskHits += 1;
      else found.sharedHits += 1;
      if (clip) memory.set(key, clip.packed);
      return clip?.packets;
    },
    /** Keeps a complete clip. */
    keep(key: string, packets: readonly Uint8Array[]): void {
      const bytes = packets.reduce((sum, { length }) => sum + length, 0);
      if (packets.length === 0 || bytes > MAX_CLIP_BYTES) return;
      const packed = packClip(packets);
      memory.set(key, packed);
      disk?.set(key, packed);
      shared?.set(key, packed);
    },
    async close() {
      await Promise.all([disk?.close(), shared?.close()]);
    },
  };
}

export type CachedClips = ReturnType<typeof createCachedClips>;
