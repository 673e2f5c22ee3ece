import { createHash, createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Clip } from '../../audio/clips/clip.ts';
import { packClip, unpackClip } from '../../audio/clips/clip-files.ts';
import { type SpeechRequest, toWire, type VoiceSelection } from '../../speech/request.ts';
import type { DiskCache } from './disk-cache.ts';

interface SoundStoreOptions {
  /** 0: nothing is kept in memory. */
  readonly memoryBytes: number;
  readonly disk?: DiskCache | undefined;
  readonly log: Logger;
}

export interface SoundUnderWay {
  /** Resolves while it grows; rejects where there will be none. */
  readonly clip: Promise<Clip>;
  /** Resolves when nothing works on it any more, with what is to be kept of it. Never rejects. */
  readonly ended: Promise<Clip | undefined>;
}

/** Half an hour of speech; a larger text is not said twice. */
const MAX_CLIP_BYTES = 16 * 1024 * 1024;
/** Key, entry, and the object around the bytes. */
const ENTRY_BYTES = 300;

/**
 * Sounds by the keys of their requests: on their way, then as packets in memory, and behind that on disk.
 *
 * Packed clips take little more than their bytes; as arrays of packets they would take twice as much. Unpacking one second
 * of sound takes some 5 µs.
 */
export function createSoundStore<Sound extends SoundUnderWay>({ memoryBytes, disk, log }: SoundStoreOptions) {
  const memory = new LRUCache<string, Uint8Array>({
    // 0 would be no limit; in one byte nothing fits.
    maxSize: Math.max(1, memoryBytes),
    sizeCalculation: ({ length }) => length + ENTRY_BYTES,
  });
  const underWay = new Map<string, Sound>();
  const running = new Set<Promise<void>>();
  const found = { memoryHits: 0, diskHits: 0, misses: 0 };

  function keep(key: string, packets: readonly Uint8Array[]): void {
    const bytes = packets.reduce((sum, { length }) => sum + length, 0);
    if (packets.length === 0 || bytes > MAX_CLIP_BYTES) return;
    const packed = packClip(packets);
    memory.set(key, packed);
    disk?.set(key, packed);
  }

  function leave(key: string, sound: Sound): void {
    if (underWay.get(key) === sound) underWay.delete(key);
  }

  async function follow(key: string, sound: Sound): Promise<void> {
    const clip = await sound.ended;
    if (clip) keep(key, clip.packets);
    leave(key, sound);
  }

  return {
    /** Lookups since the start, by where they found a clip, and the bytes in memory now. */
    use: () => ({ ...found, bytes: memory.calculatedSize }),
    peek(key: string) {
      const packed = memory.get(key);
      const packets = packed && unpackClip(packed);
      if (packets) found.memoryHits += 1;
      return packets;
    },
    /** From disk; undefined when there is nothing or it does not answer in time. Never rejects. */
    async find(key: string) {
      const packed = await disk?.get(key);
      const packets = packed && unpackClip(packed);
      if (packed && !packets) {
        log.warn({ bytes: packed.length }, 'Cached clip is corrupt or outdated: regenerating');
        disk?.delete(key);
      }
      if (packed && packets) {
        found.diskHits += 1;
        memory.set(key, packed);
      } else found.misses += 1;
      return packets;
    },
    keep,
    /** The one that is on its way, or else the one that `begin` begins. */
    get(key: string, begin: () => Sound): Sound {
      const known = underWay.get(key);
      if (known) return known;
      const sound = begin();
      underWay.set(key, sound);
      const work = follow(key, sound).finally(() => running.delete(work));
      running.add(work);
      return sound;
    },
    /** It is being given up: the next who asks gets another one. */
    leave,
    /** Whether it is in memory or on its way, without counting as a use. */
    holds: (key: string) => memory.has(key) || underWay.has(key),
    /** Whether it is in memory or on disk, without counting as a use. Never rejects. */
    isKept: async (key: string) => memory.has(key) || (await disk?.get(key)) !== undefined,
    underWay: () => underWay.values(),
    /** Resolves when nothing is under way. Never rejects. */
    finished: async () => void (await Promise.all(running)),
    close: async () => disk?.close(),
  };
}

/** Goes up when the same request comes to sound different: another encoder setting, another way of evening loudness. */
const SOUND_VERSION = 2;

export interface SoundScope {
  /** What answers requests: the service's address, or for the built-in voice what speaks for it. */
  readonly service: string;
  /** The key of the account: its voices may be its own. Only a hash of it is used. */
  readonly apiKey: string;
  /** What decides how a voice sounds, where that is not the service's own affair. */
  readonly soundOf?: (voice: VoiceSelection) => string | undefined;
}

/**
 * The name under which a request's sound is kept: the same for everything that sounds the same. Neither the text nor the
 * key can be read from it, and without the key a guess at a text cannot be checked.
 */
export function createCacheKey(scope: SoundScope): (request: SpeechRequest) => string {
  const secret = cacheSecret(scope);
  return (request) => {
    // What the model ignores is not sent, and so makes no difference.
    const fields = Object.entries(toWire(request)).sort(([one], [other]) => (one < other ? -1 : 1));
    const sound = scope.soundOf?.(request.voice);
    const name = sound === undefined ? fields : [...fields, sound];
    return createHmac('sha256', secret).update(JSON.stringify(name)).digest('base64url');
  };
}

/** What the names of kept sounds are made with, and with it the key for kept texts. */
export const cacheSecret = ({ service, apiKey }: SoundScope): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([SOUND_VERSION, service, apiKey]))
    .digest();
