import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { joinSamples } from '../../sound/resample.ts';
import type { Pcm, PcmStream } from './decoding/ffmpeg-decoder.ts';

/** The loudness of speech without pauses, by ITU-R BS.1770-5; https://www.itu.int/rec/R-REC-BS.1770 */
export interface Loudness {
  readonly lufs: number;
  /** How many seconds of the audio were loud enough to count as speech. */
  readonly seconds: number;
}

/** BS.1770 measures blocks of 400 ms that overlap by 300 ms, so energy is summed in steps of 100 ms. */
const STEP_MS = 100;
const STEPS_IN_BLOCK = 4;
const ABSOLUTE_GATE_LUFS = -70;
/** By BS.1770, blocks of audio that are 10 LU or more below the average are pauses and do not count. */
const RELATIVE_GATE_LU = -10;
const OFFSET_LU = -0.691;

const toLufs = (energy: number) => OFFSET_LU + 10 * Math.log10(energy);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * The two filters of BS.1770, which states coefficients for 48 kHz only. The formula of libebur128 gives them for any sample rate
 * (`ebur128_init_filter`, https://github.com/jiixyj/libebur128). At 48 kHz, its results agree with BS.1770 to 1e-12.
 */
function weighting(sampleRateHz: number) {
  const design = (hertz: number, q: number, numerator: (k: number) => [number, number, number]) => {
    const k = Math.tan((Math.PI * hertz) / sampleRateHz);
    const a0 = 1 + k / q + k * k;
    const [b0, b1, b2] = numerator(k);
    return { b0: b0 / a0, b1: b1 / a0, b2: b2 / a0, a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 };
  };
  const shelfQ = 0.707175236955;
  const high = 10 ** (3.999843853973 / 20);
  const band = high ** 0.499666774155;
  const shelf = design(1_681.974450956, shelfQ, (k) => [
    high + (band * k) / shelfQ + k * k,
    2 * (k * k - high),
    high - (band * k) / shelfQ + k * k,
  ]);
  const highPass = { ...design(38.135470876, 0.500327037324, () => [1, -2, 1]), b0: 1, b1: -2, b2: 1 };
  return { shelf, highPass };
}

export function createLoudnessMeter(sampleRateHz: number) {
  const { shelf, highPass } = weighting(sampleRateHz);
  const stepSamples = Math.round((sampleRateHz * STEP_MS) / 1000);
  const steps: number[] = [];
  let sum = 0;
  let left = stepSamples;
  let [shelf1, shelf2, pass1, pass2] = [0, 0, 0, 0];

  return {
    push(samples: Float32Array): void {
      // With the state of the filters in local variables, the loop takes a fifth of the time.
      let [s1, s2, p1, p2, energy] = [shelf1, shelf2, pass1, pass2, sum];
      const { b0, b1, b2, a1, a2 } = shelf;
      const { a1: c1, a2: c2 } = highPass;
      for (let i = 0; i < samples.length; i++) {
        const x = samples[i] as number;
        const y = b0 * x + s1;
        s1 = b1 * x - a1 * y + s2;
        s2 = b2 * x - a2 * y;
        const z = y + p1;
        p1 = p2 - 2 * y - c1 * z;
        p2 = y - c2 * z;
        energy += z * z;
        left -= 1;
        if (left > 0) continue;
        steps.push(energy / stepSamples);
        energy = 0;
        left = stepSamples;
      }
      [shelf1, shelf2, pass1, pass2, sum] = [s1, s2, p1, p2, energy];
    },
    /** The loudness of all samples so far; undefined if no block of 400 ms was audible. */
    loudness(): Loudness | undefined {
      const blocks = steps.slice(STEPS_IN_BLOCK - 1).map((_, at) => mean(steps.slice(at, at + STEPS_IN_BLOCK)));
      const loud = blocks.filter((energy) => toLufs(energy) > ABSOLUTE_GATE_LUFS);
      if (loud.length === 0) return undefined;
      const gate = mean(loud) * 10 ** (RELATIVE_GATE_LU / 10);
      const speech = loud.filter((energy) => energy > gate);
      return { lufs: toLufs(mean(speech)), seconds: (speech.length * STEP_MS) / 1000 };
    },
  };
}

export type LoudnessMeter = ReturnType<typeof createLoudnessMeter>;

/**
 * The target loudness of voices in mono, between two assistants. Google's speaks at -19 LUFS
 * (https://developers.google.com/assistant/tools/audio-loudness). Alexa speaks at -14 with two equal channels, which is
 * -17 in mono (https://developer.amazon.com/docs/flashbriefing/normalizing-the-loudness-of-audio-content.html).
 */
export const TARGET_LUFS = -18;
/** The maximum gain of a voice: voices do not differ more than this, and more gain would also amplify noise. */
export const MAX_GAIN_DB = 12;
/** The minimum of speech for judging how loud a voice is: a short cry or whisper says little. */
const ENOUGH_SECONDS = 1;
/** In a voice's average loudness, earlier speech weighs at most as much as a minute, so that new speech still changes the average. */
const MEMORY_SECONDS = 60;
/** A voice's gain changes only by 1 dB or more, so that its new and cached clips seldom differ. */
const STEP_DB = 1;
/** The maximum of remembered voices, far more than any service has. The least recently used voices are dropped. */
const MAX_VOICES = 1000;

/** Learns how much each voice must be amplified, so that all voices are equally loud. */
export function createVoiceGains() {
  const voices = new LRUCache<string, Loudness & { readonly gainDb: number }>({ max: MAX_VOICES });

  return {
    get: (voiceKey: string) => voices.peek(voiceKey)?.gainDb ?? 0,
    /** True if at least a second of the voice's speech was measured. With less, the gain of the voice stays 0 dB. */
    knows: (voiceKey: string) => (voices.peek(voiceKey)?.seconds ?? 0) >= ENOUGH_SECONDS,
    learn(voiceKey: string, { lufs, seconds }: Loudness): void {
      const before = voices.peek(voiceKey) ?? { lufs: 0, seconds: 0, gainDb: 0 };
      const total = before.seconds + seconds;
      const average = (before.lufs * before.seconds + lufs * seconds) / total;
      const needed = Math.max(-MAX_GAIN_DB, Math.min(MAX_GAIN_DB, TARGET_LUFS - average));
      const wanted = total < ENOUGH_SECONDS ? 0 : needed;
      voices.set(voiceKey, {
        lufs: average,
        seconds: Math.min(total, MEMORY_SECONDS),
        gainDb: Math.abs(wanted - before.gainDb) < STEP_DB ? before.gainDb : wanted,
      });
    },
  };
}

/** The gain of a new voice is chosen by the loudness of its first 1.5 seconds of audio, including pauses. */
const HEARD_SECONDS = 1.5;
/** How long audio waits to be measured: enough for a complete file. Audio that is still being synthesized must not wait longer. */
const WAIT_MS = 60;

/** Before passing audio on, tells `onHeard` the loudness of the beginning, unless too little audio comes in time. */
export async function* hearFirst(pcm: PcmStream, onHeard: (loudness: Loudness) => void): PcmStream {
  const source = pcm[Symbol.asyncIterator]();
  const timer = new AbortController();
  const held: Pcm[] = [];
  let meter: LoudnessMeter | undefined;
  let seconds = 0;
  let next = source.next();
  // An error is passed on after all earlier audio. Unhandled until then, it would end the process.
  let arrival = next.catch(() => undefined);
  const late = sleep(WAIT_MS, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    while (seconds < HEARD_SECONDS) {
      const arrived = await Promise.race([arrival, late]);
      if (!arrived || arrived.done) break;
      const { samples, sampleRateHz } = arrived.value;
      held.push(arrived.value);
      meter ??= createLoudnessMeter(sampleRateHz);
      meter.push(samples);
      seconds += samples.length / sampleRateHz;
      next = source.next();
      arrival = next.catch(() => undefined);
    }
    const loudness = meter?.loudness();
    if (loudness) onHeard(loudness);
    yield* held;
    for (let piece = await next; !piece.done; piece = await source.next()) yield piece.value;
  } finally {
    timer.abort();
    // Closing is not awaited, because the source may take until its own deadline.
    source.return?.(undefined).catch(() => undefined);
  }
}

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
