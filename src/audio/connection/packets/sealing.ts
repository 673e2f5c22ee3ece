import { Buffer } from 'node:buffer';
import { createCipheriv, createSecretKey } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Logger } from 'pino';

// How voice packets are encrypted:
// https://discord.com/developers/docs/topics/voice-connections#transport-encryption-and-sending-voice

export const TAG_BYTES = 16;
const AES = 'aead_aes256_gcm_rtpsize';
const XCHACHA = 'aead_xchacha20_poly1305_rtpsize';

interface Sodium {
  crypto_aead_xchacha20poly1305_ietf_encrypt(
    sealed: Buffer,
    frame: Buffer,
    header: Buffer,
    secretNonce: null,
    nonce: Buffer,
    key: Uint8Array,
  ): number;
}

type LoadedSodium = { readonly library: Sodium } | { readonly reason: string };

/** The native binary of sodium-native may be missing or built for another libc; `reason` then says so for the log. */
export function loadSodium(load: () => unknown = () => createRequire(import.meta.url)('sodium-native')): LoadedSodium {
  try {
    return { library: load() as Sodium };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { reason: message.split('\n')[0] ?? 'unknown' };
  }
}

const loaded = loadSodium();
const sodium = 'library' in loaded ? loaded.library : undefined;

export function reportCipher(log: Logger, native: LoadedSodium = loaded): void {
  if ('library' in native) log.info({ cipher: XCHACHA }, 'Voice encryption uses sodium-native');
  else log.info({ reason: native.reason }, 'Could not load sodium-native: voice encryption takes triple the CPU');
}

/** `target` also has room for a tag of 16 bytes. A nonce must never be used twice with the same key. */
export type Seal = (target: Buffer, frame: Buffer, header: Buffer, nonce: number) => void;

/** All connections share these nonce buffers, because packets are encrypted one at a time. */
const aesNonce = Buffer.alloc(12);
const xchachaNonce = Buffer.alloc(24);

/** Undefined if the bot does not support the encryption mode: @discordjs/voice has to encrypt then. */
export function createSeal(mode: string, key: Uint8Array): Seal | undefined {
  if (mode === XCHACHA && sodium) {
    return (target, frame, header, nonce) => {
      xchachaNonce.writeUInt32BE(nonce, 0);
      sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(target, frame, header, null, xchachaNonce, key);
    };
  }
  if (mode !== AES) return undefined;
  // Given a key's raw bytes, Node would create a key object for each packet, at three times the cost of the encryption.
  const secret = createSecretKey(key);
  return (target, frame, header, nonce) => {
    aesNonce.writeUInt32BE(nonce, 0);
    const cipher = createCipheriv('aes-256-gcm', secret, aesNonce);
    cipher.setAAD(header);
    cipher.update(frame).copy(target);
    cipher.final();
    cipher.getAuthTag().copy(target, frame.length);
  };
}

/** XChaCha20 through sodium-native costs a third of AES through node:crypto. */
export function preferredModes(offered: readonly string[]): string[] {
  if (!sodium || !offered.includes(XCHACHA)) return [...offered];
  return [XCHACHA, ...offered.filter((mode) => mode !== XCHACHA)];
}

/** The space for packets that are encrypted in advance: several packets of speech, which have 200 to 330 bytes. */
const BYTES = 4_096;
/** The most packets that are encrypted in advance: they are all wasted if the text stops or the encryption group changes. */
const MAX_PACKETS = 8;
/** Players that start together first encrypt different numbers of packets, so that their later work is spread. */
let begun = 0;
/** The most bytes that encryption adds to an Opus frame: RTP header, tag, nonce and end-to-end encryption. */
const MAX_ADDED_BYTES = 64;
/** The 20 ms of a voice packet in ticks of the RTP clock, which runs at 48 kHz. */
export const TICKS = 960;

/** Packets encrypted in advance: encrypting several in a row loads keys and state into the CPU cache only once. */
export class SealedAhead {
  readonly bytes: Buffer = Buffer.allocUnsafeSlow(BYTES);
  readonly #opus: (Uint8Array | undefined)[] = new Array(MAX_PACKETS).fill(undefined);
  readonly #ends: number[] = new Array(MAX_PACKETS).fill(0);
  #sequence = 0;
  #timestamp = 0;
  #count = 0;
  #taken = 0;
  #most = 1 + (begun++ % MAX_PACKETS);
  /** After take() returned true, the packet to send is in `bytes`, from `start` up to `end`. */
  start = 0;
  end = 0;

  get isEmpty(): boolean {
    return this.#taken === this.#count;
  }

  /** Takes the next packet encrypted in advance. If it was not made from `opus` and these RTP numbers, all are outdated and dropped. */
  take(opus: Uint8Array | undefined, sequence: number, timestamp: number): boolean {
    const at = this.#taken;
    if (at === this.#count) return false;
    const isNext = this.#opus[at] === opus && this.sequence(at) === sequence && this.timestamp(at) === timestamp;
    if (!isNext) {
      this.clear();
      return false;
    }
    this.start = at === 0 ? 0 : (this.#ends[at - 1] as number);
    this.end = this.#ends[at] as number;
    this.#opus[at] = undefined;
    this.#taken = at + 1;
    return true;
  }

  /** Must be called before the first add(), with the first packet's RTP sequence number and timestamp. */
  begin(sequence: number, timestamp: number): void {
    if (this.#taken > 0) this.#most = MAX_PACKETS;
    this.clear();
    this.#sequence = sequence;
    this.#timestamp = timestamp;
  }

  sequence(at = this.#count): number {
    return (this.#sequence + at) & 0xffff;
  }

  timestamp(at = this.#count): number {
    return (this.#timestamp + at * TICKS) >>> 0;
  }

  hasRoomFor(opus: Uint8Array): boolean {
    const used = this.#count === 0 ? 0 : (this.#ends[this.#count - 1] as number);
    return this.#count < this.#most && used + opus.length + MAX_ADDED_BYTES <= BYTES;
  }

  /** `sealed` must contain the RTP numbers that sequence() and timestamp() return now. */
  add(opus: Uint8Array, sealed: Buffer, length: number): void {
    const start = this.#count === 0 ? 0 : (this.#ends[this.#count - 1] as number);
    sealed.copy(this.bytes, start, 0, length);
    this.#opus[this.#count] = opus;
    this.#ends[this.#count] = start + length;
    this.#count += 1;
  }

  clear(): void {
    for (let at = this.#taken; at < this.#count; at++) this.#opus[at] = undefined;
    this.#count = 0;
    this.#taken = 0;
  }
}
