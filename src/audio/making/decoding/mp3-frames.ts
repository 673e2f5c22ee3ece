/** The header of one MPEG audio frame of layer III; http://www.mp3-tech.org/programmer/frame_header.html */
interface Mp3Header {
  sampleRateHz: number;
  channels: 1 | 2;
  samples: number;
  /** The whole frame, header included. */
  bytes: number;
  /** Position of a Xing or Info tag in a first frame without audio. */
  tagOffset: number;
}

const BITRATES_V1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_V2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const RATES_V1 = [44_100, 48_000, 32_000];

/** Undefined unless the four bytes at `at` are a header with a bit rate of its own (free format is not supported). */
export function parseMp3Header(bytes: Uint8Array, at = 0): Mp3Header | undefined {
  const [b0, b1, b2, b3] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  if (b0 !== 0xff || b1 === undefined || b2 === undefined || b3 === undefined || (b1 & 0xe0) !== 0xe0) return undefined;
  const version = (b1 >> 3) & 3;
  const layer = (b1 >> 1) & 3;
  const isV1 = version === 3;
  if (version === 1 || layer !== 1) return undefined;
  const bitrate = (isV1 ? BITRATES_V1 : BITRATES_V2)[b2 >> 4];
  const rateV1 = RATES_V1[(b2 >> 2) & 3];
  if (!bitrate || rateV1 === undefined) return undefined;
  const sampleRateHz = isV1 ? rateV1 : version === 2 ? rateV1 / 2 : rateV1 / 4;
  const channels = b3 >> 6 === 3 ? 1 : 2;
  const samples = isV1 ? 1152 : 576;
  const bytesInFrame = Math.floor((samples / 8) * ((bitrate * 1000) / sampleRateHz)) + ((b2 >> 1) & 1);
  const sideInfo = isV1 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17;
  return { sampleRateHz, channels, samples, bytes: bytesInFrame, tagOffset: 4 + sideInfo };
}

/** Frames of one file share version, layer and sample rate; other matches are accidental. */
function sameStream(a: Mp3Header, b: Mp3Header): boolean {
  return a.sampleRateHz === b.sampleRateHz && a.samples === b.samples;
}

/** The number of audio frames that a Xing or Info tag declares, if the frame has one. */
export function declaredFrames(frame: Uint8Array, header: Mp3Header): number | undefined {
  const at = header.tagOffset;
  const tag = String.fromCharCode(...frame.subarray(at, at + 4));
  if (tag !== 'Xing' && tag !== 'Info') return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const hasFrames = (view.getUint32(at + 4) & 1) !== 0;
  return hasFrames && at + 12 <= frame.length ? view.getUint32(at + 8) : undefined;
}

export interface Mp3Frame {
  header: Mp3Header;
  bytes: Uint8Array;
}

/** Cuts a byte stream into whole frames, skipping tags and garbage. So the decoder only gets audio. */
interface Mp3Splitter {
  push(chunk: Uint8Array): Mp3Frame[];
  /** The last frame, if it is whole. */
  end(): Mp3Frame[];
  /** Bytes of a truncated last frame. */
  readonly leftover: number;
}

const ID3V1_BYTES = 128;

export function createMp3Splitter(): Mp3Splitter {
  let pending: Uint8Array = new Uint8Array(0);
  let toSkip = 0;
  let stream: Mp3Header | undefined;
  let leftover = 0;

  const tagAt = (at: number, tag: string): boolean => {
    for (let i = 0; i < tag.length; i++) if (pending[at + i] !== tag.charCodeAt(i)) return false;
    return true;
  };

  /** Length of a tag at `at`, 0 without one, undefined when more bytes are needed to decide. */
  function tagLength(at: number, isEnd: boolean): number | undefined {
    if (tagAt(at, 'ID3')) {
      if (at + 10 > pending.length) return isEnd ? pending.length - at : undefined;
      // Four bytes of seven bits; a footer adds as much as the header. https://id3.org/id3v2.4.0-structure
      let size = 0;
      for (let i = 6; i < 10; i++) size = (size << 7) | ((pending[at + i] ?? 0) & 0x7f);
      return size + 10 + (((pending[at + 5] ?? 0) & 0x10) === 0 ? 0 : 10);
    }
    if (tagAt(at, 'TAG')) return ID3V1_BYTES;
    if (tagAt(at, 'APETAGEX')) {
      if (at + 32 > pending.length) return isEnd ? pending.length - at : undefined;
      return 32 + new DataView(pending.buffer, pending.byteOffset).getUint32(at + 12, true);
    }
    return 0;
  }

  function split(isEnd: boolean): Mp3Frame[] {
    const frames: Mp3Frame[] = [];
    let at = 0;
    let isInSync = true;
    while (at < pending.length) {
      const tag = tagLength(at, isEnd);
      if (tag === undefined) break;
      if (tag > 0) {
        at += tag;
        continue;
      }
      if (at + 4 > pending.length && !isEnd) break;
      const header = parseMp3Header(pending, at);
      const isPlausible = header !== undefined && (stream === undefined || sameStream(stream, header));
      if (!isPlausible) {
        isInSync = false;
        at += 1;
        continue;
      }
      const end = at + header.bytes;
      // The first header, and one found after garbage, must be followed by another: two bytes of sync may be accidental.
      const needsProof = stream === undefined || !isInSync;
      if (needsProof && end + 4 > pending.length && !isEnd) break;
      const next = end + 4 <= pending.length ? parseMp3Header(pending, end) : undefined;
      if (needsProof && !(next && sameStream(header, next)) && !(isEnd && end === pending.length)) {
        isInSync = false;
        at += 1;
        continue;
      }
      if (end > pending.length) {
        if (isEnd) leftover = pending.length - at;
        break;
      }
      stream ??= header;
      isInSync = true;
      frames.push({ header, bytes: pending.subarray(at, end) });
      at = end;
    }
    toSkip = Math.max(0, at - pending.length);
    pending = pending.slice(Math.min(at, pending.length));
    return frames;
  }

  return {
    push(chunk) {
      const fresh = toSkip > 0 ? chunk.subarray(Math.min(toSkip, chunk.length)) : chunk;
      toSkip -= chunk.length - fresh.length;
      if (fresh.length === 0) return [];
      const joined = new Uint8Array(pending.length + fresh.length);
      joined.set(pending);
      joined.set(fresh, pending.length);
      pending = joined;
      return split(false);
    },
    end: () => split(true),
    get leftover() {
      return leftover;
    },
  };
}
