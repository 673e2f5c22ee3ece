import { bestLag, resampled } from '../../end-to-end/measure.ts';

/** 150 ms at 48 kHz, in which one lag fits: a jitter buffer may move its clock between two of them. */
const WINDOW = 7_200;
const COARSE = 8;
/** 60 ms of buffer to either side, and up to 240 ms later after a stall of the machine. */
const MOVES = 2_880;
const STALL = 11_520;

/** At 3 kHz, the place of the whole source is found to a fraction of `MOVES`. */
const THIN = 16;
const thin = (samples: Float32Array) => resampled({ samples, sampleRateHz: 48_000 }, 48_000 / THIN, 4).samples;

/** How much of `source` is in `heard`: 1 for all of it; each window at its best place, weighted by its energy. */
export function similarity(source: Float32Array, heard: Float32Array): number {
  // As much of the source as there is at the least.
  let lag = THIN * bestLag(thin(source), thin(heard), 0, Math.max(0, heard.length - source.length) / THIN).lag;
  let [sum, weights] = [0, 0];
  for (let at = 0; at + WINDOW <= source.length; at += WINDOW) {
    const window = source.subarray(at, at + WINDOW);
    const near = bestLag(window, heard, lag + at - MOVES, lag + at + STALL, COARSE).lag;
    const best = bestLag(window, heard, near - COARSE, near + COARSE);
    // After a stall all that follows is heard later.
    if (best.correlation > 0.9) lag = best.lag - at;
    const weight = window.reduce((total, sample) => total + sample * sample, 0);
    sum += Math.max(0, best.correlation) * weight;
    weights += weight;
  }
  return weights === 0 ? 0 : sum / weights;
}
