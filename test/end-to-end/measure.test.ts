import { expect, it } from 'vitest';
import { alignedCorrelation } from './measure.ts';

const sampleRateHz = 48_000;

it('the measure that end-to-end tests judge sound by notices when 60 ms are missing in the middle', () => {
  // A second of a chirp with a syllable-like envelope between silences, so that only one lag fits.
  const samples = new Float32Array(62_400);
  for (let i = 0; i < sampleRateHz; i++) {
    const t = i / sampleRateHz;
    samples[4_800 + i] =
      0.5 * Math.sin(2 * Math.PI * (150 + 400 * t) * t) * (0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * t));
  }
  const cut = new Float32Array([...samples.subarray(0, 24_000), ...samples.subarray(24_000 + 2880)]);
  expect(alignedCorrelation({ samples, sampleRateHz }, { samples: cut, sampleRateHz }).correlation).toBeLessThan(0.9);
});
