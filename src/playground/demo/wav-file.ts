import { Buffer } from 'node:buffer';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Mono samples in -1..1 as a 16-bit PCM WAV file: RIFF, 44-byte header. */
export function recordingFile(samples: Float32Array, sampleRateHz: number): Buffer {
  const data = Buffer.alloc(44 + samples.length * 2);
  data.write('RIFF', 0, 'latin1');
  data.writeUInt32LE(36 + samples.length * 2, 4);
  data.write('WAVEfmt ', 8, 'latin1');
  data.writeUInt32LE(16, 16);
  data.writeUInt16LE(1, 20); // PCM
  data.writeUInt16LE(1, 22); // mono
  data.writeUInt32LE(sampleRateHz, 24);
  data.writeUInt32LE(sampleRateHz * 2, 28);
  data.writeUInt16LE(2, 32);
  data.writeUInt16LE(16, 34);
  data.write('data', 36, 'latin1');
  data.writeUInt32LE(samples.length * 2, 40);
  for (let i = 0; i < samples.length; i++) {
    data.writeInt16LE(Math.round(Math.max(-1, Math.min(1, samples[i] ?? 0)) * 32767), 44 + i * 2);
  }
  return data;
}

/** Writes the samples as a WAV file, making its folder. */
export async function writeWavFile(path: string, samples: Float32Array, sampleRateHz: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, recordingFile(samples, sampleRateHz));
}
