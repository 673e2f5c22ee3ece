import { registerHooks } from 'node:module';

// @discordjs/voice 0.19.2 takes sodium-native before any other package, by a dynamic import. The module view of
// sodium-native 5.1 lacks `crypto_aead_xchacha20poly1305_ietf_ABYTES`, so every packet of the XChaCha20 mode throws.
// Hidden from it, the library takes @noble/ciphers.
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'sodium-native') throw new Error('Hidden from the voice library');
    return next(specifier, context);
  },
});
