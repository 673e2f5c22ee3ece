import { joinSamples } from './resample.ts';

/** About two periods of a low voice: shorter frames roughen it, longer ones double its consonants. */
const FRAME_MS = 30;
/** How far a frame may move to continue the wave before it: one period of the lowest voice. */
const SEARCH_MS = 10;
/** The samples compared are so many a second: still far above a voice's pitch. */
const COMPARED_HZ = 6_000;

/**
 * Mono speech made `speed` times as fast at the same pitch (WSOLA: Verhelst and Roelands, ICASSP 1993). Frames are laid over
 * each other by half, each taken from where it continues the one before best. A speed of 1 changes nothing.
 */
export function timeStretch(samples: Float32Array, sampleRateHz: number, speed: number): Float32Array {
  const shortest = 2 * 2 * Math.round((FRAME_MS / 2_000) * sampleRateHz);
  if (speed === 1 || samples.length < shortest) return samples;
  const stretcher = createTimeStretcher(sampleRateHz, speed);
  return joinSamples(stretcher.push(samples), stretcher.flush());
}

/** The same for speech that arrives piece by piece; it delays by less than 50 ms. */
export function createTimeStretcher(sampleRateHz: number, speed: number) {
  const half = Math.round((FRAME_MS / 2_000) * sampleRateHz);
  const frame = 2 * half;
  const search = Math.round((SEARCH_MS / 1_000) * sampleRateHz);
  const stride = Math.max(1, Math.round(sampleRateHz / COMPARED_HZ));
  const window = Float32Array.from({ length: frame }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / frame));
  /** The end of the input, as far as it may still be needed; `base` is the number of its first sample. */
  let input = new Float32Array();
  let base = 0;
  /** The number of the sample with which the last frame begins. */
  let from = 0;
  let frames = 0;
  let sent = 0;
  /** What the last frame left to be laid under the next one. */
  let tail: Float32Array | undefined;

  const received = () => base + input.length;
  const sampleAt = (at: number): number => input[at - base] ?? 0;
  const wantedStart = () => Math.round(frames * half * speed);

  function nextHalf(): Float32Array {
    if (tail) from = bestStart(from + half, wantedStart());
    const made = Float32Array.from({ length: half }, (_, at) =>
      tail ? (tail[at] as number) + sampleAt(from + at) * (window[at] as number) : sampleAt(from + at),
    );
    tail = Float32Array.from({ length: half }, (_, at) => sampleAt(from + half + at) * (window[half + at] as number));
    frames += 1;
    return made;
  }

  /** Near `wanted`, where the wave is most like the one at `natural`, which would go on without a seam. */
  function bestStart(natural: number, wanted: number): number {
    let best = wanted;
    let bestLikeness = Number.NEGATIVE_INFINITY;
    for (let start = Math.max(0, wanted - search); start <= wanted + search; start++) {
      let likeness = 0;
      for (let at = 0; at < half; at += stride) {
        likeness += (input[start + at - base] ?? 0) * (input[natural + at - base] ?? 0);
      }
      if (likeness > bestLikeness) {
        bestLikeness = likeness;
        best = start;
      }
    }
    return best;
  }

  /** Halves of frames while there are any, not more than `most` samples of them in all. */
  function take(isReady: () => boolean, most: number): Float32Array {
    const halves: Float32Array[] = [];
    while (isReady() && sent < most) {
      const made = nextHalf().subarray(0, most - sent);
      halves.push(made);
      sent += made.length;
    }
    const needed = Math.min(from + half, wantedStart() - search);
    if (needed > base) {
      input = input.slice(needed - base);
      base = needed;
    }
    return joinSamples(...halves);
  }

  return {
    push(samples: Float32Array): Float32Array {
      input = joinSamples(input, samples);
      return take(() => received() >= Math.max(wantedStart() + search, from + half) + frame, Number.POSITIVE_INFINITY);
    },
    /** The rest. */
    flush: (): Float32Array => take(() => true, Math.round(received() / speed)),
  };
}
