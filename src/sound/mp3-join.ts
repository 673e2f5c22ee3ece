import { parseMp3Header } from './mp3-header.ts';

export interface Mp3Sound {
  /** Whole frames with sound, without ID3 tags and without the frame that only describes the file. */
  readonly frames: readonly Uint8Array[];
  readonly sampleRateHz: number;
  readonly channels: 1 | 2;
  readonly samplesPerFrame: number;
  readonly isConstantRate: boolean;
}

export function mp3Seconds(mp3: Mp3Sound): number {
  return (mp3.frames.length * mp3.samplesPerFrame) / mp3.sampleRateHz;
}

/**
 * One file with the frames of all parts in a row; undefined when their rates or channels differ. Each part begins with a
 * frame that needs nothing of the one before it, so frames stay as they are. A new description in front tells players
 * the real length.
 */
export function joinMp3(parts: readonly Mp3Sound[]): Uint8Array | undefined {
  const [first] = parts;
  if (first === undefined || !parts.every((part) => isSameSound(part, first))) return undefined;
  const frames = parts.flatMap((part) => part.frames);
  const isConstantRate =
    parts.every((part) => part.isConstantRate) && new Set(parts.map((part) => kbitsOf(part))).size === 1;
  const description = describe(frames, isConstantRate);
  return Buffer.concat([description, ...frames]);
}

const kbitsOf = (mp3: Mp3Sound): number | undefined => mp3.frames[0] && parseMp3Header(mp3.frames[0])?.kbits;

function isSameSound(a: Mp3Sound, b: Mp3Sound): boolean {
  return a.sampleRateHz === b.sampleRateHz && a.channels === b.channels && a.samplesPerFrame === b.samplesPerFrame;
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
