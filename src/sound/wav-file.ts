const WAV_HEADER_BYTES = 44;

/** Mono samples in -1..1 as a RIFF file with 16-bit PCM; http://soundfile.sapp.org/doc/WaveFormat/ */
export function wavFile(samples: Float32Array, sampleRateHz: number): Uint8Array<ArrayBuffer> {
  const dataBytes = samples.length * 2;
  const file = new Uint8Array(WAV_HEADER_BYTES + dataBytes);
  const view = new DataView(file.buffer);
  const ascii = (offset: number, text: string) => file.set(Buffer.from(text, 'latin1'), offset);
  ascii(0, 'RIFF');
  view.setUint32(4, WAV_HEADER_BYTES - 8 + dataBytes, true);
  ascii(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // mono
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
