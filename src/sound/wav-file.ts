const WAV_HEADER_BYTES = 44;
/** The sizes of a writer that does not know how much follows. */
const UNKNOWN_SIZE = 0xffff_ffff;

/** Mono samples in -1..1 as a RIFF file with 16-bit PCM; http://soundfile.sapp.org/doc/WaveFormat/ */
export function wavFile(samples: Float32Array, sampleRateHz: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(WAV_HEADER_BYTES + samples.length * 2);
  file.set(wavHeader(sampleRateHz, samples.length * 2));
  writePcm(samples, new DataView(file.buffer, WAV_HEADER_BYTES));
  return file;
}

/** The header of such a file; without a size, of one that is still being made. */
export function wavHeader(sampleRateHz: number, dataBytes?: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(WAV_HEADER_BYTES);
  const view = new DataView(header.buffer);
  const ascii = (offset: number, text: string) => header.set(Buffer.from(text, 'latin1'), offset);
  ascii(0, 'RIFF');
  view.setUint32(4, dataBytes === undefined ? UNKNOWN_SIZE : WAV_HEADER_BYTES - 8 + dataBytes, true);
  ascii(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // mono
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  ascii(36, 'data');
  view.setUint32(40, dataBytes ?? UNKNOWN_SIZE, true);
  return header;
}

/** The bytes of samples as they follow the header. */
export function wavData(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.length * 2);
  writePcm(samples, new DataView(bytes.buffer));
  return bytes;
}

function writePcm(samples: Float32Array, view: DataView): void {
  for (let i = 0; i < samples.length; i += 1) {
    const value = Math.max(-1, Math.min(1, samples[i] as number));
    view.setInt16(i * 2, Math.round(value * 32_767), true);
  }
}
