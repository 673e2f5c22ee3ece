/** Samples in the resampling filter at the lower of both rates. Frequencies up to 0.42 of that rate pass; those above 0.5 lose 80 dB. */
const TAPS = 64;
/** The shape of a Kaiser window that reduces by 80 dB; https://ccrma.stanford.edu/~jos/sasp/Kaiser_Window.html */
const KAISER_BETA = 7.86;
/** The transition band of the Kaiser window: (80 dB - 8) / (2.285 · 2π · TAPS), as a fraction of the sample rate. */
const TRANSITION = 72 / (2.285 * 2 * Math.PI * TAPS);
/** Maximum phases of the resampling filter. Unusual ratios of sample rates are rounded: exact ones could need tables of megabytes. */
const MAX_PHASES = 1024;

/** Approximates `value` by a fraction with a numerator of up to `limit` (continued fractions). */
export function approximateRatio(value: number, limit: number): { up: number; down: number } {
  let [previousUp, previousDown, up, down] = [0, 1, 1, 0];
  let rest = value;
  for (;;) {
    const whole = Math.floor(rest);
    const nextUp = whole * up + previousUp;
    const nextDown = whole * down + previousDown;
    if (nextUp > limit) return { up, down };
    [previousUp, previousDown, up, down] = [up, down, nextUp, nextDown];
    const fraction = rest - whole;
    if (fraction < 1e-9) return { up, down };
    rest = 1 / fraction;
  }
}

function bessel0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

interface Filter {
  up: number;
  down: number;
  taps: number;
  /** The resampling filter: `up` phases of `taps` coefficients each. The newest sample's coefficient comes last. */
  coefficients: Float32Array;
}

const filters = new Map<string, Filter>();

function filterFor(sourceRateHz: number, targetRateHz: number): Filter {
  const key = `${sourceRateHz}:${targetRateHz}`;
  const known = filters.get(key);
  if (known) return known;
  const { up, down } = approximateRatio(targetRateHz / sourceRateHz, MAX_PHASES);
  // For a lower target rate, the resampling filter is longer in proportion to its narrower pass band.
  const shrink = Math.min(1, up / down);
  const taps = 4 * Math.ceil(TAPS / shrink / 4);
  const cutoff = (0.5 - TRANSITION / 2) * shrink;
  const coefficients = new Float32Array(up * taps);
  const windowScale = bessel0(KAISER_BETA);
  for (let phase = 0; phase < up; phase++) {
    let sum = 0;
    for (let tap = 0; tap < taps; tap++) {
      const x = tap - taps / 2 + 1 - phase / up;
      const position = x / (taps / 2);
      const window = Math.abs(position) >= 1 ? 0 : bessel0(KAISER_BETA * Math.sqrt(1 - position * position));
      const sinc = x === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * x) / (Math.PI * x);
      const value = (sinc * window) / windowScale;
      coefficients[phase * taps + tap] = value;
      sum += value;
    }
    // In every phase, the coefficients of the resampling filter add up to the same: a tone would be audible otherwise.
    const ofPhase = coefficients.subarray(phase * taps, (phase + 1) * taps);
    ofPhase.set(ofPhase.map((value) => value / sum));
  }
  const filter = { up, down, taps, coefficients };
  // The cache of resampling filters is cleared at 16: files with forged headers must not fill the memory.
  if (filters.size >= 16) filters.clear();
  filters.set(key, filter);
  return filter;
}

/** Converts the sample rate of one mono stream. The output starts and ends where the input does. */
export type Resampler = ReturnType<typeof createResampler>;

const EMPTY = new Float32Array(0);

/** A dot product as four parallel sums, which is nearly twice as fast. `count` must be a multiple of four. */
function dotProduct(a: Float32Array, aFrom: number, b: Float32Array, bFrom: number, count: number): number {
  let [sum0, sum1, sum2, sum3] = [0, 0, 0, 0];
  for (let i = aFrom, j = bFrom, end = aFrom + count; i < end; i += 4, j += 4) {
    sum0 += (a[i] as number) * (b[j] as number);
    sum1 += (a[i + 1] as number) * (b[j + 1] as number);
    sum2 += (a[i + 2] as number) * (b[j + 2] as number);
    sum3 += (a[i + 3] as number) * (b[j + 3] as number);
  }
  return sum0 + sum1 + (sum2 + sum3);
}

export function createResampler(sourceRateHz: number, targetRateHz: number) {
  if (sourceRateHz === targetRateHz) return { push: (samples: Float32Array) => samples, flush: () => EMPTY };
  const { up, down, taps, coefficients } = filterFor(sourceRateHz, targetRateHz);
  // The stream's history starts half a filter before the first sample, so that resampling does not delay the audio.
  let history = new Float32Array(taps / 2 - 1);
  let phase = 0;
  let offset = 0;
  let pushed = 0;
  let produced = 0;

  function convert(samples: Float32Array, limit: number): Float32Array {
    const input = joinSamples(history, samples);
    const available = Math.ceil(((input.length - taps - offset + 1) * up - phase) / down);
    const count = Math.max(0, Math.min(available, limit));
    const output = new Float32Array(count);
    for (let n = 0; n < count; n++) {
      output[n] = dotProduct(coefficients, phase * taps, input, offset, taps);
      phase += down;
      offset += Math.floor(phase / up);
      phase %= up;
    }
    const keepFrom = Math.min(offset, input.length);
    history = input.slice(keepFrom);
    offset -= keepFrom;
    produced += count;
    return output;
  }

  return {
    push(samples: Float32Array): Float32Array {
      pushed += samples.length;
      return convert(samples, Number.POSITIVE_INFINITY);
    },
    /** Returns the remaining resampled audio; push() must not be called afterwards. */
    flush() {
      const wanted = Math.round((pushed * targetRateHz) / sourceRateHz);
      return convert(new Float32Array(taps), Math.max(0, wanted - produced));
    },
  };
}

export function resample(samples: Float32Array, sourceRateHz: number, targetRateHz: number): Float32Array {
  const resampler = createResampler(sourceRateHz, targetRateHz);
  return joinSamples(resampler.push(samples), resampler.flush());
}

export function joinSamples(...parts: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const joined = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
