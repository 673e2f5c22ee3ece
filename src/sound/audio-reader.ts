import { Buffer } from 'node:buffer';
import { containerOf, isTag, joinBytes, SIGNATURE_BYTES } from './containers.ts';
import { ID3V2_HEADER_BYTES, id3v2Length, type Mp3Header, parseMp3Header } from './mp3.ts';
import { parseWavFormat, type WavFormat } from './wav.ts';

export type AudioPiece =
  | { readonly kind: 'wav'; readonly format: WavFormat; readonly bytes: Uint8Array; readonly file: number }
  /** A whole MP3 frame. `isDescription`: the frame has no audio and describes its file. */
  | {
      readonly kind: 'mp3';
      readonly header: Mp3Header;
      readonly bytes: Uint8Array;
      readonly file: number;
      readonly isDescription: boolean;
    }
  /** Bytes that are neither WAV nor MP3, or that continue in another format. ffmpeg may decode them. */
  | { readonly kind: 'other'; readonly bytes: Uint8Array };

/** A WAV file that was written as a stream declares a size of 0 or about 0xFFFFFFFF. Its audio ends with the file. */
const UNKNOWN_SIZE_FROM = 0x7fff_0000;
/** A WAV file with more bytes than this before its audio (tags, pictures) counts as broken. */
const MAX_HEADER_BYTES = 4 * 1024 * 1024;
/** Real WAV files have up to a dozen chunks before the audio. Parsing endless chunks would block other work. */
const MAX_HEADER_CHUNKS = 1_000;
/** Maximum samples per channel in a piece of WAV audio: small pieces let the first packet go out soon and delay no other server. */
const MAX_BLOCKS = 2048;
/** A complete audio file may be this many seconds shorter than it declares, because encoders round the length. */
const TOLERATED_SECONDS = 0.02;
/** The first bytes of audio signatures: unknown data is searched for a signature only where it has one of them. */
const STARTS: ReadonlySet<number> = new Set([0xff, ...Buffer.from('ITROf')]);
const ID3V1_BYTES = 128;

interface OpenWav {
  format: WavFormat | undefined;
  /** How many bytes of the WAV file's audio are still to come; undefined until the audio begins. */
  left: number | undefined;
  headerBytes: number;
  chunks: number;
}

/** All MP3 frames of a file agree in sample rate and samples per frame. A header that differs is no real one, or begins another file. */
const sameStream = (a: Mp3Header, b: Mp3Header): boolean =>
  a.sampleRateHz === b.sampleRateHz && a.samples === b.samples;

/** The number of frames in an MP3 file's Xing or Info tag: NaN if the tag names none, undefined without a tag. */
function declaredFrames(frame: Uint8Array, { tagOffset: at }: Mp3Header): number | undefined {
  // A VBRI tag, which describes an MP3 file, is always 32 bytes after the header.
  if (isTag(frame, 36, 'VBRI')) return Number.NaN;
  if (!isTag(frame, at, 'Xing') && !isTag(frame, at, 'Info')) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  return at + 12 <= frame.length && (view.getUint32(at + 4) & 1) !== 0 ? view.getUint32(at + 8) : Number.NaN;
}

