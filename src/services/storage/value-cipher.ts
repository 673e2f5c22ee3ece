import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts values for the disk, each for one name: under another name it cannot be opened. */
export interface ValueCipher {
  close(name: string, value: unknown): Uint8Array;
  /** Undefined for what another key or version sealed, or what was changed. */
  open(name: string, sealed: Uint8Array): unknown;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** With a key made of `secret`. */
export function createValueCipher(secret: Uint8Array): ValueCipher {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'unspoken texts', 32));

  return {
    close(name, value) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(name));
      const sealed = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
    },
    open(name, sealed) {
      const bytes = Buffer.from(sealed);
      const tagAt = NONCE_BYTES + TAG_BYTES;
      if (bytes.length < tagAt) return undefined;
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(name))
        .setAuthTag(bytes.subarray(NONCE_BYTES, tagAt));
      try {
        const opened = Buffer.concat([decipher.update(bytes.subarray(tagAt)), decipher.final()]);
        return JSON.parse(opened.toString('utf8'));
      } catch {
        // Another key, or another byte: there is nothing to read.
        return undefined;
      }
    },
  };
}
