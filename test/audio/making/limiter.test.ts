import { describe, expect, test } from 'vitest';
import { CEILING, createLimiter } from '../../../src/audio/making/loudness.ts';
import { filtered, peak, rms, snrDb, speechLike, tone } from '../sounds.ts';

const limit = (samples: Float32Array, rateHz: number, gain: number, size?: number) =>
  filtered(createLimiter(rateHz, gain), samples, size);

describe('the limiter', () => {
  test('multiplies samples that are not too loud and changes nothing else, to the sample', () => {
    const said = speechLike(24_000, 0.5).map((sample) => sample / 2);
    for (const gain of [0.25, 1, (0.99 * CEILING) / peak(said)]) {
      expect(limit(said, 24_000, gain)).toEqual(said.map((sample) => Math.fround(sample * gain)));
    }
  });

  test.each([8_000, 24_000, 48_000])('lets no sample above -1 dBFS at %i Hz, whatever comes', (rateHz) => {
    const said = speechLike(rateHz, 1);
    const click = new Float32Array(rateHz);
    click[rateHz / 2] = 1;
    for (const gain of [1.5, 4]) {
      expect(peak(limit(said, rateHz, gain / peak(said)))).toBeLessThanOrEqual(CEILING + 1e-6);
      expect(peak(limit(click, rateHz, gain))).toBeLessThanOrEqual(CEILING + 1e-6);
      expect(peak(limit(tone(100, rateHz, 1, 1), rateHz, gain))).toBeLessThanOrEqual(CEILING + 1e-6);
    }
    expect(peak(limit(new Float32Array(rateHz).fill(1), rateHz, 1))).toBeLessThanOrEqual(CEILING + 1e-6);
  });

  test('gives as many samples as it got, the same however they are cut', () => {
    for (const length of [1, 23, 24, 143, 2_401, 11_999]) {
      const said = speechLike(24_000, length / 24_000).map((sample) => sample * 6);
      const whole = limit(said, 24_000, 1);
      expect(whole).toHaveLength(said.length);
      for (const piece of [1, 23, 480, 2_048]) expect(limit(said, 24_000, 1, piece)).toEqual(whole);
    }
    expect(limit(new Float32Array(0), 24_000, 1)).toHaveLength(0);
  });

  test('takes 6 dB off a tone without distorting it', () => {
    for (const hertz of [90, 200, 1_000]) {
      const loud = tone(hertz, 24_000, 2 * CEILING, 1);
      const limited = limit(loud, 24_000, 1);
      expect(rms(limited, 12_000, 24_000)).toBeGreaterThan((0.93 * CEILING) / Math.SQRT2);
      // Harmonics and side tones together, once it has settled.
      expect(snrDb(loud.subarray(12_000, 22_000), limited.subarray(12_000), 0)).toBeGreaterThan(34);
    }
  });

  test('does not click where it sets in', () => {
    const [quiet, loud] = [tone(300, 24_000, 0.4, 0.2), tone(300, 24_000, 1.8, 0.2)];
    const both = Float32Array.from([...quiet, ...loud]);
    const limited = limit(both, 24_000, 1);
    const factors = [...limited]
      .map((sample, i) => sample / (both[i] || 1))
      .filter((_, i) => Math.abs(both[i] ?? 0) > 0.05);
    const jumps = factors.slice(1).map((factor, i) => Math.abs(factor - (factors[i] ?? 0)));
    expect(Math.max(...jumps)).toBeLessThan(0.03);
  });

  test('comes back to the full gain', () => {
    const samples = new Float32Array(48_000).fill(0.3);
    samples[2_400] = 3;
    const limited = limit(samples, 24_000, 1);
    expect(limited[0]).toBe(samples[0]);
    expect(limited[2_500]).toBeLessThan(0.15);
    expect(limited.at(-1)).toBe(samples[0]);
  });
});
