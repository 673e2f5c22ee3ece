import { parseMp3Header } from '../../../sound/mp3-header.ts';
import { AudioError } from '../../audio-error.ts';
import { parseWavFormat } from './wav-decoder.ts';

/** Which decoder takes it. 'other': ffmpeg may know it. */
type SniffedFormat = 'wav' | 'mp3' | 'other';

/** Enough to decide: a WAV's format chunk usually lies within it. */
export const SNIFF_BYTES = 64;

function text(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

function sniffWav(prefix: Uint8Array): SniffedFormat {
  if (text(prefix, 12, 4) !== 'fmt ') return 'wav';
  const size = new DataView(prefix.buffer, prefix.byteOffset).getUint32(16, true);
  const body = new DataView(prefix.buffer, prefix.byteOffset + 20, Math.min(size, Math.max(0, prefix.length - 20)));
  return parseWavFormat(body) ? 'wav' : 'other';
}

/**
 * Decides by the first bytes alone: the URL's ending and the content type of a speech service can be wrong.
 * Throws 'not-audio' for text (an error page, a JSON answer) and for an empty file.
 */
export function sniffFormat(prefix: Uint8Array): SniffedFormat {
  if (prefix.length === 0) throw new AudioError('not-audio', 'The audio file is empty');
  const start = text(prefix, 0, 4);
  if ((start === 'RIFF' || start === 'RF64' || start === 'BW64') && text(prefix, 8, 4) === 'WAVE') {
    return sniffWav(prefix);
  }
  if (start.startsWith('ID3') || parseMp3Header(prefix)) return 'mp3';
  const isText = prefix.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
  if (isText && /^\s*[<{[]/.test(text(prefix, 0, prefix.length))) {
    throw new AudioError('not-audio', 'The audio URL answered with text instead of sound');
  }
  return 'other';
}
