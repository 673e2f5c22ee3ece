import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder } from 'wasm-media-encoders';
import type { AudioFormat } from '../../speech/interface/models.ts';

const MP3_KBIT_PER_SECOND = 128;
const WAV_HEADER_BYTES = 44;

/** Turns mono samples (−1 to 1) into a file. */
type Encode = (samples: Float32Array, sampleRateHz: number, format: AudioFormat) => Uint8Array<ArrayBuffer>;

/**
 * Loads the encoders. MP3 is made by LAME (LGPL) in WebAssembly, through the package wasm-media-encoders. It is read from
 * the package's separate file, so that another build of LAME can take its place.
 */
export async function loadEncoders(): Promise<Encode> {
  const lame = createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3');
  const mp3 = await createEncoder('audio/mpeg', await readFile(lame));
  return (samples, sampleRateHz, format) => {
    if (format === 'wav') return wavFile(samples, sampleRateHz);
    if (sampleRateHz !== 24_000) throw new RangeError('MP3 is made at 24 kHz only.');
    mp3.configure({
      channels: 1,
      sampleRate: sampleRateHz,
      outputSampleRate: sampleRateHz,
      bitrate: MP3_KBIT_PER_SECOND,
    });
    // The encoder's buffer is its own and used again: copy before the next call.
    const head = mp3.encode([samples]).slice();
    const tail = mp3.finalize();
    const file = new Uint8Array(head.length + tail.length);
    file.set(head);
    file.set(tail, head.length);
    return file;
  };
}

/** A RIFF file with 16-bit mono PCM. */
export function wavFile(samples: Float32Array, sampleRateHz: number): Uint8Array<ArrayBuffer> {
  const dataBytes = samples.length * 2;
  const file = new Uint8Array(WAV_HEADER_BYTES + dataBytes);
  const view = new DataView(file.buffer);
  const ascii = (offset: number, text: string) => file.set(Buffer.from(text, 'latin1'), offset);
  ascii(0, 'RIFF');
  view.setUint32(4, WAV_HEADER_BYTES - 8 + dataBytes, true);
  ascii(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  ascii(36, 'data');
  view.setUint32(40, dataBytes, true);
  for (let i = 0; i < samples.length; i += 1) {
    const value = Math.max(-1, Math.min(1, samples[i] as number));
    view.setInt16(WAV_HEADER_BYTES + i * 2, Math.round(value * 32_767), true);
  }
  return file;
}
