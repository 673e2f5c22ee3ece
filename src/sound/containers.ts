import { parseMp3Header } from './mp3.ts';

export type Container = 'wav' | 'mp3' | 'ogg' | 'flac' | 'aac';

export const SIGNATURE_BYTES = 12;

/** The audio container that begins at `at`, by its bytes: file names and declared types can be wrong. */
export function containerOf(bytes: Uint8Array, at = 0): Container | undefined {
  if (isTag(bytes, at, 'ID3') || parseMp3Header(bytes, at)) return 'mp3';
  if (isTag(bytes, at, 'OggS')) return 'ogg';
  if (isTag(bytes, at, 'fLaC')) return 'flac';
  // Like MP3, AAC in ADTS frames begins with sync bits, but its layer bits are 0.
  if (bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xf6) === 0xf0) return 'aac';
  return isTag(bytes, at, 'RIFF') && isTag(bytes, at + 8, 'WAVE') ? 'wav' : undefined;
}

export function isTag(bytes: Uint8Array, at: number, tag: string): boolean {
  for (let i = 0; i < tag.length; i++) if (bytes[at + i] !== tag.charCodeAt(i)) return false;
  return true;
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.byteLength;
  }
  return joined;
}
