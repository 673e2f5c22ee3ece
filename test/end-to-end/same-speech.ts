import { expect } from 'vitest';
import type { Heard } from '../../src/playground/voice/types.ts';
import { alignedCorrelation, type Sound, speechSpan } from './measure.ts';

export const soundOf = (heard: Heard): Sound => ({ samples: heard.pcm, sampleRateHz: 48_000 });

/** Nothing cut at either end, nothing put in between: the same wave, of the same length. */
export const expectSameSpeech = (heard: Heard, said: Sound): void => expectSameSound(soundOf(heard), said);

export function expectSameSound(heard: Sound, said: Sound): void {
  expect(alignedCorrelation(said, heard).correlation).toBeGreaterThan(0.9);
  expect(Math.abs(speechSpan(heard).seconds - speechSpan(said).seconds)).toBeLessThan(0.06);
}