/** The stream may hold several files in a row, with different sample rates, tags and other chunks. */
export function createAudioReader() {
  let pending: Uint8Array = new Uint8Array(0);
  let toSkip = 0;
  let wav: OpenWav | undefined;
  let stream: Mp3Header | undefined;
  let frames = 0;
  let declared = Number.NaN;
  /** False after bytes that are no audio. While true, an MP3 frame needs no second frame as proof. */
  let isInSync = true;
  let isOther = false;
  let hasBegun = false;
  let isAfterWav = false;
  let files = 0;
  let isBroken = false;
  let problem: string | undefined;
  let pieces: AudioPiece[] = [];

  function skip(count: number): void {
    toSkip = Math.max(0, count - pending.length);
    pending = pending.subarray(Math.min(count, pending.length));
  }

  /** Reads on in the audio stream by one chunk, frame or piece. Returns false if more bytes must arrive first. */
  function step(isEnd: boolean): boolean {
    if (wav) return wav.left === undefined ? readChunk(wav, isEnd) : readData(wav, wav.left, isEnd);
    return hasBegun ? seek(isEnd) : begin(isEnd);
  }

  function begin(isEnd: boolean): boolean {
    // The reader waits for the first 64 bytes, which show the format of any audio.
    if (pending.length === 0 || (pending.length < 64 && !isEnd)) return false;
    hasBegun = true;
    const container = containerOf(pending);
    isOther = container !== 'mp3' && !(container === 'wav' && isReadable());
    return true;
  }

  /** False if the first bytes of a WAV file show that it is compressed. */
  function isReadable(): boolean {
    if (!isTag(pending, 12, 'fmt ') || pending.length < 36) return true;
    const size = new DataView(pending.buffer, pending.byteOffset).getUint32(16, true);
    return parseWavFormat(pending.subarray(20, 20 + Math.max(16, size))) !== undefined;
  }

  function seek(isEnd: boolean): boolean {
    let at = 0;
    try {
      while (at < pending.length) {
        if (pending.length - at < SIGNATURE_BYTES && !isEnd) return false;
        if (!isInSync && !STARTS.has(pending[at] as number)) {
          at += 1;
          continue;
        }
        const found = tagLength(at, isEnd) ?? frameAt(at, isEnd);
        if (found === 'wait') return false;
        if (found > 0) {
          at += found;
          continue;
        }
        const container = containerOf(pending, at);
        if (container === 'wav') {
          endMp3();
          wav = { format: undefined, left: undefined, headerBytes: 0, chunks: 0 };
          files += 1;
          at += SIGNATURE_BYTES;
          return true;
        }
        if (container === 'ogg' || container === 'flac') {
          isOther = true;
          return true;
        }
        const chunkBytes = isInSync && isAfterWav ? trailingChunk(at) : 0;
        if (chunkBytes === 0) isInSync = false;
        at += Math.max(1, chunkBytes);
      }
      return false;
    } finally {
      skip(at);
    }
  }

  /** The length of an ID3 tag: 'wait' if more bytes are needed, undefined without a tag. */
  function tagLength(at: number, isEnd: boolean): number | 'wait' | undefined {
    if (isTag(pending, at, 'TAG')) return ID3V1_BYTES;
    if (!isTag(pending, at, 'ID3')) return undefined;
    if (at + ID3V2_HEADER_BYTES > pending.length) return isEnd ? pending.length - at : 'wait';
    // An ID3v2 tag begins a new MP3 file.
    endMp3();
    return id3v2Length(pending, at);
  }

  /** Returns the length of the MP3 frame at `at`: 0 without a frame, 'wait' if more bytes are needed. */
  function frameAt(at: number, isEnd: boolean): number | 'wait' {
    const header = parseMp3Header(pending, at);
    if (header === undefined) return 0;
    const end = at + header.bytes;
    // The first MP3 header, and one after garbage, need a second as proof: their two marking bytes may be accidental.
    if (!isInSync || stream === undefined || !sameStream(stream, header)) {
      if (end + 4 > pending.length && !isEnd) return 'wait';
      const next = parseMp3Header(pending, end);
      const isTagNext = isTag(pending, end, 'ID3') || isTag(pending, end, 'TAG');
      if (!(next && sameStream(header, next)) && !(isEnd && end === pending.length) && !isTagNext) return 0;
    }
    // The last MP3 frame of a file may be cut off: its loss is inaudible, so the rest of the bytes is skipped.
    if (end > pending.length) return isEnd ? pending.length - at : 'wait';
    const bytes = pending.subarray(at, end);
    const declares = declaredFrames(bytes, header);
    if (stream === undefined || !sameStream(stream, header) || declares !== undefined) {
      endMp3();
      stream = header;
      declared = declares ?? Number.NaN;
      files += 1;
    }
    if (declares === undefined) frames += 1;
    pieces.push({ kind: 'mp3', header, bytes, file: files, isDescription: declares !== undefined });
    isInSync = true;
    isAfterWav = false;
    return header.bytes;
  }

  function endMp3(): void {
    // One MP3 frame less than declared is accepted: the last frame may be cut off.
    if (frames < declared - 1) problem = `it has ${frames} of the ${declared} frames that its header declares`;
    [stream, frames, declared] = [undefined, 0, Number.NaN];
  }

  /** The number of bytes to skip after a WAV file's audio: a byte of padding or a chunk. 0 if neither begins there. */
  function trailingChunk(at: number): number {
    if (pending[at] === 0) return 1;
    const isName = pending.subarray(at, at + 4).every((byte) => byte >= 0x20 && byte < 0x7f);
    if (!isName || at + 8 > pending.length) return 0;
    const size = new DataView(pending.buffer, pending.byteOffset).getUint32(at + 4, true);
    return 8 + size + (size % 2);
  }

  function readChunk(file: OpenWav, isEnd: boolean): boolean {
    if (pending.length < 8) return endHeader(isEnd);
    const size = new DataView(pending.buffer, pending.byteOffset).getUint32(4, true);
    if (isTag(pending, 0, 'data')) {
      if (!file.format) throw new RangeError('its format is missing');
      file.left = size === 0 || size >= UNKNOWN_SIZE_FROM ? Number.POSITIVE_INFINITY : size;
      skip(8);
      return true;
    }
    const padded = 8 + size + (size % 2);
    file.headerBytes += padded;
    file.chunks += 1;
    if (file.headerBytes > MAX_HEADER_BYTES || file.chunks > MAX_HEADER_CHUNKS) {
      throw new RangeError('it has no sound where it should be');
    }
    if (isTag(pending, 0, 'fmt ')) {
      if (pending.length < 8 + size) return endHeader(isEnd);
      file.format = parseWavFormat(pending.slice(8, 8 + size));
      if (!file.format) throw new RangeError('it is compressed in a way that is not read here');
    }
    skip(padded);
    return true;
  }

  function endHeader(isEnd: boolean): false {
    if (isEnd) problem = 'its header is cut off';
    return false;
  }

  function readData(file: OpenWav, left: number, isEnd: boolean): boolean {
    const format = file.format as WavFormat;
    // A WAV file's declared size may be unknown or wrong, so its audio also ends where the next WAV file begins.
    const most = Math.min(pending.length, MAX_BLOCKS * format.blockBytes);
    const next = nextWav(most, isEnd);
    const available = Math.min(most, left, next.at);
    const usable = available - (available % format.blockBytes);
    if (usable > 0) {
      pieces.push({ kind: 'wav', format, bytes: pending.subarray(0, usable), file: files });
      file.left = left - usable;
      skip(usable);
      return true;
    }
    const isOver = left < format.blockBytes || (next.isCertain && next.at < format.blockBytes);
    if (!isOver) {
      if (isEnd && left !== Number.POSITIVE_INFINITY) {
        const seconds = left / format.blockBytes / format.sampleRateHz;
        if (seconds > TOLERATED_SECONDS) problem = `it ends ${Math.round(seconds * 1000)} ms before its header says`;
      }
      return false;
    }
    skip(Math.min(left, next.at));
    [wav, isAfterWav, isInSync] = [undefined, true, true];
    return true;
  }

  /** `at` is where the next WAV file may begin. `isCertain` is true only if the file's whole signature has arrived. */
  function nextWav(count: number, isEnd: boolean): { at: number; isCertain: boolean } {
    const length = Math.min(pending.length, count + SIGNATURE_BYTES);
    const bytes = Buffer.from(pending.buffer, pending.byteOffset, length);
    for (let at = bytes.indexOf('RIFF'); at >= 0; at = bytes.indexOf('RIFF', at + 1)) {
      if (at + SIGNATURE_BYTES > bytes.length && !isEnd) return { at, isCertain: false };
      if (isTag(bytes, at + 8, 'WAVE')) return { at, isCertain: true };
    }
    const tail = isEnd
      ? undefined
      : ['RIF', 'RI', 'R'].find((start) => isTag(bytes, bytes.length - start.length, start));
    return { at: tail ? bytes.length - tail.length : Number.POSITIVE_INFINITY, isCertain: false };
  }

  function read(isEnd: boolean): AudioPiece[] {
    try {
      while (!isOther && !isBroken && step(isEnd));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // If a file turns out to be broken, the audio before the error is still returned.
      isBroken = true;
      problem = error.message;
    }
    if (isOther && pending.length > 0) {
      pieces.push({ kind: 'other', bytes: pending });
      pending = new Uint8Array(0);
    }
    if (isEnd) endMp3();
    const read = pieces;
    pieces = [];
    // The few pending bytes are copied, so that the large chunk that they came in can be freed.
    pending = pending.slice();
    return read;
  }

  return {
    push(chunk: Uint8Array): AudioPiece[] {
      const fresh = toSkip > 0 ? chunk.subarray(Math.min(toSkip, chunk.length)) : chunk;
      toSkip -= chunk.length - fresh.length;
      if (fresh.length === 0) return [];
      pending = joinBytes([pending, fresh]);
      return read(false);
    },
    end: () => read(true),
    /** True if a WAV file ended as its header said and no bytes have followed yet. */
    get isWhole() {
      return isAfterWav && wav === undefined && pending.length === 0 && toSkip === 0;
    },
    /** True if nothing more can be read, because an audio file's header makes no sense. */
    get isBroken() {
      return isBroken;
    },
    /** Why an audio file is faulty, such as less audio than its header declares. Only valid after the end. */
    get problem() {
      return problem;
    },
  };
}
