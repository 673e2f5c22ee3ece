import { registerHooks } from 'node:module';

// @discordjs/voice 0.19.2 prefers sodium-native for XChaCha20 and imports it as an ES module. The ES module view of
// sodium-native 5.1 lacks a constant that the library uses, so every packet throws if Discord offers no AES. The
// library gets a view with all three names. If sodium-native is missing, the library tries the next package as usual.
const sodiumForVoice = new URL('./voice-library-sodium.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const isVoiceLibrary = specifier === 'sodium-native' && context.parentURL?.includes('/@discordjs/voice/');
    return isVoiceLibrary ? { url: sodiumForVoice, shortCircuit: true } : next(specifier, context);
  },
});
