/** Audio as far as rules look at it. */
export interface HeardAudio {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  /** By its first bytes. */
  readonly format: 'wav' | 'mp3' | 'unknown';
  readonly seconds: number;
}

export function hear(bytes: Uint8Array, contentType: string | undefined): HeardAudio {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 4) === 'WAVE') {
    return { bytes, contentType, format: 'wav', seconds: wavSeconds(bytes, view) };
  }
  const seconds = mp3Seconds(bytes, view);
  return { bytes, contentType, format: seconds > 0 ? 'mp3' : 'unknown', seconds };
}

function text(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

/** RIFF chunks: `fmt ` gives bytes a second, `data` their number (0 or beyond the end when it was streamed). */
function wavSeconds(bytes: Uint8Array, view: DataView): number {
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true);
    const name = text(bytes, at, 4);
    if (name === 'fmt ' && at + 20 <= bytes.length) bytesPerSecond = view.getUint32(at + 16, true);
    if (name === 'data') {
      const left = bytes.length - at - 8;
      const used = size === 0 || size > left ? left : size;
      return bytesPerSecond > 0 ? used / bytesPerSecond : 0;
    }
    at += 8 + size + (size % 2);
  }
  return 0;
}

/** Kilobits a second by index, layer III, of MPEG 1 and of MPEG 2 and 2.5 (ISO 11172-3, ISO 13818-3). */
const KBIT_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KBIT_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const RATES_HZ = [44_100, 48_000, 32_000];

function mp3Seconds(bytes: Uint8Array, view: DataView): number {
  let at = 0;
  if (text(bytes, 0, 3) === 'ID3' && bytes.length > 10) {
    // The length of an ID3 tag is written in 7 bits a byte.
    at = 10 + [6, 7, 8, 9].reduce((sum, index) => sum * 128 + (view.getUint8(index) & 0x7f), 0);
  }
  let seconds = 0;
  while (at + 4 <= bytes.length) {
    const frame = frameAt(view.getUint32(at));
    if (frame === undefined) break;
    seconds += frame.seconds;
    at += frame.bytes;
  }
  return seconds;
}

function frameAt(header: number): { seconds: number; bytes: number } | undefined {
  const version = (header >>> 19) & 3;
  const layer = (header >>> 17) & 3;
  if (header >>> 21 !== 0x7ff || version === 1 || layer !== 1) return undefined;
  const mpeg1 = version === 3;
  const kbit = (mpeg1 ? KBIT_MPEG1 : KBIT_MPEG2)[(header >>> 12) & 15];
  const rateHz = (RATES_HZ[(header >>> 10) & 3] ?? 0) / (mpeg1 ? 1 : version === 2 ? 2 : 4);
  if (!kbit || rateHz === 0) return undefined;
  const samples = mpeg1 ? 1152 : 576;
  const padding = (header >>> 9) & 1;
  return { seconds: samples / rateHz, bytes: Math.floor((samples / 8) * ((kbit * 1000) / rateHz)) + padding };
}
