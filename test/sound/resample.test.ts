import { describe, expect, test } from 'vitest';
import { approximateRatio, createResampler } from '../../src/sound/resample.ts';
import { filtered, reference48k, rms, snrDb, speechLike, tone } from '../audio/sounds.ts';

const resampleInPieces = (samples: Float32Array, from: number, to: number, size?: number) =>
  filtered(createResampler(from, to), samples, size);

describe('resampling', () => {
  test.each([
    [22_050, 24_000],
    [11_025, 12_000],
    [32_000, 48_000],
    [44_100, 48_000],
    [96_000, 48_000],
    [44_099, 48_000],
  ])('%i to %i Hz keeps length, place and wave', (from, to) => {
    const said = speechLike(from, 0.5);
    const out = resampleInPieces(said, from, to);
    expect(Math.abs(out.length - (said.length * to) / from)).toBeLessThanOrEqual(1);
    const actual = reference48k(out, to);
    expect(snrDb(reference48k(said, from).subarray(0, actual.length), actual, 0)).toBeGreaterThan(38);
  });

  test('keeps tones in the pass band to within 0.1 dB', () => {
    for (const hertz of [100, 1_000, 5_000, 9_000, 15_000]) {
      const out = resampleInPieces(tone(hertz, 44_100, 0.5, 0.5), 44_100, 48_000);
      const level = 20 * Math.log10(rms(out, 4_000, out.length - 4_000) / (0.5 / Math.SQRT2));
      expect(Math.abs(level)).toBeLessThan(0.1);
    }
  });

  test('passes a constant unchanged in every phase of its filter, whose rate would be heard as a tone', () => {
    const out = resampleInPieces(new Float32Array(4_410).fill(0.5), 44_100, 48_000);
    const inner = out.subarray(100, -100);
    expect(Math.max(...inner) - Math.min(...inner)).toBeLessThan(1e-6);
  });

  test('lets nothing through that would fold back: 70 dB down above half the lower rate', () => {
    for (const hertz of [25_000, 30_000, 40_000]) {
      const out = resampleInPieces(tone(hertz, 96_000, 0.5, 0.5), 96_000, 48_000);
      expect(20 * Math.log10(rms(out, 2_000, out.length - 2_000))).toBeLessThan(-70);
    }
  });

  test('sounds the same however the input is cut', () => {
    const said = speechLike(22_050, 0.3);
    const whole = resampleInPieces(said, 22_050, 24_000);
    for (const piece of [1, 7, 441, 1_000]) expect(resampleInPieces(said, 22_050, 24_000, piece)).toEqual(whole);
  });

  test('meets odd rates by a fraction of bounded size', () => {
    expect(approximateRatio(160 / 147, 1_024)).toEqual({ up: 160, down: 147 });
    expect(approximateRatio(0.5, 1_024)).toEqual({ up: 1, down: 2 });
    const { up, down } = approximateRatio(48_000 / 44_099, 1_024);
    expect(up).toBeLessThanOrEqual(1_024);
    expect(Math.abs(up / down - 48_000 / 44_099)).toBeLessThan(3e-6);
  });
});
