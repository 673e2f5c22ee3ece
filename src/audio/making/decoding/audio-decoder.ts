import { Buffer } from 'node:buffer';
import { setTimeout as delay } from 'node:timers/promises';
import { MPEGDecoder } from 'mpg123-decoder';
import { type AudioPiece, createAudioReader } from '../../../sound/audio-reader.ts';
import { createResampler, type Resampler } from '../../../sound/resample.ts';
import { wavSamples } from '../../../sound/wav.ts';
import { AudioError } from '../../clips/clip.ts';
import { decodeWithFfmpeg, type Pcm, type PcmStream } from './ffmpeg-decoder.ts';

/** How long to wait for more bytes after a complete audio file: the server may keep the connection open. */
const AFTER_WHOLE_MS = 1_000;

type Bytes = AsyncIterable<Uint8Array>;

/** Yields mono audio at the first file's rate. If the consumer stops early, the byte source is closed. `signal` only ends ffmpeg. */
export const decodeAudio = (bytes: Bytes, ffmpegPath?: string, signal?: AbortSignal): PcmStream =>
  atOneRate(decodeEach(bytes, ffmpegPath, signal));

/** Formats are recognized by the bytes alone: addresses and content types of speech services can be wrong. */
async function* decodeEach(bytes: Bytes, ffmpegPath?: string, signal?: AbortSignal): PcmStream {
  const source = bytes[Symbol.asyncIterator]();
  const reader = createAudioReader();
  const frames = openMp3();
  let isEmpty = true;
  let next: Uint8Array | 'end' | 'silence' | undefined;
  try {
    while (next !== 'end' && next !== 'silence' && !reader.isBroken) {
      next = await nextOf(source, reader.isWhole);
      isEmpty &&= next === 'end';
      for (const piece of typeof next === 'string' ? reader.end() : reader.push(next)) {
        if (piece.kind === 'other') {
          refuseText(piece.bytes);
          yield* decodeWithFfmpeg(following(piece.bytes, source), ffmpegPath, signal);
          return;
        }
        const pcm = piece.kind === 'mp3' ? await frames.decode(piece) : pcmOf(piece);
        if (pcm) yield pcm;
      }
    }
  } finally {
    frames.close();
    const closing = source.return?.();
    // A source that stopped sending closes only at its own deadline, for which the bot does not wait.
    if (next === 'silence') closing?.catch(() => undefined);
    else await closing;
  }
  if (isEmpty) throw new AudioError('not-audio', 'The audio file is empty');
  const problem = reader.problem ?? frames.problem;
  if (problem !== undefined) throw new AudioError('damaged', `The audio file is damaged: ${problem}`);
}

/** After a complete audio file, a source that fails or sends nothing for a second counts as ended. */
async function nextOf(source: AsyncIterator<Uint8Array>, isWhole: boolean): Promise<Uint8Array | 'end' | 'silence'> {
  const next = source.next().then(({ done, value }) => (done ? 'end' : value));
  if (!isWhole) return next;
  const patience = new AbortController();
  const silence = delay(AFTER_WHOLE_MS, 'silence' as const, { signal: patience.signal });
  silence.catch(() => undefined);
  return Promise.race([next.catch(() => 'end' as const), silence]).finally(() => patience.abort());
}

/** Throws if a server sent an error page or a JSON answer instead of audio. */
function refuseText(bytes: Uint8Array): void {
  const start = bytes.subarray(0, 64);
  const isText = start.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
  if (isText && /^\s*[<{[]/.test(Buffer.from(start).toString('latin1'))) {
    throw new AudioError('not-audio', 'The audio URL answered with text instead of sound');
  }
}

async function* following(first: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
}

const pcmOf = ({ bytes, format }: Extract<AudioPiece, { kind: 'wav' }>): Pcm => ({
  sampleRateHz: format.sampleRateHz,
  samples: wavSamples(bytes, format),
});

/** Later files of a stream get the first file's sample rate, because the encoder handles a single rate. */
async function* atOneRate(pcm: PcmStream): PcmStream {
  let rateHz: number | undefined;
  let converted: { readonly fromHz: number; readonly resampler: Resampler } | undefined;
  for await (const { samples, sampleRateHz } of pcm) {
    rateHz ??= sampleRateHz;
    if (converted?.fromHz !== sampleRateHz) {
      if (converted) yield { sampleRateHz: rateHz, samples: converted.resampler.flush() };
      converted = { fromHz: sampleRateHz, resampler: createResampler(sampleRateHz, rateHz) };
    }
    yield { sampleRateHz: rateHz, samples: converted.resampler.push(samples) };
  }
  if (rateHz === undefined) throw new AudioError('not-audio', 'The audio file has no sound in it');
  const rest = converted?.resampler.flush();
  if (rest && rest.length > 0) yield { sampleRateHz: rateHz, samples: rest };
}

async function createDecoder(): Promise<MPEGDecoder> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  return decoder;
}

/** Mixes both channels into one. The MP3 library decodes a mono file to two equal channels. */
function mono([left = new Float32Array(0), right = left]: Float32Array[]): Float32Array {
  for (let i = 0; i < left.length; i++) left[i] = ((left[i] ?? 0) + (right[i] ?? 0)) / 2;
  return left;
}

export async function warmUpMp3(): Promise<void> {
  const decoder = await createDecoder();
  // A silent frame: MPEG-2, layer III, 24 kHz, mono, 64 kbit/s.
  const frame = new Uint8Array(192);
  frame.set([0xff, 0xf3, 0x84, 0xc4]);
  for (let i = 0; i < 8; i++) decoder.decode(frame);
  decoder.free();
}

/** Each file gets a decoder of its own, which removes the padding that encoders add at both ends. */
function openMp3() {
  let decoder: MPEGDecoder | undefined;
  let file = -1;
  let frames = 0;
  let broken = 0;
  return {
    async decode(frame: Extract<AudioPiece, { kind: 'mp3' }>): Promise<Pcm | undefined> {
      if (frame.file !== file || !decoder) {
        file = frame.file;
        decoder?.free();
        decoder = await createDecoder();
      }
      frames += 1;
      const { header, bytes } = frame;
      const { channelData, samplesDecoded, errors } = decoder.decode(bytes);
      if (errors.length > 0) broken += 1;
      if (samplesDecoded === 0) return undefined;
      return { sampleRateHz: header.sampleRateHz, samples: mono(channelData) };
    },
    get problem() {
      return broken > 0 ? `${broken} of ${frames} MP3 frames were broken` : undefined;
    },
    close() {
      decoder?.free();
      decoder = undefined;
    },
  };
}
