/** Mono samples in -1..1 with their rate. */
export interface Sound {
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
}

/** Windowed-sinc resampling with so many zero crossings a side: exact, to compare the product with. */
export function resampled(sound: Sound, targetRateHz: number, crossings = 24): Sound {
  if (sound.sampleRateHz === targetRateHz) return sound;
  const { samples, sampleRateHz } = sound;
  const cutoff = Math.min(1, targetRateHz / sampleRateHz);
  const half = Math.ceil(crossings / cutoff);
  // Between two samples the same few places come again and again, by their distance from the first in 1/targetRateHz.
  const kernels = new Map<number, Float64Array>();
  const kernelAt = (distance: number) => {
    const made = kernels.get(distance) ?? kernel(distance / targetRateHz, half, cutoff);
    kernels.set(distance, made);
    return made;
  };
  const out = new Float32Array(Math.floor((samples.length * targetRateHz) / sampleRateHz));
  for (let n = 0; n < out.length; n++) {
    const distance = (n * sampleRateHz) % targetRateHz;
    const first = (n * sampleRateHz - distance) / targetRateHz - half;
    const weights = kernelAt(distance);
    let sum = 0;
    for (let k = Math.max(0, -first); k < Math.min(weights.length, samples.length - first); k++) {
      sum += (samples[first + k] ?? 0) * (weights[k] ?? 0);
    }
    out[n] = sum;
  }
  return { samples: out, sampleRateHz: targetRateHz };
}

/** The weights of the samples from `half` before to `half` behind a place so much after a sample. */
function kernel(fraction: number, half: number, cutoff: number): Float64Array {
  return Float64Array.from({ length: 2 * half + 1 }, (_, k) => {
    const x = fraction + half - k;
    if (Math.abs(x) > half) return 0;
    const sinc = x === 0 ? cutoff : Math.sin(Math.PI * x * cutoff) / (Math.PI * x);
    return sinc * (0.5 + 0.5 * Math.cos((Math.PI * x) / half));
  });
}

function energy(samples: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += (samples[i] ?? 0) ** 2;
  return sum;
}

/** Which 10 ms windows, of `step` samples, are louder than 2 % of the loudest one. Throws when all is silent. */
function audibleWindows({ samples, sampleRateHz }: Sound): { readonly step: number; readonly audible: boolean[] } {
  const step = Math.round(sampleRateHz / 100);
  const windows = Math.floor(samples.length / step);
  const levels = Array.from({ length: windows }, (_, w) => Math.sqrt(energy(samples, w * step, (w + 1) * step) / step));
  const threshold = Math.max(...levels, 0) * 0.02;
  if (threshold < 1e-4) throw new Error('Silence: nothing to measure');
  return { step, audible: levels.map((level) => level > threshold) };
}

/** The parts before and after the middle of the longest silence between two sounds. */
export function splitAtLongestSilence(sound: Sound): [Sound, Sound] {
  const { step, audible } = audibleWindows(sound);
  let longest = { from: 0, windows: 0 };
  let from = audible.indexOf(true);
  for (const [window, isAudible] of audible.entries()) {
    if (!isAudible) continue;
    if (window - from > longest.windows) longest = { from, windows: window - from };
    from = window + 1;
  }
  const middle = Math.round((longest.from + longest.windows / 2) * step);
  const part = (samples: Float32Array): Sound => ({ ...sound, samples });
  return [part(sound.samples.subarray(0, middle)), part(sound.samples.subarray(middle))];
}

/** Where the speech lies in a recording. Both ends are in samples; throws when all is silent. */
export function speechSpan(sound: Sound): { start: number; end: number; seconds: number } {
  const { step, audible } = audibleWindows(sound);
  const first = audible.indexOf(true);
  const last = audible.lastIndexOf(true);
  const start = first * step;
  const end = (last + 1) * step;
  return { start, end, seconds: (end - start) / sound.sampleRateHz };
}

/** Normalized correlation at one lag. */
export function correlationAt(a: Float32Array, b: Float32Array, lag: number): number {
  let ab = 0;
  let aa = 0;
  let bb = 0;
  const from = Math.max(0, -lag);
  const to = Math.min(a.length, b.length - lag);
  for (let i = from; i < to; i++) {
    const x = a[i] ?? 0;
    const y = b[i + lag] ?? 0;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}

/** How far `b` is behind `a`, as `a[i]` fits `b[i + lag]` best, in steps of so many samples. */
export function bestLag(a: Float32Array, b: Float32Array, from: number, to: number, step = 1) {
  let best = { lag: from, correlation: -1 };
  for (let lag = from; lag <= to; lag += step) {
    const correlation = correlationAt(a, b, lag);
    if (correlation > best.correlation) best = { lag, correlation };
  }
  return best;
}

/**
 * Normalized correlation of sent with heard audio at the lag that fits best, searched within
 * `searchMs` of where the two speeches start. 1 is the same wave; Opus at speech bit rates gives above 0.95.
 * The `lagMs` is where the said recording begins in the heard one.
 */
export function alignedCorrelation(said: Sound, heard: Sound, searchMs = 80): { correlation: number; lagMs: number } {
  const coarseRateHz = 8000;
  const saidCoarse = resampled(said, coarseRateHz, 4);
  const heardCoarse = resampled(heard, coarseRateHz, 4);
  const expected = speechSpan(heardCoarse).start - speechSpan(saidCoarse).start;
  const reach = Math.round((searchMs / 1000) * coarseRateHz);
  const coarse = bestLag(saidCoarse.samples, heardCoarse.samples, expected - reach, expected + reach);
  const rateHz = heard.sampleRateHz;
  const saidFine = resampled(said, rateHz);
  const center = Math.round((coarse.lag / coarseRateHz) * rateHz);
  const step = Math.ceil(rateHz / coarseRateHz);
  const fine = bestLag(saidFine.samples, heard.samples, center - 2 * step, center + 2 * step);
  return { correlation: fine.correlation, lagMs: (fine.lag / rateHz) * 1000 };
}
