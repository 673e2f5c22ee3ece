import { joinSamples, resample } from '../../../sound/resample.ts';
import type { TimbredJob } from '../engine.ts';
import type { Timbre } from '../timbres.ts';
import { type Espeak, ESPEAK_SAMPLE_RATE_HZ as RATE_HZ } from './espeak.ts';
import { vocalEvent } from './events.ts';
import type { LanguageTools } from './language.ts';
import { type Piece, planUtterance } from './plan.ts';
import { combine, type Prosody } from './prosody.ts';

/** Silence around the speech, so that no player cuts into it. */
const LEAD_MS = 20;
const TAIL_MS = 60;
/** Speech that ends in the middle of a wave clicks. */
const FADE_MS = 4;
const TREMBLE_HZ = 6;
/** Above this the peaks are rounded off instead of cut. */
const LIMIT_FROM = 0.8;

/** Speaks a job: mono samples (−1 to 1) at `job.sampleRateHz`. The same job always gives the same samples. */
export function renderSpeech(job: TimbredJob, espeak: Espeak, tools: LanguageTools = {}): Float32Array {
  const parts = planUtterance(job, tools).map((piece) => renderPiece(piece, job.timbre, espeak));
  const joined = joinSamples(silence(LEAD_MS), ...parts, silence(TAIL_MS));
  return resample(joined, RATE_HZ, job.sampleRateHz).map(limit);
}

function renderPiece(piece: Piece, timbre: Timbre, espeak: Espeak): Float32Array {
  switch (piece.kind) {
    case 'silence':
      return silence(piece.durationMs);
    case 'speech':
      return speak(piece.text, piece.language, piece.prosody, timbre, espeak);
    case 'event': {
      const event = vocalEvent(piece.event, RATE_HZ, timbre.female ? 200 : 105);
      if (event.kind === 'made') return shape(event.samples, { ...piece.prosody, tremble: 0 });
      const { pitch, rate, tremble } = event;
      return speak(event.text, 'en-us', combine(piece.prosody, { pitch, rate, tremble }), timbre, espeak);
    }
  }
}

function speak(text: string, language: string, prosody: Prosody, timbre: Timbre, espeak: Espeak): Float32Array {
  const whisper = timbre.female ? 'whisperf' : 'whisper';
  const samples = samplesOf(text, (part) =>
    espeak.speak({
      text: part,
      voice: `${language}+${prosody.whisper ? whisper : timbre.variant}`,
      wordsPerMinute: timbre.wordsPerMinute * prosody.rate,
      pitch: timbre.pitch + prosody.pitch,
      pitchRange: timbre.pitchRange + prosody.pitchRange,
    }),
  );
  const gainDb = prosody.gainDb + (prosody.whisper ? 0 : timbre.gainDb);
  return fade(shape(samples, { ...prosody, gainDb }));
}

/** Of a text that eSpeak NG dies of, all but the word that killed it; where no word is left, its death is the outcome. */
function samplesOf(text: string, speakPart: (part: string) => Int16Array): Float32Array {
  try {
    return Float32Array.from(speakPart(text), (sample) => sample / 32_768);
  } catch (death) {
    const words = text.match(/\S+\s*/gu) ?? [];
    if (words.length < 2 || !(death instanceof Error && death.name === 'RuntimeError')) throw death;
    const half = words.length >> 1;
    const spoken = [words.slice(0, half), words.slice(half)].flatMap((part) => {
      try {
        return [samplesOf(part.join(''), speakPart)];
      } catch {
        return [];
      }
    });
    if (spoken.length === 0) throw death;
    return joinSamples(...spoken);
  }
}

/** Loudness: a gain, a change over the stretch, a trembling. */
function shape(samples: Float32Array, { gainDb, swellDb, tremble }: Prosody): Float32Array {
  const gain = 10 ** (gainDb / 20);
  if (swellDb === 0 && tremble === 0) return samples.map((sample) => sample * gain);
  return samples.map((sample, i) => {
    const swell = 10 ** ((swellDb * (i / samples.length - 0.5)) / 20);
    const wave = 1 - tremble * (0.5 + 0.5 * Math.sin((2 * Math.PI * TREMBLE_HZ * i) / RATE_HZ));
    return sample * gain * swell * wave;
  });
}

function fade(samples: Float32Array): Float32Array {
  const length = Math.min(samplesIn(FADE_MS), samples.length >> 1);
  for (let i = 0; i < length; i += 1) {
    const gain = i / length;
    samples[i] = (samples[i] as number) * gain;
    const end = samples.length - 1 - i;
    samples[end] = (samples[end] as number) * gain;
  }
  return samples;
}

function limit(sample: number): number {
  const size = Math.abs(sample);
  if (size <= LIMIT_FROM) return sample;
  const room = 1 - LIMIT_FROM;
  return Math.sign(sample) * (LIMIT_FROM + room * Math.tanh((size - LIMIT_FROM) / room));
}

function silence(durationMs: number): Float32Array {
  return new Float32Array(samplesIn(durationMs));
}

function samplesIn(durationMs: number): number {
  return Math.round((durationMs / 1000) * RATE_HZ);
}
