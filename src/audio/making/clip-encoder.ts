import type { Buffer } from 'node:buffer';
import { createResampler, joinSamples } from '../../sound/resample.ts';
import { type OpusLibrary, opusRateFor } from './opus-encoder.ts';

/** Amplifies by `gainDb` and limits peaks to -1 dBFS. The result does not depend on the sizes of the pieces. */
export async function createClipEncoder(opus: OpusLibrary, sourceRateHz: number, gainDb = 0) {
  const rateHz = opusRateFor(sourceRateHz);
  const encoder = await opus.createEncoder(rateHz);
  const resampler = createResampler(sourceRateHz, rateHz);
  const limiter = createLimiter(rateHz, 10 ** (gainDb / 20));
  const frame = new Float32Array(encoder.frameSamples);
  let filled = 0;

  function* cut(samples: Float32Array): Iterable<Buffer> {
    for (let at = 0; at < samples.length; ) {
      const count = Math.min(frame.length - filled, samples.length - at);
      frame.set(samples.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled < frame.length) return;
      filled = 0;
      yield encoder.encode(frame);
    }
  }

  return {
    /** Each next() encodes only one frame, so the caller can pause in between. */
    push: (samples: Float32Array) => cut(limiter.push(resampler.push(samples))),
    /** Silence fills the last frame and pushes out the samples that the encoder still holds. */
    *flush() {
      yield* cut(limiter.push(resampler.flush()));
      yield* cut(limiter.flush());
      yield* cut(new Float32Array(encoder.lookaheadSamples));
      if (filled > 0) yield* cut(new Float32Array(frame.length - filled));
    },
    close: () => encoder.close(),
  };
}

export type ClipEncoder = Awaited<ReturnType<typeof createClipEncoder>>;

/** The maximum value of output samples: -1 dBFS leaves the codec room to overshoot. */
export const CEILING = 10 ** (-1 / 20);
/** The limiter computes its gain once for each hop of 1 ms, and interpolates linearly in between. */
const HOPS_PER_SECOND = 1000;
/**
 * The limiter begins to lower the gain 5 ms before a loud peak: fast enough to be masked by the peak, too slow to
 * click.
 */
const ATTACK_HOPS = 5;
/** The limiter takes back two thirds of a gain reduction in 120 ms, too slowly to distort a voice's waves. */
const RELEASE = 1 / 120;
const NONE_FROM = 0.9999;

function peakOf(samples: Float32Array, from: number, to: number): number {
  let peak = 0;
  for (let i = from; i < to; i++) peak = Math.max(peak, Math.abs(samples[i] as number));
  return peak;
}

function multiply(samples: Float32Array, from: number, to: number, start: number, step: number): void {
  let factor = start;
  for (let i = from; i < to; i++, factor += step) samples[i] = (samples[i] as number) * factor;
}

/** Applies a constant gain, and lowers it around loud peaks. The output has as many samples as the input. */
export function createLimiter(sampleRateHz: number, gain: number) {
  const hop = Math.max(1, Math.round(sampleRateHz / HOPS_PER_SECOND));
  /** Samples that the limiter has not returned yet. */
  let pending = new Float32Array(0);
  /** For each hop (1 ms) not returned yet, the highest gain factor that keeps its samples below the ceiling. */
  let needs: number[] = [];
  let before = 1;
  let boundary = 1;

  /** Returns the limiter's gain factor for a hop of 1 ms. The factor falls linearly toward a loud peak, and recovers slowly after it. */
  function reduction(at: number, previous: number): number {
    let allowed = Math.min(1, previous + (1 - previous) * RELEASE);
    if (allowed > NONE_FROM) allowed = 1;
    for (let ahead = 0; ahead <= ATTACK_HOPS; ahead++) {
      const needed = needs[at + ahead] ?? 1;
      if (needed < 1) allowed = Math.min(allowed, needed + ((1 - needed) * ahead) / (ATTACK_HOPS + 1));
    }
    return allowed;
  }

  function convert(samples: Float32Array, isEnd: boolean): Float32Array {
    const joined = joinSamples(pending, samples);
    const known = needs.length * hop;
    const isFree = boundary === 1 && before === 1 && needs.every((needed) => needed === 1);
    const isLoud = gain * peakOf(joined, known, joined.length) > CEILING;
    for (let at = known; at < joined.length; at += hop) {
      if (at + hop > joined.length && !isEnd) break;
      const peak = isLoud ? gain * peakOf(joined, at, Math.min(at + hop, joined.length)) : 0;
      needs.push(peak > CEILING ? CEILING / peak : 1);
    }
    // A hop's gain depends on the ATTACK_HOPS + 1 hops after it, so the last ATTACK_HOPS + 1 hops are held back.
    const settled = isEnd ? needs.length : Math.max(0, needs.length - ATTACK_HOPS - 1);
    const output = joined.subarray(0, isEnd ? joined.length : settled * hop);
    pending = joined.subarray(output.length);
    // In most cases no sample is too loud, and no gain reduction needs computing.
    if (!isFree || isLoud) reduce(output, settled);
    else if (gain !== 1) multiply(output, 0, output.length, gain, 0);
    needs = needs.slice(settled);
    return output;
  }

  function reduce(samples: Float32Array, hops: number): void {
    let current = reduction(0, before);
    // The audio has no earlier hop (1 ms) in which the limiter's gain could fall, so the gain starts low enough.
    boundary = Math.min(boundary, current);
    for (let at = 0; at < hops; at++) {
      const next = reduction(at + 1, current);
      const end = Math.min(current, next);
      const from = at * hop;
      multiply(samples, from, Math.min(from + hop, samples.length), boundary * gain, ((end - boundary) * gain) / hop);
      boundary = end;
      before = current;
      current = next;
    }
  }

  return {
    /** Returns the samples whose gain is final. */
    push: (samples: Float32Array) => convert(samples, false),
    /** Returns the remaining samples; push() must not be called afterwards. */
    flush: () => convert(new Float32Array(0), true),
  };
}
