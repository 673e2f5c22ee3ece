import { SAMPLE_BYTES, type SampleFormat, type WavFormat } from '../../../sound/wav-format.ts';

function readSample(view: DataView, at: number, format: SampleFormat): number {
  switch (format) {
    case 'u8':
      return (view.getUint8(at) - 128) / 128;
    case 's16':
      return view.getInt16(at, true) / 32_768;
    case 's24':
      return ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8_388_608;
    case 's32':
      return view.getInt32(at, true) / 2_147_483_648;
    case 'f32':
      return view.getFloat32(at, true);
    case 'f64':
      return view.getFloat64(at, true);
  }
}

/** The most common format, in a fifth of the time of the general code. */
function monoInt16(bytes: Uint8Array): Float32Array {
  const samples = new Float32Array(bytes.length >> 1);
  for (let i = 0, at = 0; i < samples.length; i++, at += 2) {
    // The high byte carries the sign.
    samples[i] = ((((bytes[at + 1] as number) << 24) >> 16) | (bytes[at] as number)) / 32_768;
  }
  return samples;
}

/** Blocks to mono samples; several channels become their mean. NaN is silence. */
export function wavSamples(bytes: Uint8Array, format: WavFormat): Float32Array {
  const { sampleFormat, channels, blockBytes } = format;
  if (sampleFormat === 's16' && channels === 1) return monoInt16(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sampleBytes = SAMPLE_BYTES[sampleFormat];
  const samples = new Float32Array(Math.floor(bytes.byteLength / blockBytes));
  for (let block = 0, at = 0; block < samples.length; block++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++, at += sampleBytes) sum += readSample(view, at, sampleFormat);
    const mean = sum / channels;
    samples[block] = Number.isFinite(mean) ? mean : 0;
  }
  return samples;
}
