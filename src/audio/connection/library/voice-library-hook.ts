import { registerHooks } from 'node:module';

// @discordjs/voice 0.19.2 prefers sodium-native for XChaCha20, and imports it as an ES module. That view of sodium-native
// 5.1 lacks one of the constants it uses, so that every packet throws where Discord offers no AES. The library is given
// a view that has all three names; where sodium-native is missing it goes on to the next package as it always does.
const sodiumForVoice = new URL('./voice-library-sodium.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const isVoiceLibrary = specifier === 'sodium-native' && context.parentURL?.includes('/@discordjs/voice/');
    return isVoiceLibrary ? { url: sodiumForVoice, shortCircuit: true } : next(specifier, context);
  },
});
