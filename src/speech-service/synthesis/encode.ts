import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createEncoder } from 'wasm-media-encoders';
import { joinBytes } from '../../sound/containers.ts';
import { wavData, wavFile, wavHeader } from '../../sound/wav.ts';
import type { AudioFormat } from '../../speech/interface/models.ts';

const MP3_KBIT_PER_SECOND = 128;

/** LAME (LGPL) is read from its package's separate file, so that another build of LAME can replace it. */
export async function loadEncoders() {
  const mp3 = await loadMp3Encoder();
  return (samples: Float32Array, sampleRateHz: number, format: AudioFormat) => {
    if (format === 'wav') return wavFile(samples, sampleRateHz);
    const encoding = mp3Encoding(mp3, sampleRateHz);
    return joinBytes([encoding.push(samples), encoding.end()]);
  };
}

/** end() returns the last bytes of the encoded audio. push() must not be called afterwards. */
export async function startEncoding(sampleRateHz: number, format: AudioFormat) {
  if (format === 'mp3') return mp3Encoding(await loadMp3Encoder(), sampleRateHz);
  let header = wavHeader(sampleRateHz);
  return {
    push(samples: Float32Array) {
      const bytes = joinBytes([header, wavData(samples)]);
      header = new Uint8Array();
      return bytes;
    },
    end: () => header,
  };
}

type Mp3Encoder = Awaited<ReturnType<typeof loadMp3Encoder>>;

async function loadMp3Encoder() {
  const lame = createRequire(import.meta.url).resolve('wasm-media-encoders/wasm/mp3');
  return createEncoder('audio/mpeg', await readFile(lame));
}

function mp3Encoding(mp3: Mp3Encoder, sampleRateHz: number) {
  if (sampleRateHz !== 24_000) throw new RangeError('MP3 is made at 24 kHz only.');
  mp3.configure({
    channels: 1,
    sampleRate: sampleRateHz,
    outputSampleRate: sampleRateHz,
    bitrate: MP3_KBIT_PER_SECOND,
  });
  return {
    // The MP3 encoder reuses its buffer for the next call, so the bytes are copied.
    push: (samples: Float32Array) => mp3.encode([samples]).slice(),
    end: () => mp3.finalize().slice(),
  };
}
