/** About two periods of a low voice: shorter frames roughen it, longer ones double its consonants. */
const FRAME_MS = 30;
/** How far a frame may move to continue the wave before it: one period of the lowest voice. */
const SEARCH_MS = 10;
/** Of the samples compared, so many are left out between two: at 24 kHz still far above a voice's pitch. */
const STRIDE = 4;

/**
 * Mono speech made `speed` times as fast at the same pitch (WSOLA: Verhelst and Roelands, ICASSP 1993). Frames are laid over
 * each other by half, each taken from where it continues the one before best. A speed of 1 changes nothing.
 */
export function timeStretch(samples: Float32Array, sampleRateHz: number, speed: number): Float32Array {
  const half = Math.round((FRAME_MS / 2_000) * sampleRateHz);
  const frame = 2 * half;
  if (speed === 1 || samples.length < 2 * frame) return samples;
  const search = Math.round((SEARCH_MS / 1_000) * sampleRateHz);
  const window = Float32Array.from({ length: frame }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / frame));
  const stretched = new Float32Array(Math.round(samples.length / speed));
  // The first half frame has nothing before it to be laid over.
  stretched.set(samples.subarray(0, Math.min(half, stretched.length)));
  let from = 0;
  for (let to = 0; to < stretched.length; to += half) {
    if (to > 0) from = bestStart(samples, from + half, { wanted: Math.round(to * speed), search, half });
    for (let at = to === 0 ? half : 0; at < frame; at++) {
      const index = to + at;
      if (index < stretched.length) {
        stretched[index] = (stretched[index] as number) + (samples[from + at] ?? 0) * (window[at] as number);
      }
    }
  }
  return stretched;
}

/** Near `wanted`, where the wave is most like the one at `natural`, which would go on without a seam. */
function bestStart(
  samples: Float32Array,
  natural: number,
  { wanted, search, half }: { readonly wanted: number; readonly search: number; readonly half: number },
): number {
  let best = wanted;
  let bestLikeness = Number.NEGATIVE_INFINITY;
  for (let start = Math.max(0, wanted - search); start <= wanted + search; start++) {
    let likeness = 0;
    for (let at = 0; at < half; at += STRIDE) likeness += (samples[start + at] ?? 0) * (samples[natural + at] ?? 0);
    if (likeness > bestLikeness) {
      bestLikeness = likeness;
      best = start;
    }
  }
  return best;
}
