import { createRequire } from 'node:module';

/** The path of eSpeak NG's module, or why there is none: it is an optional package. */
export function findEspeak(): { entry: string } | { problem: string } {
  try {
    return { entry: createRequire(import.meta.url).resolve('espeak-ng') };
  } catch {
    return {
      problem:
        'The embedded synthesiser (espeak-ng, an optional package) is not installed: run npm ci without --omit=optional, or set SPEECH_ENGINE_URL.',
    };
  }
}
