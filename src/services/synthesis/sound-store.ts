import { createHash, createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { packClip, unpackClip } from '../../audio/clips/clip-files.ts';
import { type SpeechRequest, toWire } from '../../speech/interface/schemas.ts';
import type { KeptRows } from '../storage/kept-rows.ts';
import type { DiskCache } from './disk-cache.ts';

export interface PaidSound {
  readonly url: URL;
  /** The voice that the speech service used instead of the requested voice. */
  readonly spokenBy: string | undefined;
}

/** Paid audio, which can be downloaded again from its address for free. */
export interface Purchase extends PaidSound {
  readonly kind: 'paid';
  readonly credits: number;
  readonly atMs: number;
  /**
   * True if an earlier process paid for the audio. If its download fails before it has arrived in this process, the
   * request fails: a restored text is not paid twice without a new request.
   */
  readonly isEarlier: boolean;
  /** True if the whole audio has arrived once. If a later download fails, the audio is bought again, unless its host is unreachable. */
  hasArrived: boolean;
}

/** A paid request that an earlier process sent and that had no answer when that process ended. It may be billed. */
interface SentEarlier {
  readonly kind: 'sent';
  readonly atMs: number;
}

/** The state of a request's audio: to be bought, maybe billed already, or available. */
export type RecalledPurchase =
  | { readonly kind: 'to-buy' | 'maybe-billed' }
  | { readonly kind: 'at-hand'; readonly paid?: { readonly credits: number; readonly atMs: number } };

/** The stored record of a paid request, for the next process. `paid` is missing until the answer arrives. */
export interface KeptPurchase {
  readonly paid?: { readonly url: string; readonly credits: number; readonly spokenBy?: string | undefined };
}

interface PurchasesOptions {
  /** The records of paid requests, so that no audio is paid for twice after a restart; undefined if none are stored. */
  readonly rows: KeptRows<KeptPurchase> | undefined;
  /** False for the built-in speech service: it forgets the addresses of its audio when the bot's process ends. */
  readonly addressesLast: boolean;
}

/** How long purchases are remembered: as long as texts can be saved or replayed. Services do not state when an address expires. */
export const PURCHASES_KEPT_MS = 15 * 60_000;

/** Remembers each speech request for 15 minutes, by the key of its audio: paid, or sent with an unknown bill. */
export function createPurchases({ rows, addressesLast }: PurchasesOptions) {
  /** By the key of the audio: its paid request, or one that was sent and whose bill is unknown. */
  const known = new LRUCache<string, Purchase | SentEarlier>({
    ttl: PURCHASES_KEPT_MS,
    ttlAutopurge: true,
    ttlResolution: 0,
    perf: { now: () => Date.now() },
  });
  for (const [name, { value, sinceMs: atMs }] of rows?.entries() ?? []) {
    const [, key = ''] = name.split(' ');
    known.set(key, value.paid ? purchaseOf(value.paid, atMs) : { kind: 'sent', atMs }, { start: atMs });
  }

  return {
    /** The purchase from which a request's audio can be downloaded again; undefined if there is none. */
    of(key: string): Purchase | undefined {
      const one = known.get(key);
      return one?.kind === 'paid' && (addressesLast || !one.isEarlier) ? one : undefined;
    },
    delete: (key: string) => void known.delete(key),
    earlier(key: string): Purchase | SentEarlier | undefined {
      const one = known.get(key);
      return one?.kind === 'paid' && !one.isEarlier ? undefined : one;
    },
    begin(key: string, { guildId }: { readonly guildId?: string | undefined }) {
      const name = `${guildId} ${key}`;
      const kept = guildId === undefined ? undefined : rows;
      const before = kept?.get(name);
      const set = (value: KeptPurchase) => kept?.set(name, { value, sinceMs: Date.now() });
      return {
        /** Records that the request may be billed. Must be called before each attempt to send the request. */
        sent: () => set({}),
        paid(paid: PaidSound & { readonly credits: number }): void {
          const { url, credits, spokenBy } = paid;
          const atMs = Date.now();
          // The cache's own timer misses an entry whose time ends in the very millisecond in which it looks.
          known.purgeStale();
          known.set(key, { kind: 'paid', url, spokenBy, credits, atMs, hasArrived: false, isEarlier: false });
          set({ paid: { url: url.href, credits, spokenBy } });
        },
        /** Must be called if the request was not billed: restores the record of an earlier, perhaps billed request. */
        unbilled: () => (before ? kept?.set(name, before) : kept?.delete(name)),
        /** Resolves when the records of paid requests are stored for the next process. Rejects with a StoreError. */
        written: async () => kept?.written(),
      };
    },
  };
}

export type Purchases = ReturnType<typeof createPurchases>;

function purchaseOf({ url, credits, spokenBy }: Required<KeptPurchase>['paid'], atMs: number): Purchase {
  return { kind: 'paid', url: new URL(url), spokenBy, credits, atMs, hasArrived: false, isEarlier: true };
}

interface SoundStoreOptions {
  /** Maximum bytes of cached audio in memory; 0 caches nothing in memory. */
  readonly memoryBytes: number;
  readonly disk: DiskCache | undefined;
  readonly log: Logger;
}

const ENTRY_BYTES = 300;

/**
 * Stores audio by the key of its request, in memory or on disk. A cached clip is a single buffer, because an array of
 * its Opus packets would need twice the memory.
 */
export function createSoundStore({ memoryBytes, disk, log }: SoundStoreOptions) {
  const memory = new LRUCache<string, Uint8Array>({
    // If nothing shall be cached, the size is 1 byte, into which no clip fits: LRUCache treats a size of 0 as no limit.
    maxSize: Math.max(1, memoryBytes),
    sizeCalculation: ({ length }) => length + ENTRY_BYTES,
  });
  const found = { memoryHits: 0, diskHits: 0, misses: 0 };

  return {
    /** Lookups since the start by where the clip was found, and the current bytes in memory. */
    use: () => ({ ...found, bytes: memory.calculatedSize }),
    peek(key: string) {
      const packed = memory.get(key);
      const packets = packed && unpackClip(packed);
      if (packets) found.memoryHits += 1;
      return packets;
    },
    async find(key: string) {
      const packed = await disk?.get(key);
      const packets = packed && unpackClip(packed);
      if (packed && !packets) {
        log.warn({ bytes: packed.length }, 'A cached clip is corrupt or outdated: making it again');
        disk?.delete(key);
      }
      if (packed && packets) {
        found.diskHits += 1;
        memory.set(key, packed);
      } else found.misses += 1;
      return packets;
    },
    keep(key: string, packets: readonly Uint8Array[]): void {
      if (packets.length === 0) return;
      const packed = packClip(packets);
      memory.set(key, packed);
      disk?.set(key, packed);
    },
    /** True if the audio is in memory. This check does not count as a lookup in use(). */
    holds: (key: string) => memory.has(key),
    /** True if the audio is in memory or on disk. This check does not count as a lookup in use(). Never rejects. */
    isKept: async (key: string) => memory.has(key) || (await disk?.get(key)) !== undefined,
    close: async () => disk?.close(),
  };
}

export type SoundStore = ReturnType<typeof createSoundStore>;

/** The version of cached audio. Must be increased when changed code gives other audio for the same request, such as another loudness. */
const SOUND_VERSION = 2;

export interface SoundScope {
  /** The service's address; for the built-in service, which has no fixed address, `local` and its engines. */
  readonly service: string;
  /** An account may have its own voices, so audio is cached separately for each API key. Only a hash is used. */
  readonly apiKey: string;
}

/** Makes the names of cached audio. Without the API key, nobody can test if a guessed text was spoken. */
export function createCacheKey(scope: SoundScope): (request: SpeechRequest) => string {
  const secret = cacheSecret(scope);
  return (request) => {
    // Options that the model ignores are not sent, so they do not change the name of cached audio.
    const fields = Object.entries(toWire(request)).sort(([one], [other]) => (one < other ? -1 : 1));
    return createHmac('sha256', secret).update(JSON.stringify(fields)).digest('base64url');
  };
}

/** The names of cached audio and the encryption key of stored texts are derived from this secret. */
export const cacheSecret = ({ service, apiKey }: SoundScope): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([SOUND_VERSION, service, apiKey]))
    .digest();
