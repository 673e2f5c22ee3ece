import type { Heard } from '../../src/playground/voice/listening/hearing.ts';
import { loadEncoders } from '../../src/speech-service/synthesis/encode.ts';
import type { SpeechEngine } from '../../src/speech-service/synthesis/engine.ts';

/** Texts are spoken as a row of tones, a tone per step: each 20 ms of audio tells the text and its part. */
const STEP_MS = 200;
const WINDOW_MS = 20;
const WINDOWS_A_STEP = STEP_MS / WINDOW_MS;
const TONE_GAP_HZ = 100;
const SENT_AT_HZ = 24_000;
const HEARD_AT_HZ = 48_000;
/** The sample rate of the analysis: three samples are averaged into one. */
const ANALYSED_AT_HZ = 16_000;
const WINDOW_SAMPLES = (ANALYSED_AT_HZ * WINDOW_MS) / 1_000;

/** The two texts of a cell, which share no tone. */
export const TEXTS = {
  Alpha: { firstHz: 400, maxSteps: 40 },
  Bravo: { firstHz: 4_500, maxSteps: 25 },
} as const;

export type TextName = keyof typeof TEXTS;

/** A text that takes `seconds` to speak. `number` makes it unique. */
export function toneText(name: TextName, seconds: number, number: number): string {
  const steps = stepsOf(seconds);
  if (steps > TEXTS[name].maxSteps) throw new RangeError(`${name} has ${TEXTS[name].maxSteps} tones, not ${steps}`);
  return `${name} of ${steps} tones, text ${number}.`;
}

const toneOf = ({ firstHz }: { readonly firstHz: number }, step: number) => firstHz + step * TONE_GAP_HZ;

/** Speaks a `toneText` as its tones, and any other text as two tones. */
export async function createToneEngine(): Promise<SpeechEngine> {
  const encode = await loadEncoders();
  return {
    name: 'tones',
    languages: undefined,
    problem: undefined,
    async synthesize({ text, format, sampleRateHz }) {
      const [, name = 'Bravo', steps = '2'] = /(Alpha|Bravo) of (\d+) tones/.exec(text) ?? [];
      const stepSamples = (SENT_AT_HZ * STEP_MS) / 1_000;
      const samples = new Float32Array(stepSamples * Number(steps));
      for (let at = 0; at < samples.length; at += 1) {
        const hz = toneOf(TEXTS[name as TextName], Math.floor(at / stepSamples));
        samples[at] = 0.3 * Math.sin((2 * Math.PI * hz * at) / SENT_AT_HZ);
      }
      return { bytes: encode(samples, sampleRateHz, format), format };
    },
    close: () => Promise.resolve(),
  };
}

export interface HeardText {
  /** The share of the text that was heard, 0 to 1. */
  readonly share: number;
  /** The seconds that were heard more than once. */
  readonly againSeconds: number;
  /** How many times the end of the text was heard. */
  readonly endings: number;
}

const ALL_TONES = Object.entries(TEXTS).flatMap(([name, text]) =>
  Array.from({ length: text.maxSteps }, (_, step) => ({ name: name as TextName, step, hz: toneOf(text, step) })),
);
const HANN = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / WINDOW_SAMPLES),
);

/** The number of windows in a recording, for each step of each text. */
export type Counts = Readonly<Record<TextName, number[]>>;

export function countTones({ pcm }: Pick<Heard, 'pcm'>): Counts {
  const counts: Counts = { Alpha: new Array(40).fill(0), Bravo: new Array(25).fill(0) };
  const together = HEARD_AT_HZ / ANALYSED_AT_HZ;
  const windows = Math.floor(pcm.length / (WINDOW_SAMPLES * together));
  const samples = new Float64Array(WINDOW_SAMPLES);
  for (let window = 0; window < windows; window += 1) {
    let energy = 0;
    for (let at = 0; at < WINDOW_SAMPLES; at += 1) {
      const from = (window * WINDOW_SAMPLES + at) * together;
      const mean = ((pcm[from] ?? 0) + (pcm[from + 1] ?? 0) + (pcm[from + 2] ?? 0)) / together;
      samples[at] = mean * (HANN[at] ?? 0);
      energy += (samples[at] ?? 0) ** 2;
    }
    if (energy < 1e-4) continue;
    const tone = loudest(samples, energy);
    if (tone) counts[tone.name][tone.step] = (counts[tone.name][tone.step] ?? 0) + 1;
  }
  return counts;
}

function loudest(samples: Float64Array, energy: number): (typeof ALL_TONES)[number] | undefined {
  let best: (typeof ALL_TONES)[number] | undefined;
  // A pure tone in a Hann window has a third of `energy * WINDOW_SAMPLES`; the louder of two tones in a window has a
  // twelfth.
  let most = (energy * WINDOW_SAMPLES) / 16;
  for (const tone of ALL_TONES) {
    const power = goertzel(samples, tone.hz);
    if (power <= most) continue;
    most = power;
    best = tone;
  }
  return best;
}

function goertzel(samples: Float64Array, hz: number): number {
  const turn = 2 * Math.cos((2 * Math.PI * hz) / ANALYSED_AT_HZ);
  let [one, two] = [0, 0];
  for (const sample of samples) {
    const next = sample + turn * one - two;
    two = one;
    one = next;
  }
  return one * one + two * two - turn * one * two;
}

/** `steps` is the number of tones of the complete text. */
export function judgeText(counts: readonly number[], steps: number): HeardText {
  const own = counts.slice(0, steps);
  const heard = own.reduce((sum, count) => sum + Math.min(count, WINDOWS_A_STEP), 0);
  const again = own.reduce((sum, count) => sum + Math.max(0, count - WINDOWS_A_STEP - 1), 0);
  return {
    // Windows across two tones count for one of them.
    share: Math.min(1, heard / (steps * WINDOWS_A_STEP)),
    againSeconds: (again * WINDOW_MS) / 1_000,
    endings: Math.round((own.at(-1) ?? 0) / WINDOWS_A_STEP),
  };
}

export const stepsOf = (seconds: number): number => Math.round((seconds * 1_000) / STEP_MS);
