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

/** The part between two times, as much of it as there is. */
export function cut({ samples, sampleRateHz }: Sound, fromSeconds: number, toSeconds: number): Sound {
  const from = Math.max(0, Math.round(fromSeconds * sampleRateHz));
  return { samples: samples.subarray(from, Math.round(toSeconds * sampleRateHz)), sampleRateHz };
}

/**
 * Where the speech lies in a recording, by its 10 ms windows that are louder than 2 % of the loudest one. Both ends are
 * in samples; throws when all is silent.
 */
export function speechSpan({ samples, sampleRateHz }: Sound): { start: number; end: number; seconds: number } {
  const step = Math.round(sampleRateHz / 100);
  const windows = Math.floor(samples.length / step);
  const levels = Array.from({ length: windows }, (_, w) => {
    const energy = samples.subarray(w * step, (w + 1) * step).reduce((sum, sample) => sum + sample ** 2, 0);
    return Math.sqrt(energy / step);
  });
  const threshold = Math.max(...levels, 0) * 0.02;
  if (threshold < 1e-4) throw new Error('Silence: nothing to measure');
  const audible = levels.map((level) => level > threshold);
  const start = audible.indexOf(true) * step;
  const end = (audible.lastIndexOf(true) + 1) * step;
  return { start, end, seconds: (end - start) / sampleRateHz };
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
 */
export function alignedCorrelation(said: Sound, heard: Sound, searchMs = 80): { readonly correlation: number } {
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
  return bestLag(saidFine.samples, heard.samples, center - 2 * step, center + 2 * step);
}
