import { joinSamples, resample } from '../../../sound/resample.ts';
import type { Timbre, TimbredJob } from '../engine.ts';
import { type Espeak, ESPEAK_SAMPLE_RATE_HZ as RATE_HZ } from './espeak.ts';
import { FLITE_SAMPLE_RATE_HZ, type Flite, type FliteVoice } from './flite.ts';
import type { LanguageTools } from './language.ts';
import { combine, type Piece, type Prosody, planUtterance, type VocalEvent } from './plan.ts';

/** Milliseconds of silence around the speech, so that no player cuts off its start or end. */
const LEAD_MS = 20;
const TAIL_MS = 60;
/** Milliseconds of fade at both ends, because speech that ends in the middle of a wave clicks. */
const FADE_MS = 4;
const TREMBLE_HZ = 6;
/** Peaks above this level of audio (0–1) are rounded off instead of clipped. */
const LIMIT_FROM = 0.8;

/** Flite reads English for voices that have a Flite voice; eSpeak NG reads everything else. */
interface Synthesizers {
  readonly espeak: Espeak;
  readonly flite?: Flite | undefined;
}

/** Speaks a job: mono samples (−1 to 1) at `job.sampleRateHz`. The same job always gives the same samples. */
export function renderSpeech(job: TimbredJob, synthesizers: Synthesizers, tools: LanguageTools = {}): Float32Array {
  const parts = planUtterance(job, tools).map((piece) => renderPiece(piece, job.timbre, synthesizers));
  const joined = joinSamples(silence(LEAD_MS), ...parts, silence(TAIL_MS));
  return resample(joined, RATE_HZ, job.sampleRateHz).map(limit);
}

function renderPiece(piece: Piece, timbre: Timbre, synthesizers: Synthesizers): Float32Array {
  if (piece.kind === 'silence') return silence(piece.durationMs);
  const { prosody } = piece;
  if (piece.kind === 'speech') return speak(piece.text, piece.language, prosody, timbre, synthesizers);
  const [text, manner] = SYLLABLES[piece.event];
  return speak(text, 'en-us', combine(prosody, manner), timbre, { espeak: synthesizers.espeak });
}

function speak(text: string, language: string, prosody: Prosody, timbre: Timbre, { espeak, flite }: Synthesizers) {
  const byFlite = flite && language === timbre.language ? speakByFlite(text, prosody, timbre, flite) : undefined;
  if (byFlite) return byFlite;
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

/** Brings each Flite voice to about −20 dB, the loudness of eSpeak NG's voices. */
const FLITE_GAIN_DB: Readonly<Record<FliteVoice, number>> = { slt: -4.5, rms: 1, awb: 0 };
/** Flite gets a higher pitch by slower speech played faster. Beyond this factor, it would sound like another person. */
const MAX_PITCH_FACTOR = 1.2;

/** Undefined if Flite cannot speak the text: Flite neither whispers nor sings, and reads only Latin letters. */
function speakByFlite(
  text: string,
  prosody: Prosody,
  { flite: voice }: Timbre,
  flite: Flite,
): Float32Array | undefined {
  if (voice === undefined || prosody.whisper || prosody.melody !== 'none') return undefined;
  const wanted = Math.min(MAX_PITCH_FACTOR, Math.max(1 / MAX_PITCH_FACTOR, 2 ** (prosody.pitch / 100)));
  // Each pitch factor needs a resampling filter of its own, so the factor is rounded to limit their number.
  const pitch = Math.round(wanted * 50) / 50;
  const samples = flite.speak(text, voice, pitch / prosody.rate);
  if (samples === undefined) return undefined;
  const spoken = resample(samples, FLITE_SAMPLE_RATE_HZ * pitch, RATE_HZ);
  return fade(shape(spoken, { ...prosody, gainDb: prosody.gainDb + FLITE_GAIN_DB[voice] }));
}

/** Leaves out the words that crash eSpeak NG. Throws if no word can be spoken. */
function samplesOf(text: string, speakPart: (part: string) => Float32Array): Float32Array {
  try {
    return speakPart(text);
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

const SYLLABLES: Readonly<Record<VocalEvent, readonly [text: string, prosody: Partial<Prosody>]>> = {
  laugh: ['ha ha ha ha', { pitch: 18, rate: 1.5, tremble: 0.3 }],
  chuckle: ['heh heh heh', { pitch: 2, rate: 1.5, tremble: 0.3 }],
  giggle: ['hee hee hee hee', { pitch: 34, rate: 1.8, tremble: 0.3 }],
  cry: ['uh huh huh', { pitch: 14, rate: 0.8, tremble: 0.9 }],
  sigh: ['haah', { whisper: true, rate: 0.7, swellDb: -8 }],
  breath: ['huh', { whisper: true, rate: 0.8 }],
  inhale: ['hee', { whisper: true, rate: 0.7, swellDb: 10 }],
  exhale: ['hoo', { whisper: true, rate: 0.7, swellDb: -10 }],
  tsk: ['ts ts', { rate: 1.5 }],
  'tongue-click': ['tk', { rate: 2 }],
  'lip-smack': ['pa', { whisper: true, rate: 2 }],
  'hum-tune': ['hm hm hm', { rate: 1.2, pitchRange: 45 }],
};
