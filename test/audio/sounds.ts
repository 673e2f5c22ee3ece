import { Buffer } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { createDecoder } from 'libopus-wasm';
import { createMp3Encoder } from 'wasm-media-encoders';
import type { PcmStream } from '../../src/audio/making/decoding/ffmpeg-decoder.ts';
import type { AudioPipeline, ClipOptions } from '../../src/audio/making/pipeline.ts';
import { joinSamples } from '../../src/sound/resample.ts';
import { wavFile } from '../../src/sound/wav.ts';
import { correlationAt, resampled } from '../end-to-end/measure.ts';
import { serverThat } from '../loopback-server.ts';

export { correlationAt as correlation } from '../end-to-end/measure.ts';
export { silentLog } from '../silent-log.ts';

const { signal } = new AbortController();
/** A sound of any length, which is a text's only one, and which nobody takes back. */
export const WHOLE = { signal, utterance: undefined, maxDurationMs: Infinity, minSoundMs: 0, mayBeLate: true };

/** Voice-like sound from its first sample to its last: harmonics that move, noise between, mono in -1..1. */
export function speechLike(sampleRateHz: number, seconds: number, seed = 1): Float32Array {
  const samples = new Float32Array(Math.round(sampleRateHz * seconds));
  let phase = 0;
  let noise = seed;
  for (let i = 0; i < samples.length; i++) {
    const t = i / sampleRateHz;
    const pitchHz = 130 + 30 * Math.sin(2 * Math.PI * 1.7 * t + seed);
    phase += (2 * Math.PI * pitchHz) / sampleRateHz;
    let sum = 0;
    for (let k = 1; k * pitchHz < Math.min(3_400, sampleRateHz * 0.42); k++) {
      sum += Math.sin(k * phase) * (Math.exp(-(((k * pitchHz - 700) / 500) ** 2)) + 0.1);
    }
    noise = (Math.imul(noise, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    const loud = 0.6 + 0.4 * Math.cos(2 * Math.PI * 2.3 * t);
    samples[i] = 0.12 * loud * sum + 0.01 * (noise / 0x4000_0000 - 1);
  }
  return samples;
}

export const tone = (hertz: number, sampleRateHz: number, level: number, seconds: number): Float32Array =>
  Float32Array.from(
    { length: sampleRateHz * seconds },
    (_, i) => level * Math.sin((2 * Math.PI * hertz * i) / sampleRateHz),
  );

/** A WAV file of 16-bit mono. */
export const wav16 = (samples: Float32Array, sampleRateHz: number): Buffer =>
  Buffer.from(wavFile(samples, sampleRateHz).buffer);

type Mp3Rate = 8_000 | 16_000 | 22_050 | 24_000 | 44_100 | 48_000;

/** An MP3 file, as the encoder of the embedded service makes it. */
export async function mp3(samples: Float32Array, sampleRateHz: Mp3Rate, bitrateKbps: 64 | 96 | 128 = 128) {
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate: sampleRateHz, channels: 1, bitrate: bitrateKbps });
  return Buffer.concat([Buffer.from(encoder.encode([samples])), Buffer.from(encoder.finalize())]);
}

interface Filter {
  push(samples: Float32Array): Float32Array;
  flush(): Float32Array;
}

/** All that a filter makes of samples that it gets in pieces of a size. */
export function filtered(filter: Filter, samples: Float32Array, size = samples.length): Float32Array {
  const parts: Float32Array[] = [];
  for (let at = 0; at < samples.length; at += size) parts.push(filter.push(samples.subarray(at, at + size)));
  return joinSamples(...parts, filter.flush());
}

/** The bytes in pieces of a size, as a socket would bring them. */
export async function* inPieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The clip of an address where a server sends these bytes as they come, its headers at once. */
export async function clipOf(audio: AudioPipeline, bytes: AsyncIterable<Uint8Array>, options?: Partial<ClipOptions>) {
  const address = await serverThat((_, response) => {
    response.flushHeaders();
    pipeline(bytes, response).catch(() => undefined);
  });
  return audio.fetchClip(new URL(address), { ...WHOLE, ...options });
}

/** Bytes with nothing behind them, not even an end. */
export async function* unended(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
  await new Promise(() => undefined);
}

/** What a listener hears: the packets decoded at 48 kHz. */
export async function heard(packets: readonly Uint8Array[]): Promise<Float32Array> {
  const decoder = await createDecoder({ sampleRate: 48_000, channels: 1 });
  const frames = packets.map((packet) => decoder.decodeFloat(packet).slice());
  decoder.free();
  return joinSamples(...frames);
}

/** All that a decoder gives, until it ends or fails. */
export async function decoded(pcm: PcmStream) {
  const parts: Float32Array[] = [];
  const rates = new Set<number>();
  let error: unknown;
  try {
    for await (const { samples, sampleRateHz } of pcm) {
      rates.add(sampleRateHz);
      parts.push(samples.slice());
    }
  } catch (failure) {
    error = failure;
  }
  return { samples: joinSamples(...parts), rates: [...rates], error };
}

/** The codec's own delay at 48 kHz (6.5 ms). */
export const PRE_SKIP = 312;

export const peak = (samples: Float32Array) => samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

export function rms(samples: Float32Array, from = 0, to = samples.length): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += (samples[i] ?? 0) ** 2;
  return Math.sqrt(sum / Math.max(1, to - from));
}

/** Signal to noise in dB of `actual`, shifted back by `delay` samples and scaled to fit, against `wanted`. */
export function snrDb(wanted: Float32Array, actual: Float32Array, delay: number): number {
  const shifted = new Float32Array(wanted.length);
  shifted.set(actual.subarray(delay, delay + wanted.length));
  return -10 * Math.log10(Math.max(1 - correlationAt(wanted, shifted, 0) ** 2, 1e-20));
}

/** By another resampler than the one under test: exact, and slow. */
export const reference48k = (samples: Float32Array, sampleRateHz: number): Float32Array =>
  resampled({ samples, sampleRateHz }, 48_000, 48).samples;
