import { joinSamples } from '../../../sound/resample.ts';
import type { VocalEvent } from './plan.ts';
import { seededRandom } from './prosody.ts';

/** A spoken sound: a syllable or more in the voice itself. */
interface SpokenEvent {
  kind: 'spoken';
  text: string;
  pitch: number;
  rate: number;
  tremble: number;
}

/** A sound that is made of noise or tones, as mono samples. */
interface MadeEvent {
  kind: 'made';
  samples: Float32Array;
}

/** How each vocal event is made. `pitchHz` is about the voice's own; the samples are the same each time. */
export function vocalEvent(event: VocalEvent, sampleRateHz: number, pitchHz: number): SpokenEvent | MadeEvent {
  const noise = (durationMs: number, fromHz: number, toHz: number, level: number, attack: number) =>
    made(filteredNoise({ sampleRateHz, durationMs, fromHz, toHz, level, attack }));
  switch (event) {
    case 'laugh':
      return { kind: 'spoken', text: 'ha ha ha ha', pitch: 18, rate: 1.5, tremble: 0.3 };
    case 'chuckle':
      return { kind: 'spoken', text: 'heh heh heh', pitch: 2, rate: 1.5, tremble: 0.3 };
    case 'giggle':
      return { kind: 'spoken', text: 'hee hee hee hee', pitch: 34, rate: 1.8, tremble: 0.3 };
    case 'cry':
      return { kind: 'spoken', text: 'uh huh huh', pitch: 14, rate: 0.8, tremble: 0.9 };
    case 'sigh':
      return noise(750, 1_600, 500, 0.1, 0.2);
    case 'breath':
      return noise(420, 1_200, 1_500, 0.07, 0.5);
    case 'inhale':
      return noise(480, 900, 2_600, 0.08, 0.75);
    case 'exhale':
      return noise(560, 1_800, 700, 0.08, 0.2);
    case 'tsk':
      return made(
        joinSamples(click(sampleRateHz, 4_200, 22), silence(sampleRateHz, 130), click(sampleRateHz, 4_200, 22)),
      );
    case 'tongue-click':
      return made(click(sampleRateHz, 1_400, 30));
    case 'lip-smack':
      return made(joinSamples(click(sampleRateHz, 700, 18), silence(sampleRateHz, 35), click(sampleRateHz, 2_300, 16)));
    case 'hum-tune':
      return made(hum(sampleRateHz, pitchHz));
  }
}

function made(samples: Float32Array): MadeEvent {
  return { kind: 'made', samples };
}

function silence(sampleRateHz: number, durationMs: number): Float32Array {
  return new Float32Array(Math.round((sampleRateHz * durationMs) / 1000));
}

/** Air: noise through a resonance that moves, swelling to `attack` (0–1 of the time) and dying away. */
function filteredNoise(shape: {
  sampleRateHz: number;
  durationMs: number;
  fromHz: number;
  toHz: number;
  level: number;
  attack: number;
}): Float32Array {
  const { sampleRateHz, durationMs, fromHz, toHz, level, attack } = shape;
  const random = seededRandom(durationMs);
  const samples = silence(sampleRateHz, durationMs);
  // A state-variable band-pass: its centre may be moved at every sample.
  let low = 0;
  let band = 0;
  for (let i = 0; i < samples.length; i += 1) {
    const at = i / samples.length;
    const centreHz = fromHz + (toHz - fromHz) * at;
    const f = 2 * Math.sin((Math.PI * centreHz) / sampleRateHz);
    const high = random() * 2 - 1 - low - 0.9 * band;
    band += f * high;
    low += f * band;
    const envelope =
      at < attack ? Math.sin((at / attack) * (Math.PI / 2)) : Math.cos(((at - attack) / (1 - attack)) * (Math.PI / 2));
    samples[i] = band * envelope * envelope * level * 2.2;
  }
  return samples;
}

/** A pop: a resonance struck once. */
function click(sampleRateHz: number, frequencyHz: number, durationMs: number): Float32Array {
  const random = seededRandom(frequencyHz);
  return silence(sampleRateHz, durationMs).map((_, i) => {
    const decay = Math.exp((-i * 6_000) / (sampleRateHz * durationMs));
    const tone = Math.sin((2 * Math.PI * frequencyHz * i) / sampleRateHz);
    return (tone * 0.7 + (random() * 2 - 1) * 0.3) * decay * 0.5;
  });
}

/** Four notes with closed lips: few, quickly falling harmonics. */
function hum(sampleRateHz: number, pitchHz: number): Float32Array {
  const semitones = [0, 4, 7, 4];
  return joinSamples(
    ...semitones.map((semitone) => {
      const noteHz = pitchHz * 2 ** (semitone / 12);
      const note = silence(sampleRateHz, 260);
      return note.map((_, i) => {
        const at = i / note.length;
        const envelope = Math.min(1, at * 10, (1 - at) * 6);
        const phase = (2 * Math.PI * noteHz * i) / sampleRateHz;
        return (Math.sin(phase) + 0.35 * Math.sin(2 * phase) + 0.1 * Math.sin(3 * phase)) * envelope * 0.16;
      });
    }),
  );
}
