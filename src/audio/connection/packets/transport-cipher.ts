import { Buffer } from 'node:buffer';
import { createCipheriv, createSecretKey } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Logger } from 'pino';

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

/** A native package: its binary may be missing, or built for another libc. The reason is for the log. */
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

/** Logs the preferred cipher of connections, and why it is not the cheapest. To be called once. */
export function reportCipher(log: Logger, native: LoadedSodium = loaded): void {
  if ('library' in native) log.info({ cipher: XCHACHA }, 'Voice encryption: sodium-native');
  else log.info({ reason: native.reason }, 'Voice encryption: without sodium-native (about three times its CPU)');
}

/** Seals `frame` into `target`, which holds the frame's bytes and a tag. The nonce is a counter that never repeats. */
export type Seal = (target: Buffer, frame: Buffer, header: Buffer, nonce: number) => void;

/** Shared by all ciphers: one packet is sealed at a time. */
const aesNonce = Buffer.alloc(12);
const xchachaNonce = Buffer.alloc(24);

/** The mode's cipher for one key; undefined where the library has to encrypt. */
export function createSeal(mode: string, key: Uint8Array): Seal | undefined {
  if (mode === XCHACHA && sodium) {
    return (target, frame, header, nonce) => {
      xchachaNonce.writeUInt32BE(nonce, 0);
      sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(target, frame, header, null, xchachaNonce, key);
    };
  }
  if (mode !== AES) return undefined;
  // Created once: from raw bytes Node creates a key object for each packet, which costs three times the encryption.
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

/** Discord's modes, ours first: sodium-native's XChaCha20 costs a third of AES through node:crypto. */
export function preferredModes(offered: readonly string[]): string[] {
  if (!sodium || !offered.includes(XCHACHA)) return [...offered];
  return [XCHACHA, ...offered.filter((mode) => mode !== XCHACHA)];
}
