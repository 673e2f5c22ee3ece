import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder } from 'wasm-media-encoders';
import { wavFile } from '../../sound/wav-file.ts';
import type { AudioFormat } from '../../speech/interface/models.ts';

const MP3_KBIT_PER_SECOND = 128;

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
