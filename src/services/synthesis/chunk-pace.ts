import type { SpeechRequest } from '../../speech/request.ts';

/** Under which its pace is learned. */
export const modelOf = ({ voice }: SpeechRequest): string => voice.model ?? '';

/** Assumed until something was measured: a slow service, and speech at some 15 characters a second. */
const ASSUMED = { fixedMs: 1_500, answerMsPerCharacter: 6, spokenMsPerCharacter: 65 };
/** Of every new value; the last few requests say most about the next. */
const WEIGHT = 0.3;

interface Learned {
  /** What the last requests took, against what was assumed for them. */
  slowness: number;
  spokenMsPerCharacter: number;
}

/** What is known of how long the service takes and how long its speech lasts, model by model. */
export function createSpeechPace() {
  // As many entries as the service has models.
  const models = new Map<string, Learned>();

  const of = (model: string): Learned =>
    models.get(model) ?? { slowness: 1, spokenMsPerCharacter: ASSUMED.spokenMsPerCharacter };
  const assumedMs = (characters: number) => ASSUMED.fixedMs + ASSUMED.answerMsPerCharacter * characters;
  const blend = (before: number, now: number) => before + WEIGHT * (now - before);

  return {
    /** From a request to its first sound. */
    expectedMs: (model: string, characters: number) => of(model).slowness * assumedMs(characters),
    /** How long so many characters are spoken. */
    spokenMs: (model: string, characters: number) => of(model).spokenMsPerCharacter * characters,
    answered(model: string, characters: number, elapsedMs: number): void {
      const before = of(model);
      models.set(model, { ...before, slowness: blend(before.slowness, elapsedMs / assumedMs(characters)) });
    },
    spoken(model: string, characters: number, durationMs: number): void {
      if (characters === 0) return;
      const before = of(model);
      const spokenMsPerCharacter = blend(before.spokenMsPerCharacter, durationMs / characters);
      models.set(model, { ...before, spokenMsPerCharacter });
    },
  };
}

export type SpeechPace = ReturnType<typeof createSpeechPace>;
