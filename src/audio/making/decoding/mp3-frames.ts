import { ID3V2_HEADER_BYTES, id3v2Length, type Mp3Header, parseMp3Header } from '../../../sound/mp3-header.ts';

/** Frames of one file share version, layer and sample rate; other matches are accidental. */
function sameStream(a: Mp3Header, b: Mp3Header): boolean {
  return a.sampleRateHz === b.sampleRateHz && a.samples === b.samples;
}

/** The number of audio frames that a Xing or Info tag declares, if the frame has one. */
export function declaredFrames(frame: Uint8Array, header: Mp3Header): number | undefined {
  const at = header.tagOffset;
  const tag = String.fromCharCode(...frame.subarray(at, at + 4));
  // A frame can be too short for the tag's fields.
  if ((tag !== 'Xing' && tag !== 'Info') || at + 12 > frame.length) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const hasFrames = (view.getUint32(at + 4) & 1) !== 0;
  return hasFrames ? view.getUint32(at + 8) : undefined;
}

export interface Mp3Frame {
  readonly header: Mp3Header;
  readonly bytes: Uint8Array;
}

const ID3V1_BYTES = 128;

/** Cuts a byte stream into whole frames, skipping tags and garbage, so that the decoder only gets audio. */
export function createMp3Splitter() {
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
      if (at + ID3V2_HEADER_BYTES > pending.length) return isEnd ? pending.length - at : undefined;
      return id3v2Length(pending, at);
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
    push(chunk: Uint8Array): Mp3Frame[] {
      const fresh = toSkip > 0 ? chunk.subarray(Math.min(toSkip, chunk.length)) : chunk;
      toSkip -= chunk.length - fresh.length;
      if (fresh.length === 0) return [];
      const joined = new Uint8Array(pending.length + fresh.length);
      joined.set(pending);
      joined.set(fresh, pending.length);
      pending = joined;
      return split(false);
    },
    /** The last frame, if it is whole. */
    end: () => split(true),
    /** Bytes of a truncated last frame. */
    get leftover() {
      return leftover;
    },
  };
}
