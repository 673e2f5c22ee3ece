import { createRequire } from 'node:module';

/** The path of eSpeak NG's module, or why there is none: it is an optional package. */
export function findEspeak(): { entry: string } | { problem: string } {
  try {
    return { entry: createRequire(import.meta.url).resolve('espeak-ng') };
  } catch {
    return {
      problem:
        'The embedded synthesiser is not installed: run `npm install espeak-ng` (GPL-3.0-or-later), or set SPEECH_ENGINE_URL.',
    };
  }
}
