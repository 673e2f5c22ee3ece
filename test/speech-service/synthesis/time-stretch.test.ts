import { describe, expect, it } from 'vitest';
import { timeStretch } from '../../../src/speech-service/synthesis/time-stretch.ts';
import { rms } from '../../audio/sounds.ts';
import { bestLag } from '../../end-to-end/measure.ts';

const RATE_HZ = 24_000;

/** A voice's vowel: a tone of 140 Hz with harmonics. */
const vowel = (seconds: number) =>
  Float32Array.from({ length: Math.round(seconds * RATE_HZ) }, (_, at) =>
    [1, 2, 3, 4].reduce(
      (sum, harmonic) => sum + (0.2 / harmonic) * Math.sin((2 * Math.PI * 140 * harmonic * at) / RATE_HZ),
      0,
    ),
  );

/** By the distance at which the wave is most like itself, 80 to 300 Hz. */
function pitchHz(samples: Float32Array): number {
  const middle = samples.subarray(Math.round(samples.length / 3), Math.round(samples.length / 3) + 4_000);
  return RATE_HZ / bestLag(middle, middle, RATE_HZ / 300, RATE_HZ / 80).lag;
}

describe('speech made faster or slower', () => {
  it.each([0.7, 0.9, 1.25, 1.5])('by %d takes so much longer or shorter, at the same pitch and loudness', (speed) => {
    const plain = vowel(1);
    const stretched = timeStretch(plain, RATE_HZ, speed);
    expect(stretched.length / plain.length).toBeCloseTo(1 / speed, 3);
    expect(Math.abs(pitchHz(stretched) - 140)).toBeLessThan(3);
    expect(Math.abs(20 * Math.log10(rms(stretched) / rms(plain)))).toBeLessThan(1);
  });

  it('has no seams: no step is larger than in the original', () => {
    const step = (samples: Float32Array) =>
      samples.reduce((most, value, at) => (at === 0 ? 0 : Math.max(most, Math.abs(value - (samples[at - 1] ?? 0)))), 0);
    for (const speed of [0.7, 1.5])
      expect(step(timeStretch(vowel(1), RATE_HZ, speed))).toBeLessThan(1.3 * step(vowel(1)));
  });

  it('keeps its pauses, in proportion', () => {
    const silent = new Float32Array(RATE_HZ / 2);
    const samples = new Float32Array([...vowel(0.5), ...silent, ...vowel(0.5)]);
    const stretched = timeStretch(samples, RATE_HZ, 1.5);
    const quiet = stretched.subarray(Math.round(0.4 * RATE_HZ), Math.round(0.6 * RATE_HZ));
    expect(Math.max(...quiet.map(Math.abs))).toBeLessThan(0.001);
  });

  it('is the same at its own speed, and where it is too short to be cut', () => {
    const plain = vowel(0.5);
    expect(timeStretch(plain, RATE_HZ, 1)).toBe(plain);
    const short = vowel(0.02);
    expect(timeStretch(short, RATE_HZ, 1.5)).toBe(short);
  });
});
