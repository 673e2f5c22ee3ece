import { sniffFile } from '../../sound/sniff-file.ts';
import { joinMp3, type Mp3File, mp3Seconds, parseMp3 } from './mp3.ts';
import { joinWav, parseWav, type WavFile, wavSeconds } from './wav.ts';

export type FileFormat = 'wav' | 'mp3';

/** Audio as received, and its format by its first bytes. */
export type AudioFile =
  | { readonly format: 'wav'; readonly bytes: Uint8Array; readonly seconds: number; readonly wav: WavFile }
  | { readonly format: 'mp3'; readonly bytes: Uint8Array; readonly seconds: number; readonly mp3: Mp3File };

/** Throws a RangeError for bytes that are neither WAV nor MP3, or are damaged. */
export function readAudio(bytes: Uint8Array): AudioFile {
  const format = sniffFile(bytes);
  if (format === 'wav') {
    const wav = parseWav(bytes);
    return { format, bytes, seconds: wavSeconds(wav), wav };
  }
  if (format === 'mp3') {
    const mp3 = parseMp3(bytes);
    return { format, bytes, seconds: mp3Seconds(mp3), mp3 };
  }
  throw new RangeError('it is neither WAV nor MP3');
}

/** One file of several; a single one stays as it came. Undefined when they do not fit together. */
export function joinAudio(files: readonly AudioFile[]): AudioFile | undefined {
  const [first] = files;
  if (first === undefined || files.length === 1) return first;
  const wavs = files.flatMap((file) => (file.format === 'wav' ? [file.wav] : []));
  const mp3s = files.flatMap((file) => (file.format === 'mp3' ? [file.mp3] : []));
  const bytes = wavs.length === files.length ? joinWav(wavs) : mp3s.length === files.length ? joinMp3(mp3s) : undefined;
  return bytes === undefined ? undefined : readAudio(bytes);
}
