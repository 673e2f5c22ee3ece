/** The header of one MPEG audio frame of layer III; http://www.mp3-tech.org/programmer/frame_header.html */
export type Mp3Header = NonNullable<ReturnType<typeof parseMp3Header>>;

const KBITS_V1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBITS_V2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const RATES_V1 = [44_100, 48_000, 32_000];

/** Returns undefined unless `at` has an MP3 header that names a bit rate (free format is not supported). */
export function parseMp3Header(bytes: Uint8Array, at = 0) {
  const [b0, b1, b2, b3] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  if (b0 !== 0xff || b1 === undefined || b2 === undefined || b3 === undefined || (b1 & 0xe0) !== 0xe0) return undefined;
  const version = (b1 >> 3) & 3;
  const layer = (b1 >> 1) & 3;
  const isV1 = version === 3;
  if (version === 1 || layer !== 1) return undefined;
  const kbits = (isV1 ? KBITS_V1 : KBITS_V2)[b2 >> 4];
  const rateV1 = RATES_V1[(b2 >> 2) & 3];
  if (!kbits || rateV1 === undefined) return undefined;
  const sampleRateHz = isV1 ? rateV1 : version === 2 ? rateV1 / 2 : rateV1 / 4;
  const channels = b3 >> 6 === 3 ? 1 : 2;
  const samples = isV1 ? 1152 : 576;
  const sideInfoBytes = isV1 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17;
  return {
    sampleRateHz,
    channels,
    samples,
    kbits,
    /** The length of the whole MP3 frame, including the header. */
    bytes: Math.floor((samples * kbits * 125) / sampleRateHz) + ((b2 >> 1) & 1),
    /** Where the first frame of an MP3 file has its Xing or Info tag, if any; a frame with such a tag has no audio. */
    tagOffset: 4 + sideInfoBytes,
  };
}

export const ID3V2_HEADER_BYTES = 10;

/** An ID3v2 tag states its size in four bytes of seven bits each: https://id3.org/id3v2.4.0-structure */
export function id3v2Length(bytes: Uint8Array, at = 0): number {
  const size = bytes.subarray(at + 6, at + 10).reduce((sum, byte) => (sum << 7) | (byte & 0x7f), 0);
  const hasFooter = ((bytes[at + 5] ?? 0) & 0x10) !== 0;
  return size + ID3V2_HEADER_BYTES * (hasFooter ? 2 : 1);
}

export interface Mp3Sound {
  /** Whole MP3 frames with audio, without ID3 tags and without the frame that only describes the file. */
  readonly frames: readonly Uint8Array[];
  readonly header: Mp3Header;
  readonly isConstantRate: boolean;
}

export const mp3Seconds = ({ frames, header }: Mp3Sound): number =>
  (frames.length * header.samples) / header.sampleRateHz;

/** Joins MP3 audio into one file, whose first frame tells players the length. Returns undefined if the parts' formats differ. */
export function joinMp3(parts: readonly Mp3Sound[]): Uint8Array | undefined {
  const [first] = parts;
  const isSame = ({ header: { sampleRateHz, channels, samples } }: Mp3Sound) =>
    sampleRateHz === first?.header.sampleRateHz &&
    channels === first.header.channels &&
    samples === first.header.samples;
  if (first === undefined || !parts.every(isSame)) return undefined;
  const frames = parts.flatMap((part) => part.frames);
  const isConstantRate = parts.every((part) => part.isConstantRate && part.header.kbits === first.header.kbits);
  return Buffer.concat([describe(first, frames, isConstantRate), ...frames]);
}

/** A silent MP3 frame that describes the file: its tag gives the number of frames and bytes. */
function describe({ header, frames: [model] }: Mp3Sound, frames: readonly Uint8Array[], isConstantRate: boolean) {
  const frame = new Uint8Array(header.bytes);
  if (model) frame.set(model.subarray(0, 4));
  // Bit 0 of an MP3 header's second byte: no checksum follows the header, so the side information begins at once.
  frame[1] = (frame[1] ?? 0) | 1;
  const view = new DataView(frame.buffer);
  frame.set(Buffer.from(isConstantRate ? 'Info' : 'Xing', 'latin1'), header.tagOffset);
  const HAS_FRAMES_AND_BYTES = 3;
  view.setUint32(header.tagOffset + 4, HAS_FRAMES_AND_BYTES);
  view.setUint32(header.tagOffset + 8, frames.length);
  view.setUint32(
    header.tagOffset + 12,
    frames.reduce((sum, part) => sum + part.length, frame.length),
  );
  return frame;
}
