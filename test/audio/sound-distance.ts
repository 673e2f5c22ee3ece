/** How far what was heard is from what was said, by measures that an encoder's authors use. 48 kHz, mono. */
export interface SoundDistance {
  /** Signal to noise over all of it, in dB. */
  snrDb: number;
  /** The same within 20 ms, averaged: soft passages count like loud ones. */
  segmentalSnrDb: number;
  /** Difference of the levels in critical bands, in dB: what the ear sees of a spectrum. */
  spectralDb: number;
  /** The noisiest millisecond, against the loudest passage: a click stands out here. */
  worstNoiseDb: number;
}

const RATE_HZ = 48_000;
const FRAME = 1024;
const HOP = 480;
/** Bands more than 60 dB below the frame are not heard. */
const FLOOR = 1e-6;
const WINDOW = Float64Array.from({ length: FRAME }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / FRAME));
/** Zwicker's approximation of the Bark scale. */
const BAND_OF = Array.from({ length: FRAME / 2 }, (_, bin) => {
  const hertz = (bin * RATE_HZ) / FRAME;
  return Math.floor(13 * Math.atan(0.00076 * hertz) + 3.5 * Math.atan((hertz / 7_500) ** 2));
});
const BANDS = 21;

const db = (ratio: number) => 10 * Math.log10(ratio);

function energy(samples: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += (samples[i] ?? 0) ** 2;
  return sum / (to - from);
}

/** In place, real and imaginary parts apart. */
function fft(re: Float64Array, im: Float64Array): void {
  for (let i = 1, j = 0; i < FRAME; i++) {
    let bit = FRAME >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    [re[i], re[j]] = [re[j] as number, re[i] as number];
    [im[i], im[j]] = [im[j] as number, im[i] as number];
  }
  for (let size = 2; size <= FRAME; size <<= 1) {
    for (let k = 0; k < size / 2; k++) {
      const [cos, sin] = [Math.cos((-2 * Math.PI * k) / size), Math.sin((-2 * Math.PI * k) / size)];
      for (let a = k; a < FRAME; a += size) {
        const b = a + size / 2;
        const [x, y] = [re[b] as number, im[b] as number];
        const [tx, ty] = [x * cos - y * sin, x * sin + y * cos];
        re[b] = (re[a] as number) - tx;
        im[b] = (im[a] as number) - ty;
        re[a] = (re[a] as number) + tx;
        im[a] = (im[a] as number) + ty;
      }
    }
  }
}

function bandLevels(samples: Float32Array, at: number): number[] {
  const re = WINDOW.map((weight, i) => weight * (samples[at + i] ?? 0));
  const im = new Float64Array(FRAME);
  fft(re, im);
  const bands = new Array<number>(BANDS).fill(0);
  for (let bin = 1; bin < FRAME / 2; bin++) {
    const band = BAND_OF[bin] as number;
    if (band < BANDS) bands[band] = (bands[band] ?? 0) + (re[bin] ?? 0) ** 2 + (im[bin] ?? 0) ** 2;
  }
  return bands;
}

function bandDistanceDb(wanted: readonly number[], actual: readonly number[]): number {
  const total = wanted.reduce((sum, level) => sum + level, 0);
  const heard = wanted.flatMap((level, band) =>
    level > FLOOR * total ? [db((level + FLOOR * total) / ((actual[band] ?? 0) + FLOOR * total)) ** 2] : [],
  );
  return Math.sqrt(heard.reduce((sum, square) => sum + square, 0) / Math.max(1, heard.length));
}

/** `actual` is taken from `delay` samples on, and scaled to fit: a constant gain is no difference. */
export function soundDistance(wanted: Float32Array, actual: Float32Array, delay: number): SoundDistance {
  let cross = 0;
  let own = 0;
  for (let i = 0; i < wanted.length; i++) {
    const sample = actual[i + delay] ?? 0;
    cross += (wanted[i] as number) * sample;
    own += sample * sample;
  }
  const gain = own === 0 ? 0 : cross / own;
  const fitted = wanted.map((_, i) => gain * (actual[i + delay] ?? 0));
  const noise = wanted.map((sample, i) => sample - (fitted[i] as number));
  const level = energy(wanted, 0, wanted.length);

  const segments: number[] = [];
  const spectra: number[] = [];
  let loudest = 0;
  for (let at = 0; at + FRAME <= wanted.length; at += HOP) {
    const own20ms = energy(wanted, at, at + 960);
    loudest = Math.max(loudest, own20ms);
    if (own20ms < 1e-4 * level) continue;
    segments.push(Math.max(-10, Math.min(40, db(own20ms / energy(noise, at, at + 960)))));
    spectra.push(bandDistanceDb(bandLevels(wanted, at), bandLevels(fitted, at)));
  }
  let worst = 0;
  for (let at = 0; at + 48 <= noise.length; at += 24) worst = Math.max(worst, energy(noise, at, at + 48));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    snrDb: db(level / energy(noise, 0, noise.length)),
    segmentalSnrDb: mean(segments),
    spectralDb: mean(spectra),
    worstNoiseDb: db(worst / loudest),
  };
}
