import type { WavFormat } from './wav-format.ts';

/** The sound of WAV files, of which those with the same format can be joined; http://soundfile.sapp.org/doc/WaveFormat/ */
export interface WavSound {
  readonly format: WavFormat;
  /** Whole blocks, in order. */
  readonly pieces: readonly Uint8Array[];
}

const bytesOf = ({ pieces }: WavSound): number => pieces.reduce((sum, piece) => sum + piece.length, 0);

export const wavSeconds = (wav: WavSound): number => bytesOf(wav) / wav.format.blockBytes / wav.format.sampleRateHz;

/** A joint between two parts fades over this time, so that a step from one sample to the next is no click. */
const FADE_SECONDS = 0.004;

/** One file with the sound of all parts in a row; undefined when their formats differ. */
export function joinWav(parts: readonly WavSound[]): Uint8Array<ArrayBuffer> | undefined {
  const chunk = parts[0]?.format.chunk;
  if (chunk === undefined || !parts.every(({ format }) => Buffer.from(format.chunk).equals(chunk))) return undefined;
  const dataBytes = parts.reduce((sum, part) => sum + bytesOf(part), 0);
  const headerBytes = 12 + 8 + chunk.length + (chunk.length & 1) + 8;
  const file = new Uint8Array(headerBytes + dataBytes + (dataBytes & 1));
  const view = new DataView(file.buffer);
  const ascii = (at: number, text: string) => file.set(Buffer.from(text, 'latin1'), at);
  ascii(0, 'RIFF');
  view.setUint32(4, file.length - 8, true);
  ascii(8, 'WAVEfmt ');
  view.setUint32(16, chunk.length, true);
  file.set(chunk, 20);
  ascii(headerBytes - 8, 'data');
  view.setUint32(headerBytes - 4, dataBytes, true);
  let at = headerBytes;
  for (const [index, part] of parts.entries()) {
    const start = at;
    for (const piece of part.pieces) {
      file.set(piece, at);
      at += piece.length;
    }
    const placed = file.subarray(start, at);
    if (index > 0) fade(placed, part.format, 'in');
    if (index < parts.length - 1) fade(placed, part.format, 'out');
  }
  return file;
}

/** Only for 16-bit samples, the format of speech services; other samples stay as they are. */
function fade(data: Uint8Array, { sampleFormat, sampleRateHz, channels, blockBytes }: WavFormat, way: 'in' | 'out') {
  if (sampleFormat !== 's16') return;
  const frames = data.length / blockBytes;
  const length = Math.min(Math.round(FADE_SECONDS * sampleRateHz), Math.floor(frames / 2));
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let frame = 0; frame < length; frame++) {
    const at = (way === 'in' ? frame : frames - 1 - frame) * blockBytes;
    for (let channel = 0; channel < channels; channel++) {
      const offset = at + channel * 2;
      view.setInt16(offset, Math.round((view.getInt16(offset, true) * frame) / length), true);
    }
  }
}
