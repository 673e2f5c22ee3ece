/** A WAV file taken apart; http://soundfile.sapp.org/doc/WaveFormat/ */
export interface WavFile {
  /** The whole content of the `fmt ` chunk: parts with the same one can be joined. */
  readonly format: Uint8Array;
  readonly sampleRateHz: number;
  readonly channels: number;
  readonly bitsPerSample: number;
  readonly isPcm: boolean;
  readonly blockBytes: number;
  readonly data: Uint8Array;
}

const PCM = 1;
const EXTENSIBLE = 0xfffe;

/** Throws a RangeError when it is not WAV, or holds no sound, or less than it says. */
export function parseWav(bytes: Uint8Array): WavFile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ascii = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < 12 || ascii(0) !== 'RIFF' || ascii(8) !== 'WAVE') throw new RangeError('not a WAV file');
  let format: Uint8Array | undefined;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = ascii(at);
    const declared = view.getUint32(at + 4, true);
    const start = at + 8;
    if (name === 'fmt ') {
      if (declared < 16 || start + declared > bytes.length) throw new RangeError('its format is cut off');
      format = bytes.subarray(start, start + declared);
    } else if (name === 'data') {
      if (format === undefined) throw new RangeError('its format is missing');
      // A streaming writer does not know the size: then the data is all that follows.
      const isOpenEnded = declared === 0xffffffff || (declared === 0 && start < bytes.length);
      if (!isOpenEnded && start + declared > bytes.length) throw new RangeError('it ends before its header says');
      return describe(format, bytes.subarray(start, isOpenEnded ? bytes.length : start + declared));
    }
    at = start + declared + (declared & 1);
  }
  throw new RangeError('it holds no sound');
}

function describe(format: Uint8Array, data: Uint8Array): WavFile {
  const view = new DataView(format.buffer, format.byteOffset, format.byteLength);
  const tag = view.getUint16(0, true);
  const [channels, blockBytes] = [view.getUint16(2, true), view.getUint16(12, true)];
  const sampleRateHz = view.getUint32(4, true);
  if (channels === 0 || blockBytes === 0 || sampleRateHz === 0) throw new RangeError('its format makes no sense');
  // An extensible format names the real one in the first two bytes of its identifier.
  const isPcm = tag === PCM || (tag === EXTENSIBLE && format.length >= 26 && view.getUint16(24, true) === PCM);
  const whole = data.subarray(0, data.length - (data.length % blockBytes));
  if (whole.length === 0) throw new RangeError('it holds no sound');
  return { format, sampleRateHz, channels, bitsPerSample: view.getUint16(14, true), isPcm, blockBytes, data: whole };
}

export function wavSeconds(wav: WavFile): number {
  return wav.data.length / wav.blockBytes / wav.sampleRateHz;
}

/** A joint between two parts fades over this time, so that a step from one sample to the next is no click. */
const FADE_SECONDS = 0.004;

/** One file with the sound of all parts in a row; undefined when their formats differ. */
export function joinWav(parts: readonly WavFile[]): Uint8Array | undefined {
  const [first] = parts;
  if (first === undefined || !parts.every((part) => Buffer.from(part.format).equals(first.format))) return undefined;
  const dataBytes = parts.reduce((sum, part) => sum + part.data.length, 0);
  const headerBytes = 12 + 8 + first.format.length + (first.format.length & 1) + 8;
  const file = new Uint8Array(headerBytes + dataBytes + (dataBytes & 1));
  const view = new DataView(file.buffer);
  const ascii = (at: number, text: string) => file.set(Buffer.from(text, 'latin1'), at);
  ascii(0, 'RIFF');
  view.setUint32(4, file.length - 8, true);
  ascii(8, 'WAVEfmt ');
  view.setUint32(16, first.format.length, true);
  file.set(first.format, 20);
  ascii(headerBytes - 8, 'data');
  view.setUint32(headerBytes - 4, dataBytes, true);
  let at = headerBytes;
  for (const [index, part] of parts.entries()) {
    file.set(part.data, at);
    const placed = file.subarray(at, at + part.data.length);
    if (index > 0) fade(placed, first, 'in');
    if (index < parts.length - 1) fade(placed, first, 'out');
    at += part.data.length;
  }
  return file;
}

/** Only for 16-bit samples, the format of speech services; other samples stay as they are. */
function fade(
  data: Uint8Array,
  { isPcm, bitsPerSample, sampleRateHz, channels, blockBytes }: WavFile,
  way: 'in' | 'out',
) {
  if (!isPcm || bitsPerSample !== 16) return;
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
