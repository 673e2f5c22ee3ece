/** Half the length of the filter, in zero crossings: enough for more than 80 dB between what is kept and what is not. */
const ZERO_CROSSINGS = 24;
const KAISER_BETA = 9;
const PASSBAND = 0.95;

/**
 * Changes the rate of a whole clip with a windowed-sinc polyphase filter. Its delay is taken out: sample `i` of the
 * result stands for the same moment as before. Rates in Hz, whole numbers.
 */
export function resample(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  if (fromHz === toHz) return samples;
  const { up, down, phases, taps } = filterFor(fromHz, toHz);
  const length = Math.ceil((samples.length * up) / down);
  const result = new Float32Array(length);
  const half = taps / 2;
  for (let i = 0; i < length; i += 1) {
    const position = i * down;
    const phase = phases[position % up] as Float32Array;
    const start = Math.floor(position / up) - half + 1;
    const from = Math.max(0, -start);
    const to = Math.min(taps, samples.length - start);
    let sum = 0;
    for (let tap = from; tap < to; tap += 1) sum += (samples[start + tap] as number) * (phase[tap] as number);
    result[i] = sum;
  }
  return result;
}

interface Filter {
  up: number;
  down: number;
  taps: number;
  /** For each fraction of an input sample, the weights of the `taps` samples around it. */
  phases: Float32Array[];
}

const filters = new Map<string, Filter>();

function filterFor(fromHz: number, toHz: number): Filter {
  const key = `${fromHz}/${toHz}`;
  let filter = filters.get(key);
  if (filter === undefined) {
    filter = makeFilter(fromHz, toHz);
    filters.set(key, filter);
  }
  return filter;
}

function makeFilter(fromHz: number, toHz: number): Filter {
  const divisor = greatestCommonDivisor(fromHz, toHz);
  const up = toHz / divisor;
  const down = fromHz / divisor;
  // As a fraction of the input's rate; below both Nyquist frequencies, with room for the filter's slope.
  const cutoff = Math.min(1, toHz / fromHz) * PASSBAND;
  const half = Math.ceil(ZERO_CROSSINGS / Math.min(1, toHz / fromHz));
  const taps = half * 2;
  const phases = Array.from({ length: up }, (_, phase) => {
    const weights = Float32Array.from({ length: taps }, (__, tap) => {
      const distance = tap - half + 1 - phase / up;
      return cutoff * sinc(distance * cutoff) * kaiser(distance / half);
    });
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  });
  return { up, down, taps, phases };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** The modified Bessel function of order zero, as its power series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
