import { type AudioPiece, createAudioReader } from './audio-reader.ts';
import { joinBytes } from './containers.ts';
import { joinMp3, type Mp3Sound, mp3Seconds } from './mp3.ts';
import { joinSamples } from './resample.ts';
import { joinWav, type WavSound, wavSamples, wavSeconds } from './wav.ts';

export type FileFormat = 'wav' | 'mp3';

export type AudioFile =
  | { readonly format: 'wav'; readonly bytes: Uint8Array; readonly seconds: number; readonly wav: WavSound }
  | { readonly format: 'mp3'; readonly bytes: Uint8Array; readonly seconds: number; readonly mp3: Mp3Sound };

/**
 * Reads one or several audio files in a row. A single MP3 file, or WAV file that declares its true size, stays unchanged.
 * Anything else becomes one new file. end() throws a RangeError for damaged bytes, other formats and mixed formats.
 */
export function createFileReader() {
  const chunks: Uint8Array[] = [];
  const pieces: AudioPiece[] = [];
  const reader = createAudioReader();
  return {
    push(chunk: Uint8Array): void {
      chunks.push(chunk);
      for (const piece of reader.push(chunk)) pieces.push(piece);
    },
    end(): AudioFile {
      for (const piece of reader.end()) pieces.push(piece);
      const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : joinBytes(chunks);
      if (pieces.some(({ kind }) => kind === 'other')) throw new RangeError('it is neither WAV nor MP3');
      const files = [...Map.groupBy(pieces, (piece) => (piece.kind === 'other' ? 0 : piece.file)).values()];
      const sounds = files.flatMap((file) => soundOf(file, bytes) ?? []);
      if (reader.problem !== undefined) throw new RangeError(reader.problem);
      const [first] = sounds;
      if (first === undefined) throw new RangeError('it holds no sound');
      if (sounds.length === 1 && (first.format === 'mp3' || (reader.isWhole && saysItsSize(bytes)))) return first;
      const joined = madeOf(sounds);
      if (joined === undefined) throw new RangeError('its sound has several formats');
      return joined;
    },
  };
}

export function readAudio(bytes: Uint8Array): AudioFile {
  const reader = createFileReader();
  reader.push(bytes);
  return reader.end();
}

/** The mono samples (−1 to 1) of a WAV file. Throws a RangeError for other bytes. */
export function wavFileSamples(bytes: Uint8Array): Float32Array {
  const reader = createAudioReader();
  const pieces = [...reader.push(bytes), ...reader.end()];
  return joinSamples(
    ...pieces.map((piece) => {
      if (piece.kind !== 'wav') throw new RangeError('it is no WAV file');
      return wavSamples(piece.bytes, piece.format);
    }),
  );
}

/** Joins audio files; a single one stays unchanged. Undefined if formats, sample rates or channels differ. */
export const joinAudio = (files: readonly AudioFile[]): AudioFile | undefined =>
  files.length === 1 ? files[0] : madeOf(files);

function madeOf(files: readonly AudioFile[]): AudioFile | undefined {
  const wavs = files.flatMap((file) => (file.format === 'wav' ? [file.wav] : []));
  const mp3s = files.flatMap((file) => (file.format === 'mp3' ? [file.mp3] : []));
  const bytes = wavs.length === files.length ? joinWav(wavs) : mp3s.length === files.length ? joinMp3(mp3s) : undefined;
  return bytes && readAudio(bytes);
}

/** Makes one file of several WAV or MP3 files in a row. Returns bytes that are no such audio unchanged. */
export function asOneFile(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(readAudio(bytes).bytes);
  } catch (error) {
    if (error instanceof RangeError) return bytes;
    throw error;
  }
}

function saysItsSize(bytes: Uint8Array): boolean {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) === bytes.byteLength - 8;
}

function soundOf(pieces: readonly AudioPiece[], bytes: Uint8Array): AudioFile | undefined {
  const [first] = pieces;
  if (first?.kind === 'wav') {
    const wav = { format: first.format, pieces: pieces.map((piece) => piece.bytes) };
    return { format: 'wav', bytes, seconds: wavSeconds(wav), wav };
  }
  const frames = pieces.flatMap((piece) => (piece.kind === 'mp3' && !piece.isDescription ? [piece] : []));
  const header = frames[0]?.header;
  if (header === undefined) return undefined;
  const mp3 = {
    frames: frames.map((frame) => frame.bytes),
    header,
    isConstantRate: frames.every((frame) => frame.header.kbits === header.kbits),
  };
  return { format: 'mp3', bytes, seconds: mp3Seconds(mp3), mp3 };
}
