import { Buffer } from 'node:buffer';
import { createCipheriv, createSecretKey } from 'node:crypto';
import { createRequire } from 'node:module';

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

function loadSodium(): Sodium | undefined {
  try {
    return createRequire(import.meta.url)('sodium-native') as Sodium;
  } catch {
    // Optional, as everywhere: the library has other packages to fall back on.
    return undefined;
  }
}

const sodium = loadSodium();

/** Seals `frame` into `target`, which holds the frame's bytes and a tag. The nonce is a counter that never comes twice. */
export type Seal = (target: Buffer, frame: Buffer, header: Buffer, nonce: number) => void;

/** One packet is sealed at a time: everybody's nonces are written here. */
const aesNonce = Buffer.alloc(12);
const xchachaNonce = Buffer.alloc(24);

/** The mode's cipher for one key; undefined where the library has to do it. */
export function createSeal(mode: string, key: Uint8Array): Seal | undefined {
  if (mode === XCHACHA && sodium) {
    return (target, frame, header, nonce) => {
      xchachaNonce.writeUInt32BE(nonce, 0);
      sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(target, frame, header, null, xchachaNonce, key);
    };
  }
  if (mode !== AES) return undefined;
  // Made once: from raw bytes Node makes a key object again for each packet, which costs three times the encryption.
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

/** The modes that Discord offers, ours first: sodium-native's XChaCha20 costs a third of AES through node:crypto. */
export function preferredModes(offered: readonly string[]): string[] {
  if (!sodium || !offered.includes(XCHACHA)) return [...offered];
  return [XCHACHA, ...offered.filter((mode) => mode !== XCHACHA)];
}
