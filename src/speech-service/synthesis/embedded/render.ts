import { joinSamples, resample } from '../../../sound/resample.ts';
import type { Timbre, TimbredJob } from '../engine.ts';
import { type Espeak, ESPEAK_SAMPLE_RATE_HZ as RATE_HZ } from './espeak.ts';
import { FLITE_SAMPLE_RATE_HZ, type Flite, type FliteVoice } from './flite.ts';
import type { LanguageTools } from './language.ts';
import { combine, type Piece, type Prosody, planUtterance, seededRandom, type VocalEvent } from './plan.ts';

/** Milliseconds of silence around the speech, so that no player cuts off its start or end. */
const LEAD_MS = 20;
const TAIL_MS = 60;
/** Milliseconds of fade at both ends, because speech that ends in the middle of a wave clicks. */
const FADE_MS = 4;
const TREMBLE_HZ = 6;
/** The level of audio (0–1) above which peaks are rounded off instead of clipped. */
const LIMIT_FROM = 0.8;

/** The synthesizers: Flite reads English for voices with a Flite voice, eSpeak NG everything else. */
export interface Synthesizers {
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
  const [text = '', manner = {}] = SPOKEN[piece.event] ?? [];
  const made = MADE[piece.event]?.(timbre.female ? 200 : 105);
  if (made) return shape(made, { ...prosody, tremble: 0 });
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

/** Brings each Flite voice to about −20 dB, as `Timbre.gainDb` does for eSpeak NG. */
const FLITE_GAIN_DB: Readonly<Record<FliteVoice, number>> = { slt: -4.5, rms: 1, awb: 0 };
/**
 * The maximum factor by which a Flite voice's pitch changes. A higher voice is slower speech played faster, which also
 * moves the formants. A larger change sounds like another person.
 */
const MAX_PITCH_FACTOR = 1.2;

/**
 * Speaks a text with Flite. Undefined if Flite cannot speak the text: Flite neither whispers nor sings, and reads only
 * Latin letters.
 */
function speakByFlite(
  text: string,
  prosody: Prosody,
  { flite: voice }: Timbre,
  flite: Flite,
): Float32Array | undefined {
  if (voice === undefined || prosody.whisper || prosody.melody !== 'none') return undefined;
  const wanted = Math.min(MAX_PITCH_FACTOR, Math.max(1 / MAX_PITCH_FACTOR, 2 ** (prosody.pitch / 100)));
  // The pitch factor is rounded to limit the number of resampling filters: each factor needs a filter of its own.
  const pitch = Math.round(wanted * 50) / 50;
  const samples = flite.speak(text, voice, pitch / prosody.rate);
  if (samples === undefined) return undefined;
  const spoken = resample(samples, FLITE_SAMPLE_RATE_HZ * pitch, RATE_HZ);
  return fade(shape(spoken, { ...prosody, gainDb: prosody.gainDb + FLITE_GAIN_DB[voice] }));
}

/** Speaks a text without the words that crash eSpeak NG. Throws if no word can be spoken. */
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

/** Vocal sounds, such as a laugh, that the voice speaks as syllables. */
const SPOKEN: Partial<Record<VocalEvent, readonly [text: string, prosody: Partial<Prosody>]>> = {
  laugh: ['ha ha ha ha', { pitch: 18, rate: 1.5, tremble: 0.3 }],
  chuckle: ['heh heh heh', { pitch: 2, rate: 1.5, tremble: 0.3 }],
  giggle: ['hee hee hee hee', { pitch: 34, rate: 1.8, tremble: 0.3 }],
  cry: ['uh huh huh', { pitch: 14, rate: 0.8, tremble: 0.9 }],
};

/** Vocal sounds made of noise or tones, always with the same samples. `pitchHz` is about the voice's own pitch. */
const MADE: Partial<Record<VocalEvent, (pitchHz: number) => Float32Array>> = {
  sigh: () => filteredNoise(750, 1_600, 500, 0.1, 0.2),
  breath: () => filteredNoise(420, 1_200, 1_500, 0.07, 0.5),
  inhale: () => filteredNoise(480, 900, 2_600, 0.08, 0.75),
  exhale: () => filteredNoise(560, 1_800, 700, 0.08, 0.2),
  tsk: () => joinSamples(click(4_200, 22), silence(130), click(4_200, 22)),
  'tongue-click': () => click(1_400, 30),
  'lip-smack': () => joinSamples(click(700, 18), silence(35), click(2_300, 16)),
  'hum-tune': hum,
};

/**
 * A sound of air: noise through a moving resonance. The sound swells until `attack` (0–1 of the time), then dies away.
 */
function filteredNoise(durationMs: number, fromHz: number, toHz: number, level: number, attack: number): Float32Array {
  const random = seededRandom(durationMs);
  const samples = silence(durationMs);
  // A state-variable band-pass filter, whose center can move at every sample.
  let low = 0;
  let band = 0;
  for (let i = 0; i < samples.length; i += 1) {
    const at = i / samples.length;
    const centerHz = fromHz + (toHz - fromHz) * at;
    const f = 2 * Math.sin((Math.PI * centerHz) / RATE_HZ);
    const high = random() * 2 - 1 - low - 0.9 * band;
    band += f * high;
    low += f * band;
    const envelope =
      at < attack ? Math.sin((at / attack) * (Math.PI / 2)) : Math.cos(((at - attack) / (1 - attack)) * (Math.PI / 2));
    samples[i] = band * envelope * envelope * level * 2.2;
  }
  return samples;
}

/** Makes a pop: a resonance struck once. */
function click(frequencyHz: number, durationMs: number): Float32Array {
  const random = seededRandom(frequencyHz);
  return silence(durationMs).map((_, i) => {
    const decay = Math.exp((-i * 6_000) / (RATE_HZ * durationMs));
    const tone = Math.sin((2 * Math.PI * frequencyHz * i) / RATE_HZ);
    return (tone * 0.7 + (random() * 2 - 1) * 0.3) * decay * 0.5;
  });
}

/** Makes four hummed notes as with closed lips: few, quickly falling harmonics. */
function hum(pitchHz: number): Float32Array {
  const semitones = [0, 4, 7, 4];
  return joinSamples(
    ...semitones.map((semitone) => {
      const noteHz = pitchHz * 2 ** (semitone / 12);
      const note = silence(260);
      return note.map((_, i) => {
        const at = i / note.length;
        const envelope = Math.min(1, at * 10, (1 - at) * 6);
        const phase = (2 * Math.PI * noteHz * i) / RATE_HZ;
        return (Math.sin(phase) + 0.35 * Math.sin(2 * phase) + 0.1 * Math.sin(3 * phase)) * envelope * 0.16;
      });
    }),
  );
}
