import { ID3V2_HEADER_BYTES, id3v2Length, type Mp3Header, parseMp3Header } from '../../sound/mp3-header.ts';

export interface Mp3File {
  /** Whole frames with sound, without ID3 tags and without the frame that only describes the file. */
  readonly frames: readonly Uint8Array[];
  readonly sampleRateHz: number;
  readonly channels: 1 | 2;
  readonly samplesPerFrame: number;
  readonly isConstantRate: boolean;
}

/** Throws a RangeError when there is no MP3 in it, or its last frame is cut off. */
export function parseMp3(bytes: Uint8Array): Mp3File {
  const frames: Uint8Array[] = [];
  let first: Mp3Header | undefined;
  let isConstantRate = true;
  let at = startsWithTag(bytes) ? id3v2Length(bytes) : 0;
  while (at + 4 <= bytes.length) {
    const header = parseMp3Header(bytes, at);
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
  const { sampleRateHz, channels, samples } = first;
  return { frames, sampleRateHz, channels, samplesPerFrame: samples, isConstantRate };
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

const kbitsOf = (mp3: Mp3File): number | undefined => mp3.frames[0] && parseMp3Header(mp3.frames[0])?.kbits;

function isSameSound(a: Mp3File, b: Mp3File): boolean {
  return a.sampleRateHz === b.sampleRateHz && a.channels === b.channels && a.samplesPerFrame === b.samplesPerFrame;
}

function isSameStream(a: Mp3Header, b: Mp3Header): boolean {
  return a.sampleRateHz === b.sampleRateHz && a.samples === b.samples && a.channels === b.channels;
}

function isFollowed(bytes: Uint8Array, at: number): boolean {
  return at === bytes.length || parseMp3Header(bytes, at) !== undefined || isTrailingTag(bytes, at);
}

/** A silent frame like the first one, with a tag that says how many frames and bytes there are. */
function describe(frames: readonly Uint8Array[], isConstantRate: boolean): Uint8Array {
  const [model] = frames;
  const header = model && parseMp3Header(model);
  if (model === undefined || header === undefined) throw new RangeError('no frames to describe');
  const frame = new Uint8Array(header.bytes);
  frame.set(model.subarray(0, 4));
  // Bit 0 of the second byte: no checksum follows the header, so the side information begins at once.
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

function isDescription(frame: Uint8Array, header: Mp3Header): boolean {
  const tag = (at: number) => String.fromCharCode(...frame.subarray(at, at + 4));
  // VBRI always stands 32 bytes behind the header.
  return ['Xing', 'Info'].includes(tag(header.tagOffset)) || tag(36) === 'VBRI';
}

const startsWithTag = (bytes: Uint8Array) =>
  bytes.length >= ID3V2_HEADER_BYTES && String.fromCharCode(...bytes.subarray(0, 3)) === 'ID3';

function isTrailingTag(bytes: Uint8Array, at: number): boolean {
  const text = String.fromCharCode(...bytes.subarray(at, at + 8));
  return text.startsWith('TAG') || text === 'APETAGEX' || text.startsWith('ID3');
}
