import { describe, expect, test } from 'vitest';
import { approximateRatio, createResampler, resample } from '../../src/sound/resample.ts';
import { reference48k, rms, snrDb, speechLike } from '../audio/sounds.ts';
import { rmsDb } from '../speech-service/measure-audio.ts';

function resampleInPieces(samples: Float32Array, from: number, to: number, piece = samples.length): Float32Array {
  const resampler = createResampler(from, to);
  const parts: Float32Array[] = [];
  for (let at = 0; at < samples.length; at += piece) parts.push(resampler.push(samples.subarray(at, at + piece)));
  parts.push(resampler.flush());
  return Float32Array.from(parts.flatMap((part) => [...part]));
}

function tone(hertz: number, rateHz: number, seconds = 0.5): Float32Array {
  return Float32Array.from({ length: rateHz * seconds }, (_, i) => 0.5 * Math.sin((2 * Math.PI * hertz * i) / rateHz));
}

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
    const wanted = to === 48_000 ? reference48k(said, from) : undefined;
    const actual = to === 48_000 ? out : reference48k(out, to);
    expect(snrDb((wanted ?? reference48k(said, from)).subarray(0, actual.length), actual, 0)).toBeGreaterThan(38);
  });

  test('keeps tones in the pass band to within 0.1 dB', () => {
    for (const hertz of [100, 1_000, 5_000, 9_000, 15_000]) {
      const out = resampleInPieces(tone(hertz, 44_100), 44_100, 48_000);
      const level = 20 * Math.log10(rms(out, 4_000, out.length - 4_000) / (0.5 / Math.SQRT2));
      expect(Math.abs(level)).toBeLessThan(0.1);
    }
  });

  test('lets nothing through that would fold back: 70 dB down above half the lower rate', () => {
    for (const hertz of [25_000, 30_000, 40_000]) {
      const out = resampleInPieces(tone(hertz, 96_000), 96_000, 48_000);
      expect(20 * Math.log10(rms(out, 2_000, out.length - 2_000))).toBeLessThan(-70);
    }
  });

  test('sounds the same however the input is cut', () => {
    const said = speechLike(22_050, 0.3);
    const whole = resampleInPieces(said, 22_050, 24_000);
    for (const piece of [1, 7, 441, 1_000]) expect(resampleInPieces(said, 22_050, 24_000, piece)).toEqual(whole);
  });

  test('of nothing is nothing, and of one sample about one sample', () => {
    expect(resampleInPieces(new Float32Array(0), 44_100, 48_000)).toHaveLength(0);
    expect(resampleInPieces(Float32Array.of(0.5), 44_100, 48_000)).toHaveLength(1);
  });

  test('meets odd rates by a fraction of bounded size', () => {
    expect(approximateRatio(160 / 147, 1_024)).toEqual({ up: 160, down: 147 });
    expect(approximateRatio(0.5, 1_024)).toEqual({ up: 1, down: 2 });
    const { up, down } = approximateRatio(48_000 / 44_099, 1_024);
    expect(up).toBeLessThanOrEqual(1_024);
    expect(Math.abs(up / down - 48_000 / 44_099)).toBeLessThan(3e-6);
  });
});

describe('resampling a whole clip', () => {
  const middle = (samples: Float32Array) => samples.subarray(samples.length * 0.1, samples.length * 0.9);

  test.each([
    [100, 24_000],
    [1_000, 24_000],
    [8_000, 24_000],
    [1_000, 44_100],
    [9_000, 44_100],
  ])('%i Hz at %i Hz comes out as it would have been, without delay', (hz, toHz) => {
    const result = resample(tone(hz, 22_050), 22_050, toHz);
    const wanted = tone(hz, toHz);
    expect(Math.abs(result.length - wanted.length)).toBeLessThanOrEqual(1);
    const error = middle(result).map((sample, i) => sample - (middle(wanted)[i] ?? 0));
    expect(rmsDb(error)).toBeLessThan(-70);
  });

  test('nothing that was not there appears above the old band', () => {
    const result = resample(tone(10_000, 22_050), 22_050, 44_100);
    // The image would be at 12 050 Hz: correlate with it.
    const image = tone(12_050, 44_100);
    const product = middle(result).reduce((sum, sample, i) => sum + sample * (middle(image)[i] ?? 0), 0);
    expect(Math.abs(product) / middle(result).length).toBeLessThan(1e-4);
  });
});
