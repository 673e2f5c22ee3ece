import { createHash } from 'node:crypto';
import { readsKanji } from '../../src/speech-service/synthesis/embedded/japanese.ts';
import { espeakLanguages } from '../../src/speech-service/synthesis/embedded/language.ts';
import { loadEncoders } from '../../src/speech-service/synthesis/encode.ts';
import type { SpeechEngine, SynthesisJob } from '../../src/speech-service/synthesis/engine.ts';

/** As fast as a person speaks. */
const SECONDS_A_LETTER = 0.06;
const SENTENCE_GAP_SECONDS = 0.25;
const FADE_SECONDS = 0.005;

/**
 * Speaks in tones, at once and in this thread: a word is two of them, which the word, its language, the voice and the manner
 * decide. As long as speech, with its pauses, and no two texts alike.
 */
export async function createToneEngine(): Promise<SpeechEngine> {
  const encode = await loadEncoders();
  return {
    name: 'tones',
    languages: espeakLanguages(readsKanji()),
    problem: undefined,
    async synthesize(job) {
      return { bytes: encode(tones(job), job.sampleRateHz, job.format), format: job.format };
    },
    close: () => Promise.resolve(),
  };
}

function tones({ text, sampleRateHz, speed, ...manner }: SynthesisJob): Float32Array {
  // Without a language, a voice of this service speaks English.
  const { language = 'en', voiceName, style, seed, temperature } = manner;
  const words = text.match(/\S+/gu) ?? [];
  const parts = words.map((word) => {
    const said = JSON.stringify([word, language, voiceName, style, seed, temperature]);
    const sum = createHash('sha256').update(said).digest();
    const isLast = /[.!?。！？…]$/u.test(word);
    const length = ([...word].length * SECONDS_A_LETTER) / speed;
    return {
      low: 150 + (sum[0] ?? 0) * 2,
      high: 700 + (sum[1] ?? 0) * 6,
      length,
      gap: isLast ? SENTENCE_GAP_SECONDS : 0,
    };
  });
  const seconds = parts.reduce((total, { length, gap }) => total + length + gap, 0.02);
  const samples = new Float32Array(Math.ceil(seconds * sampleRateHz));
  let at = Math.round(0.02 * sampleRateHz);
  for (const { low, high, length, gap } of parts) {
    const count = Math.round(length * sampleRateHz);
    for (let i = 0; i < count; i++) {
      const t = i / sampleRateHz;
      const fade = Math.min(1, t / FADE_SECONDS, (length - t) / FADE_SECONDS);
      samples[at + i] = 0.12 * fade * (Math.sin(2 * Math.PI * low * t) + Math.sin(2 * Math.PI * high * t));
    }
    at += count + Math.round(gap * sampleRateHz);
  }
  return samples;
}
