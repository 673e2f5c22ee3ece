import { type Clip, clipFromPackets } from '../src/audio/clips/clip.ts';
import { createClipEncoder, wasmOpus } from '../src/audio/making/opus-encoder.ts';
import { wavFile } from '../src/sound/wav.ts';

export const SAMPLE_RATE_HZ = 24_000;

/** Voice-like mono audio in -1..1 without any silence: harmonics with changing pitch and loudness. */
export function voice(seconds: number): Float32Array {
  const samples = new Float32Array(Math.round(SAMPLE_RATE_HZ * seconds));
  let phase = 0;
  for (let i = 0; i < samples.length; i++) {
    const t = i / SAMPLE_RATE_HZ;
    phase += (2 * Math.PI * (120 + 25 * Math.sin(2 * Math.PI * 1.3 * t))) / SAMPLE_RATE_HZ;
    let sum = 0;
    for (let k = 1; k <= 25; k++) sum += Math.sin(k * phase + 1) / k;
    samples[i] = 0.2 * (0.7 + 0.3 * Math.cos(2 * Math.PI * 2.1 * t)) * sum;
  }
  return samples;
}

/** 16-bit mono WAV. */
export const wav = (samples: Float32Array): Buffer => Buffer.from(wavFile(samples, SAMPLE_RATE_HZ).buffer);

/** Opus packets of 20 ms, none of them silent. */
export async function packets(seconds: number): Promise<Buffer[]> {
  const encoder = await createClipEncoder(wasmOpus, SAMPLE_RATE_HZ);
  const made = [...encoder.push(voice(seconds)), ...encoder.flush()];
  encoder.close();
  return made.slice(0, Math.round(seconds * 50));
}

/** Two seconds of speech again and again, as packets for the library and as a clip for Crier. */
export async function longSpeech(seconds: number): Promise<{ frames: readonly Buffer[]; clip: Clip }> {
  const source = await packets(2);
  const frames = Array.from({ length: seconds * 50 }, (_, i) => source[i % source.length] as Buffer);
  return { frames, clip: clipFromPackets(frames) };
}
