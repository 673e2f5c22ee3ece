/** Format tags; https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html */
const FORMAT_PCM = 1;
const FORMAT_FLOAT = 3;
const FORMAT_EXTENSIBLE = 0xfffe;

/** Rates that are read; others come from a broken header rather than speech. */
export const MIN_SAMPLE_RATE_HZ = 8_000;
export const MAX_SAMPLE_RATE_HZ = 192_000;

export type SampleFormat = 'u8' | 's16' | 's24' | 's32' | 'f32' | 'f64';

export interface WavFormat {
  readonly sampleFormat: SampleFormat;
  readonly channels: number;
  readonly sampleRateHz: number;
  /** Bytes of one sample of every channel. */
  readonly blockBytes: number;
  /** The `fmt ` chunk: sound with the same one can be joined. */
  readonly chunk: Uint8Array;
}

export const SAMPLE_BYTES: Record<SampleFormat, number> = { u8: 1, s16: 2, s24: 3, s32: 4, f32: 4, f64: 8 };

const SAMPLE_FORMATS: Readonly<Record<number, Readonly<Record<number, SampleFormat>>>> = {
  [FORMAT_PCM]: { 8: 'u8', 16: 's16', 24: 's24', 32: 's32' },
  [FORMAT_FLOAT]: { 32: 'f32', 64: 'f64' },
};

/** Reads the body of a `fmt ` chunk. Undefined: a compressed format, which ffmpeg may read. Throws a RangeError for nonsense. */
export function parseWavFormat(chunk: Uint8Array): WavFormat | undefined {
  const body = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (body.byteLength < 16) throw new RangeError('its format is cut off');
  let tag = body.getUint16(0, true);
  const channels = body.getUint16(2, true);
  const sampleRateHz = body.getUint32(4, true);
  const declaredBlockBytes = body.getUint16(12, true);
  const bits = body.getUint16(14, true);
  // Extensible: the real tag is the first two bytes of the sub-format.
  if (tag === FORMAT_EXTENSIBLE && body.byteLength >= 26) tag = body.getUint16(24, true);
  if (channels === 0 || channels > 32 || sampleRateHz < MIN_SAMPLE_RATE_HZ || sampleRateHz > MAX_SAMPLE_RATE_HZ) {
    throw new RangeError(`its format makes no sense: ${channels} channels at ${sampleRateHz} Hz`);
  }
  // 20 bits in 24 and the like: the container's size decides how samples are read, the padding is in the low bits.
  const containerBits = declaredBlockBytes % channels === 0 ? (declaredBlockBytes / channels) * 8 : bits;
  const sampleFormat = SAMPLE_FORMATS[tag]?.[containerBits >= bits && containerBits > 0 ? containerBits : bits];
  if (!sampleFormat) return undefined;
  return { sampleFormat, channels, sampleRateHz, blockBytes: SAMPLE_BYTES[sampleFormat] * channels, chunk };
}
