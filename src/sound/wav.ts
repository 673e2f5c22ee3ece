import { joinBytes } from './containers.ts';

/** Format tags of WAV files; https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html */
const FORMAT_PCM = 1;
const FORMAT_FLOAT = 3;
const FORMAT_EXTENSIBLE = 0xfffe;

/** Sample rates that are accepted in WAV files: others come from a broken header rather than speech. */
export const MIN_SAMPLE_RATE_HZ = 8_000;
export const MAX_SAMPLE_RATE_HZ = 192_000;

export interface WavFormat {
  /** Reads one sample of a WAV file, in -1..1. */
  readonly read: ReadSample;
  readonly channels: number;
  readonly sampleRateHz: number;
  /** Bytes of one sample of every channel of a WAV file. */
  readonly blockBytes: number;
  /** The `fmt ` chunk of a WAV file. WAV files with equal chunks can be joined. */
  readonly chunk: Uint8Array;
}

type ReadSample = (view: DataView, at: number) => number;

const readInt16: ReadSample = (view, at) => view.getInt16(at, true) / 32_768;

/** How samples are read, by the format tag and the bits of a sample. */
const READERS: Readonly<Record<string, ReadSample>> = {
  [`${FORMAT_PCM}:8`]: (view, at) => (view.getUint8(at) - 128) / 128,
  [`${FORMAT_PCM}:16`]: readInt16,
  [`${FORMAT_PCM}:24`]: (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8_388_608,
  [`${FORMAT_PCM}:32`]: (view, at) => view.getInt32(at, true) / 2_147_483_648,
  [`${FORMAT_FLOAT}:32`]: (view, at) => view.getFloat32(at, true),
  [`${FORMAT_FLOAT}:64`]: (view, at) => view.getFloat64(at, true),
};

/** Returns undefined for a compressed format, which ffmpeg may read. Throws a RangeError for senseless chunks. */
export function parseWavFormat(chunk: Uint8Array): WavFormat | undefined {
  const body = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (body.byteLength < 16) throw new RangeError('its format is cut off');
  let tag = body.getUint16(0, true);
  const channels = body.getUint16(2, true);
  const sampleRateHz = body.getUint32(4, true);
  const declaredBlockBytes = body.getUint16(12, true);
  const bits = body.getUint16(14, true);
  // A WAV file in the extensible format has its real format tag in the first two bytes of the sub-format.
  if (tag === FORMAT_EXTENSIBLE && body.byteLength >= 26) tag = body.getUint16(24, true);
  if (channels === 0 || channels > 32 || sampleRateHz < MIN_SAMPLE_RATE_HZ || sampleRateHz > MAX_SAMPLE_RATE_HZ) {
    throw new RangeError(`its format makes no sense: ${channels} channels at ${sampleRateHz} Hz`);
  }
  // In WAV formats such as 20 bits in 24, the low bits are padding, so samples are read at the size of their container.
  const containerBits = declaredBlockBytes % channels === 0 ? (declaredBlockBytes / channels) * 8 : bits;
  const sampleBits = containerBits >= bits && containerBits > 0 ? containerBits : bits;
  const read = READERS[`${tag}:${sampleBits}`];
  return read && { read, channels, sampleRateHz, blockBytes: (sampleBits / 8) * channels, chunk };
}

/** Reads 16-bit mono samples, the most common format, in a fifth of the time of the general code. */
function monoInt16(bytes: Uint8Array): Float32Array {
  const samples = new Float32Array(bytes.length >> 1);
  for (let i = 0, at = 0; i < samples.length; i++, at += 2) {
    // The high byte of a 16-bit sample carries the sign.
    samples[i] = ((((bytes[at + 1] as number) << 24) >> 16) | (bytes[at] as number)) / 32_768;
  }
  return samples;
}

/** Turns the bytes of a WAV file into mono samples, the mean of all channels. NaN becomes silence. */
export function wavSamples(bytes: Uint8Array, format: WavFormat): Float32Array {
  const { read, channels, blockBytes } = format;
  if (read === readInt16 && channels === 1) return monoInt16(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sampleBytes = blockBytes / channels;
  const samples = new Float32Array(Math.floor(bytes.byteLength / blockBytes));
  for (let block = 0, at = 0; block < samples.length; block++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++, at += sampleBytes) sum += read(view, at);
    const mean = sum / channels;
    samples[block] = Number.isFinite(mean) ? mean : 0;
  }
  return samples;
}

/** The size that a WAV header declares if the length of the audio is not known yet. */
const UNKNOWN_SIZE = 0xffff_ffff;

/** Mono samples in -1..1 as a RIFF file with 16-bit PCM; http://soundfile.sapp.org/doc/WaveFormat/ */
export function wavFile(samples: Float32Array, sampleRateHz: number): Uint8Array<ArrayBuffer> {
  return joinBytes([wavHeader(sampleRateHz, samples.length * 2), wavData(samples)]);
}

/** Without `dataBytes`, the WAV header declares that the length of the audio is unknown. */
export function wavHeader(sampleRateHz: number, dataBytes?: number): Uint8Array<ArrayBuffer> {
  const channels = 1;
  const [sampleBytes, sampleBits] = [2, 16];
  const rates = uint32(sampleRateHz, sampleRateHz * sampleBytes);
  const format = joinBytes([uint16(FORMAT_PCM, channels), rates, uint16(sampleBytes, sampleBits)]);
  return headerOf(format, dataBytes);
}

/** RIFF numbers are little-endian, like this machine's. */
const uint16 = (...values: number[]) => new Uint8Array(Uint16Array.from(values).buffer);
const uint32 = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer);

