import { createRequire } from 'node:module';

/** The names of sodium-native that @discordjs/voice uses; see voice-library-hook.ts. */
interface Sodium {
  crypto_aead_xchacha20poly1305_ietf_ABYTES: number;
  crypto_aead_xchacha20poly1305_ietf_encrypt(...parameters: readonly unknown[]): number;
  crypto_aead_xchacha20poly1305_ietf_decrypt(...parameters: readonly unknown[]): number;
}

export const {
  crypto_aead_xchacha20poly1305_ietf_ABYTES,
  crypto_aead_xchacha20poly1305_ietf_encrypt,
  crypto_aead_xchacha20poly1305_ietf_decrypt,
} = createRequire(import.meta.url)('sodium-native') as Sodium;
