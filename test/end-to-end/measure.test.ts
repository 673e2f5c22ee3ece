import { describe, expect, it } from 'vitest';
import { alignedCorrelation, type Sound, speechSpan } from './measure.ts';

/** A chirp with a syllable-like envelope between silences, so that only one lag fits. */
function chirp(sampleRateHz: number, beforeMs: number, seconds = 1): Sound {
  const before = Math.round((beforeMs / 1000) * sampleRateHz);
  const length = Math.round(seconds * sampleRateHz);
  const samples = new Float32Array(before + length + Math.round(sampleRateHz * 0.2));
  for (let i = 0; i < length; i++) {
    const t = i / sampleRateHz;
    samples[before + i] =
      0.5 * Math.sin(2 * Math.PI * (150 + 400 * t) * t) * (0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * t));
  }
  return { samples, sampleRateHz };
}

describe('the measure that end-to-end tests judge sound by', () => {
  it('finds the same sound at another rate and another time, to a fraction of a millisecond', () => {
    const { correlation, lagMs } = alignedCorrelation(chirp(24_000, 50), chirp(48_000, 290));
    expect(correlation).toBeGreaterThan(0.999);
    expect(lagMs).toBeCloseTo(240, 0);
  });

  it('notices when 60 ms are missing in the middle', () => {
    const whole = chirp(48_000, 100);
    const cut = new Float32Array([...whole.samples.subarray(0, 24_000), ...whole.samples.subarray(24_000 + 2880)]);
    expect(alignedCorrelation(whole, { samples: cut, sampleRateHz: 48_000 }).correlation).toBeLessThan(0.9);
  });

  it('measures how long speech lasts without the silence round it', () => {
    expect(speechSpan(chirp(24_000, 300, 1.2)).seconds).toBeCloseTo(1.2, 1);
    expect(() => speechSpan({ samples: new Float32Array(48_000), sampleRateHz: 48_000 })).toThrow('Silence');
  });
});
