import { describe, expect, test } from 'vitest';
import { createLoudnessMeter, type Loudness } from '../../../src/audio/making/loudness-meter.ts';
import { speechLike } from '../sounds.ts';

function measure(samples: Float32Array, sampleRateHz: number, piece = samples.length): Loudness | undefined {
  const meter = createLoudnessMeter(sampleRateHz);
  for (let at = 0; at < samples.length; at += piece) meter.push(samples.subarray(at, at + piece));
  return meter.loudness();
}

function tone(hertz: number, sampleRateHz: number, level: number, seconds: number): Float32Array {
  return Float32Array.from(
    { length: sampleRateHz * seconds },
    (_, i) => level * Math.sin((2 * Math.PI * hertz * i) / sampleRateHz),
  );
}

/** Response at 48 kHz of the two filters as BS.1770 prints them. */
function standardWeightDb(hertz: number): number {
  const filters = [
    { b: [1.53512485958697, -2.69169618940638, 1.19839281085285], a: [1, -1.69065929318241, 0.73248077421585] },
    { b: [1, -2, 1], a: [1, -1.99004745483398, 0.99007225036621] },
  ];
  const w = (2 * Math.PI * hertz) / 48_000;
  const power = (c: number[]) =>
    c.reduce((sum, value, n) => sum + value * Math.cos(n * w), 0) ** 2 +
    c.reduce((sum, value, n) => sum + value * Math.sin(n * w), 0) ** 2;
  return filters.reduce((sum, { b, a }) => sum + 10 * Math.log10(power(b) / power(a)), 0);
}

describe('loudness', () => {
  test.each([8_000, 16_000, 22_050, 24_000, 44_100, 48_000])(
    'of a full tone of 997 Hz is -3.01 LUFS at %i Hz, as the standard says',
    (rateHz) => {
      const { lufs, seconds } = measure(tone(997, rateHz, 1, 3), rateHz) ?? { lufs: 0, seconds: 0 };
      expect(lufs).toBeCloseTo(-3.01, 1);
      expect(seconds).toBeGreaterThan(2.5);
    },
  );

  test.each([40, 100, 500, 2_000, 8_000])('weighs %i Hz as the standard’s table of coefficients does', (hertz) => {
    const { lufs } = measure(tone(hertz, 48_000, 0.5, 4), 48_000) ?? { lufs: 0 };
    expect(lufs).toBeCloseTo(20 * Math.log10(0.5) - 3.01 - 0.691 + standardWeightDb(hertz), 1);
  });

  test('leaves pauses out, however long', () => {
    const said = speechLike(24_000, 3);
    const paused = new Float32Array(24_000 * 12);
    paused.set(said, 24_000 * 2);
    // A pause is never quite silent.
    for (const [i, sample] of paused.entries()) paused[i] = sample + (i % 2 === 0 ? 1e-4 : -1e-4);
    const [alone, among] = [measure(said, 24_000), measure(paused, 24_000)];
    expect(Math.abs((alone?.lufs ?? 0) - (among?.lufs ?? 0))).toBeLessThan(0.6);
    expect(among?.seconds).toBeLessThan(4);
  });

  test('is the same however the sound is cut', () => {
    const said = speechLike(24_000, 1);
    const whole = measure(said, 24_000);
    for (const piece of [1, 7, 480, 2_048]) expect(measure(said, 24_000, piece)).toEqual(whole);
  });

  test('of silence, of nothing and of a blink is unknown', () => {
    expect(measure(new Float32Array(48_000), 24_000)).toBeUndefined();
    expect(measure(new Float32Array(0), 24_000)).toBeUndefined();
    expect(measure(speechLike(24_000, 0.3), 24_000)).toBeUndefined();
  });
});
