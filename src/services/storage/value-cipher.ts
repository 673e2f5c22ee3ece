import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts, each value for one name: under another name it cannot be opened. */
interface Cipher<Value, Opened> {
  close(name: string, value: Value): Uint8Array;
  /** Undefined for what another key or version sealed, or what was changed. */
  open(name: string, sealed: Uint8Array): Opened | undefined;
}

export type ValueCipher = Cipher<unknown, unknown>;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** With a key made of `secret`, another one for each purpose. */
export function createByteCipher(secret: Uint8Array, purpose: string): Cipher<Uint8Array, Buffer> {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));

  return {
    close(name, bytes) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(name));
      const sealed = [cipher.update(bytes), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
    },
    open(name, sealed) {
      const tagAt = NONCE_BYTES + TAG_BYTES;
      if (sealed.length < tagAt) return undefined;
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(name))
        .setAuthTag(sealed.subarray(NONCE_BYTES, tagAt));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(tagAt)), decipher.final()]);
      } catch {
        // Another key, or another byte: there is nothing to read.
        return undefined;
      }
    },
  };
}

export function createValueCipher(secret: Uint8Array): ValueCipher {
  const bytes = createByteCipher(secret, 'unspoken texts');
  return {
    close: (name, value) => bytes.close(name, Buffer.from(JSON.stringify(value))),
    open(name, sealed) {
      const opened = bytes.open(name, sealed);
      return opened && JSON.parse(opened.toString('utf8'));
    },
  };
}
