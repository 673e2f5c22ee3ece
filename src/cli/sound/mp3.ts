/** MPEG layer III as frames; http://www.mp3-tech.org/programmer/frame_header.html */

const KBITS_V1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBITS_V2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const RATES_V1 = [44_100, 48_000, 32_000];

interface FrameHeader {
  readonly sampleRateHz: number;
  readonly isMono: boolean;
  readonly samples: number;
  readonly kbits: number;
  readonly bytes: number;
  /** Where a frame without sound carries its Xing or Info tag. */
  readonly tagAt: number;
}

export interface Mp3File {
  /** Whole frames with sound, without ID3 tags and without the frame that only describes the file. */
  readonly frames: readonly Uint8Array[];
  readonly sampleRateHz: number;
  readonly isMono: boolean;
  readonly samplesPerFrame: number;
  readonly isConstantRate: boolean;
}

function headerAt(bytes: Uint8Array, at: number): FrameHeader | undefined {
  const [b0 = 0, b1 = 0, b2 = 0, b3 = 0] = bytes.subarray(at, at + 4);
  const version = (b1 >> 3) & 3;
  if (b0 !== 0xff || (b1 & 0xe0) !== 0xe0 || version === 1 || ((b1 >> 1) & 3) !== 1) return undefined;
  const isV1 = version === 3;
  const kbits = (isV1 ? KBITS_V1 : KBITS_V2)[b2 >> 4];
  const rate = RATES_V1[(b2 >> 2) & 3];
  if (!kbits || rate === undefined) return undefined;
  const sampleRateHz = rate / (isV1 ? 1 : version === 2 ? 2 : 4);
  const isMono = b3 >> 6 === 3;
  const samples = isV1 ? 1152 : 576;
  const sideInfoBytes = isV1 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  return {
    sampleRateHz,
    isMono,
    samples,
    kbits,
    bytes: Math.floor((samples * kbits * 125) / sampleRateHz) + ((b2 >> 1) & 1),
    tagAt: 4 + sideInfoBytes,
  };
}

/** Throws a RangeError when there is no MP3 in it, or its last frame is cut off. */
export function parseMp3(bytes: Uint8Array): Mp3File {
  const frames: Uint8Array[] = [];
  let first: FrameHeader | undefined;
  let isConstantRate = true;
  let at = id3Length(bytes);
  while (at + 4 <= bytes.length) {
    const header = headerAt(bytes, at);
    const belongs = header !== undefined && (first === undefined || isSameStream(header, first));
    // The very first header must be followed by another one: two bytes of sync are quickly chance.
    if (!belongs || (first === undefined && !isFollowed(bytes, at + header.bytes))) {
      if (first !== undefined && isTrailingTag(bytes, at)) break;
      at++;
      continue;
    }
    if (at + header.bytes > bytes.length) throw new RangeError('its last frame is cut off');
    const frame = bytes.subarray(at, at + header.bytes);
    if (first !== undefined || !isDescription(frame, header)) {
      frames.push(frame);
      first ??= header;
      if (header.kbits !== first.kbits) isConstantRate = false;
    }
    at += header.bytes;
  }
  if (first === undefined) throw new RangeError('not an MP3 file');
  const { sampleRateHz, isMono, samples } = first;
  return { frames, sampleRateHz, isMono, samplesPerFrame: samples, isConstantRate };
}

export function mp3Seconds(mp3: Mp3File): number {
  return (mp3.frames.length * mp3.samplesPerFrame) / mp3.sampleRateHz;
}

/**
 * One file with the frames of all parts in a row; undefined when their rates or channels differ. Each part begins with a
 * frame that needs nothing of the one before it, so frames stay as they are. A new description in front tells players
 * the real length.
 */
export function joinMp3(parts: readonly Mp3File[]): Uint8Array | undefined {
  const [first] = parts;
  if (first === undefined || !parts.every((part) => isSameSound(part, first))) return undefined;
  const frames = parts.flatMap((part) => part.frames);
  const isConstantRate =
    parts.every((part) => part.isConstantRate) && new Set(parts.map((part) => kbitsOf(part))).size === 1;
  const description = describe(frames, isConstantRate);
  return Buffer.concat([description, ...frames]);
}

const kbitsOf = (mp3: Mp3File): number | undefined => mp3.frames[0] && headerAt(mp3.frames[0], 0)?.kbits;

function isSameSound(a: Mp3File, b: Mp3File): boolean {
  return a.sampleRateHz === b.sampleRateHz && a.isMono === b.isMono && a.samplesPerFrame === b.samplesPerFrame;
}

function isSameStream(a: FrameHeader, b: FrameHeader): boolean {
  return a.sampleRateHz === b.sampleRateHz && a.samples === b.samples && a.isMono === b.isMono;
}

function isFollowed(bytes: Uint8Array, at: number): boolean {
  return at === bytes.length || headerAt(bytes, at) !== undefined || isTrailingTag(bytes, at);
}

/** A silent frame like the first one, with a tag that says how many frames and bytes there are. */
function describe(frames: readonly Uint8Array[], isConstantRate: boolean): Uint8Array {
  const [model] = frames;
  const header = model && headerAt(model, 0);
  if (model === undefined || header === undefined) throw new RangeError('no frames to describe');
  const frame = new Uint8Array(header.bytes);
  frame.set(model.subarray(0, 4));
  // Bit 0 of the second byte: no checksum follows the header, so the side information begins at once.
  frame[1] = (frame[1] ?? 0) | 1;
  const view = new DataView(frame.buffer);
  frame.set(Buffer.from(isConstantRate ? 'Info' : 'Xing', 'latin1'), header.tagAt);
  const HAS_FRAMES_AND_BYTES = 3;
  view.setUint32(header.tagAt + 4, HAS_FRAMES_AND_BYTES);
  view.setUint32(header.tagAt + 8, frames.length);
  view.setUint32(
    header.tagAt + 12,
    frames.reduce((sum, part) => sum + part.length, frame.length),
  );
  return frame;
}

function isDescription(frame: Uint8Array, header: FrameHeader): boolean {
  const tag = (at: number) => String.fromCharCode(...frame.subarray(at, at + 4));
  // VBRI always stands 32 bytes behind the header.
  return ['Xing', 'Info'].includes(tag(header.tagAt)) || tag(36) === 'VBRI';
}

/** ID3v2 in front: ten bytes and a size of four times seven bits. https://id3.org/id3v2.4.0-structure */
function id3Length(bytes: Uint8Array): number {
  if (bytes.length < 10 || String.fromCharCode(...bytes.subarray(0, 3)) !== 'ID3') return 0;
  const size = bytes.subarray(6, 10).reduce((sum, byte) => (sum << 7) | (byte & 0x7f), 0);
  return 10 + size + (((bytes[5] ?? 0) & 0x10) === 0 ? 0 : 10);
}

function isTrailingTag(bytes: Uint8Array, at: number): boolean {
  const text = String.fromCharCode(...bytes.subarray(at, at + 8));
  return text.startsWith('TAG') || text === 'APETAGEX' || text.startsWith('ID3');
}