function headerOf(format: Uint8Array, dataBytes?: number): Uint8Array<ArrayBuffer> {
  const ascii = (text: string) => Buffer.from(text, 'latin1');
  const padding = new Uint8Array(format.length % 2);
  const before = joinBytes([ascii('WAVEfmt '), uint32(format.length), format, padding, ascii('data')]);
  // RIFF's size field counts all bytes after itself: those up to 'data', 4 bytes for the size of the data, and the data.
  const fileBytes = dataBytes === undefined ? UNKNOWN_SIZE : before.length + 4 + dataBytes + (dataBytes % 2);
  return joinBytes([ascii('RIFF'), uint32(fileBytes), before, uint32(dataBytes ?? UNKNOWN_SIZE)]);
}

export function wavData(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  for (let i = 0; i < samples.length; i += 1) {
    const value = Math.max(-1, Math.min(1, samples[i] as number));
    view.setInt16(i * 2, Math.round(value * 32_767), true);
  }
  return new Uint8Array(view.buffer);
}

export interface WavSound {
  readonly format: WavFormat;
  readonly pieces: readonly Uint8Array[];
}

export const wavSeconds = ({ pieces, format }: WavSound): number =>
  pieces.reduce((sum, piece) => sum + piece.length, 0) / format.blockBytes / format.sampleRateHz;

/** How long the audio fades between two joined files. A step from one sample to the next would be a click. */
const FADE_SECONDS = 0.004;

/** Joins WAV files, with faded joints. Returns undefined if the formats of the WAV files differ. */
export function joinWav(parts: readonly WavSound[]): Uint8Array<ArrayBuffer> | undefined {
  const chunk = parts[0]?.format.chunk;
  if (chunk === undefined || !parts.every(({ format }) => Buffer.from(format.chunk).equals(chunk))) return undefined;
  const data = joinBytes(
    parts.map(({ format, pieces }, index) => {
      const bytes = joinBytes(pieces);
      if (index > 0) fade(bytes, format, 'in');
      if (index < parts.length - 1) fade(bytes, format, 'out');
      return bytes;
    }),
  );
  return joinBytes([headerOf(chunk, data.length), data, new Uint8Array(data.length % 2)]);
}

/** Only 16-bit audio, the format of speech services, is faded. */
function fade(data: Uint8Array, { read, sampleRateHz, channels, blockBytes }: WavFormat, way: 'in' | 'out') {
  if (read !== readInt16) return;
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
