/** The frame length for changing the speed of speech. Shorter frames roughen the voice, and longer frames double consonants. */
const FRAME_MS = 30;
/** How far frames of sped-up speech may move to continue the wave before them: one period of the lowest voice. */
const SEARCH_MS = 10;
/** To change the speed of speech, waves are compared at this sample rate, still far above a voice's pitch. */
const COMPARED_HZ = 6_000;

/** WSOLA (Verhelst and Roelands, ICASSP 1993): each frame starts where it continues the previous frame best. */
export function timeStretch(samples: Float32Array, sampleRateHz: number, speed: number): Float32Array {
  const half = Math.round((FRAME_MS / 2_000) * sampleRateHz);
  const frame = 2 * half;
  if (speed === 1 || samples.length < 2 * frame) return samples;
  const search = Math.round((SEARCH_MS / 1_000) * sampleRateHz);
  const stride = Math.max(1, Math.round(sampleRateHz / COMPARED_HZ));
  const window = Float32Array.from({ length: frame }, (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / frame));
  const sampleAt = (at: number): number => samples[at] ?? 0;

  /** Near `wanted`, finds the wave most like the wave at `natural`, where speech would continue without a seam. */
  function bestStart(natural: number, wanted: number): number {
    let best = wanted;
    let bestLikeness = Number.NEGATIVE_INFINITY;
    for (let start = Math.max(0, wanted - search); start <= wanted + search; start++) {
      let likeness = 0;
      for (let at = 0; at < half; at += stride) likeness += sampleAt(start + at) * sampleAt(natural + at);
      if (likeness > bestLikeness) {
        bestLikeness = likeness;
        best = start;
      }
    }
    return best;
  }

  const stretched = new Float32Array(Math.round(samples.length / speed));
  let from = 0;
  for (let to = 0; to < stretched.length; to += half) {
    const before = from + half;
    if (to > 0) from = bestStart(before, Math.round(to * speed));
    for (let at = 0; at < half && to + at < stretched.length; at++) {
      stretched[to + at] =
        to === 0
          ? sampleAt(at)
          : sampleAt(before + at) * (window[half + at] as number) + sampleAt(from + at) * (window[at] as number);
    }
  }
  return stretched;
}
