import type { Logger } from 'pino';
import { type AudioFile, createFileReader } from '../../sound/audio-file.ts';
import { AudioError, type Clip, type ClipWriter, createClip } from '../clips/clip.ts';
import { inAudioSlices } from '../clips/slices.ts';
import { decodeAudio, warmUpMp3 } from './decoding/audio-decoder.ts';
import type { PcmStream } from './decoding/ffmpeg-decoder.ts';
import { createDownloader, DOWNLOAD_LIMITS } from './download.ts';
import { createLoudnessMeter, createVoiceGains, hearFirst, type LoudnessMeter } from './loudness.ts';
import { type ClipEncoder, chooseOpus, createClipEncoder, type OpusLibrary } from './opus-encoder.ts';

/** The maximum size of a download allows the maximum duration: ten minutes of 48 kHz stereo are 115 MB. */
const AUDIO_LIMITS = { ...DOWNLOAD_LIMITS, maxDurationMs: 10 * 60_000 };

interface AudioPipelineOptions {
  log: Logger;
  /** True if the speech API is on this machine: its audio may then come over plain http from loopback addresses. */
  allowLoopback: boolean;
  /** AUDIO_HOSTS. `*.example.com` means all subdomains. Absent: any public host. */
  allowedHosts?: readonly string[];
  ffmpegPath?: string;
  opus?: OpusLibrary;
  limits?: Partial<typeof AUDIO_LIMITS>;
}

export interface ClipOptions {
  signal: AbortSignal;
  /** Names the voice. The clip's gain is learned from earlier clips with the same key. If absent, the clip gets no gain. */
  voiceKey?: string;
  /** Any object. Clips with the same object are parts of one utterance and get the same gain. */
  utterance: object | undefined;
  /** The maximum duration of the text's audio. Longer audio is cut there, and the clip fails as 'endless'. */
  maxDurationMs: number;
  /** The minimum of audible audio that the text takes. A clip with less fails as 'too-short'. */
  minSoundMs: number;
  /** False for audio that arrived from the same URL before: a 404 is final then. */
  mayBeLate: boolean;
}

/** The maximum peak of silence, −60 dBFS: quieter audio is no speech at any volume. */
const AUDIBLE_PEAK = 0.001;

/** Milliseconds of audible audio. A step of 10 ms is audible if one of its samples reaches AUDIBLE_PEAK. */
function soundIn(samples: Float32Array, sampleRateHz: number): number {
  const step = Math.ceil(sampleRateHz / 100);
  let sounding = 0;
  for (let at = 0; at < samples.length; at += step) {
    const piece = samples.subarray(at, at + step);
    if (piece.some((sample) => Math.abs(sample) >= AUDIBLE_PEAK)) sounding += piece.length;
  }
  return (sounding * 1000) / sampleRateHz;
}

async function* shortTone(sampleRateHz: number) {
  for (let piece = 0; piece < 10; piece++) {
    yield { sampleRateHz, samples: Float32Array.from({ length: sampleRateHz / 50 }, (_, i) => Math.sin(i / 20)) };
  }
}

export function createAudioPipeline(options: AudioPipelineOptions) {
  const limits = { ...AUDIO_LIMITS, ...options.limits };
  const opus = options.opus ?? chooseOpus(options.log);
  const { allowLoopback, allowedHosts, ffmpegPath } = options;
  const downloader = createDownloader({ allowLoopback, allowedHosts, limits });
  const gains = createVoiceGains();
  const utteranceGains = new WeakMap<object, Map<string, number>>();
  const growing = new Set<Clip>();
  let isClosed = false;

  /** A voice's gain is decided once for each utterance, which would otherwise change its loudness halfway. */
  function gainFor(clipOptions: ClipOptions): number {
    const { voiceKey, utterance = clipOptions } = clipOptions;
    if (voiceKey === undefined) return 0;
    const decided = utteranceGains.get(utterance) ?? new Map<string, number>();
    const gainDb = decided.get(voiceKey) ?? gains.get(voiceKey);
    utteranceGains.set(utterance, decided.set(voiceKey, gainDb));
    return gainDb;
  }

  const isGainKnown = (voiceKey: string, utterance: object) =>
    gains.knows(voiceKey) || utteranceGains.get(utterance)?.has(voiceKey) === true;

  /** Encodes in short slices of time, so that other work can run. A clip of damaged audio keeps its good packets. */
  async function fill(writer: ClipWriter, pcm: PcmStream, clipOptions: ClipOptions): Promise<void> {
    const { voiceKey, minSoundMs } = clipOptions;
    const maxDurationMs = Math.min(clipOptions.maxDurationMs, limits.maxDurationMs);
    const tooLong = clipOptions.maxDurationMs < limits.maxDurationMs ? 'endless' : 'too-long';
    let encoder: ClipEncoder | undefined;
    let meter: LoudnessMeter | undefined;
    let soundMs = 0;
    // Encoding pauses after a clip's first packet: the bot can send it before the second packet is encoded.
    const pause = inAudioSlices();

    async function write(packets: Iterable<Uint8Array>): Promise<void> {
      for (const packet of packets) {
        if (writer.clip.durationMs >= maxDurationMs) {
          throw new AudioError(tooLong, `The audio is longer than ${maxDurationMs / 1000} s`);
        }
        writer.push(packet);
        await pause();
        writer.canceled.throwIfAborted();
      }
    }

    try {
      for await (const { samples, sampleRateHz } of pcm) {
        writer.canceled.throwIfAborted();
        encoder ??= await createClipEncoder(opus, sampleRateHz, gainFor(clipOptions));
        soundMs += soundIn(samples, sampleRateHz);
        if (voiceKey !== undefined) meter ??= createLoudnessMeter(sampleRateHz);
        meter?.push(samples);
        await write(encoder.push(samples));
      }
      if (!encoder) throw new AudioError('not-audio', 'The audio file has no sound in it');
      await write(encoder.flush());
    } catch (error) {
      const isSourceAtFault = error instanceof AudioError && error.kind !== tooLong;
      if (isSourceAtFault && encoder) await write(encoder.flush());
      throw error;
    } finally {
      encoder?.close();
      const measured = meter?.loudness();
      if (measured && voiceKey !== undefined) gains.learn(voiceKey, measured);
    }
    if (soundMs < minSoundMs) {
      const found = `The audio has ${Math.round(soundMs)} ms of sound`;
      throw new AudioError('too-short', `${found}, and its text takes ${Math.round(minSoundMs)} ms or more`);
    }
  }

  async function run(writer: ClipWriter, bytes: AsyncIterable<Uint8Array>, clipOptions: ClipOptions): Promise<void> {
    const { clip } = writer;
    const { signal, voiceKey, utterance = clipOptions } = clipOptions;
    const decoded = decodeAudio(bytes, ffmpegPath, writer.canceled);
    const isHeardFirst = voiceKey !== undefined && !isGainKnown(voiceKey, utterance);
    const onAbort = () => clip.cancel('Stopped while the audio was being fetched');
    signal.addEventListener('abort', onAbort, { once: true });
    growing.add(clip);
    try {
      const pcm = isHeardFirst ? hearFirst(decoded, (measured) => gains.learn(voiceKey, measured)) : decoded;
      await fill(writer, pcm, clipOptions);
      writer.complete();
    } catch (error) {
      const isKnown = error instanceof AudioError || (error instanceof Error && writer.canceled.aborted);
      writer.fail(isKnown ? error : new AudioError('damaged', 'The audio cannot be decoded', { cause: error }));
    } finally {
      growing.delete(clip);
      signal.removeEventListener('abort', onAbort);
    }
  }

  return {
    encoderName: opus.name,
    /** Resolves once the response headers are good. Rejects with an AudioError or the signal's reason. */
    async fetchClip(url: URL, clipOptions: ClipOptions): Promise<Clip> {
      const { signal, mayBeLate } = clipOptions;
      signal.throwIfAborted();
      if (isClosed) throw new Error('The audio pipeline is closed');
      const writer = createClip();
      const bytes = await downloader.open(url, AbortSignal.any([signal, writer.canceled]), mayBeLate);
      void run(writer, bytes, clipOptions);
      return writer.clip;
    },
    /** Rejects with an AudioError, the signal's reason, or a RangeError for damaged, mixed or unknown formats. */
    async fetchFile(url: URL, { maxBytes, signal }: { maxBytes: number; signal: AbortSignal }): Promise<AudioFile> {
      if (isClosed) throw new Error('The audio pipeline is closed');
      const reader = createFileReader();
      let length = 0;
      for await (const chunk of await downloader.open(url, signal, false)) {
        length += chunk.length;
        if (length > maxBytes) throw new AudioError('too-large', `The audio has more than ${maxBytes} bytes`);
        reader.push(chunk);
      }
      return reader.end();
    },
    async warmUp() {
      // V8 compiles the encoder, and resampling filters are prepared, so that the first utterance need not wait.
      const { signal } = new AbortController();
      const { maxDurationMs } = limits;
      const tone = { signal, voiceKey: '', utterance: undefined, maxDurationMs, minSoundMs: 0, mayBeLate: false };
      for (const sampleRateHz of [24_000, 22_050, 44_100]) await fill(createClip(), shortTone(sampleRateHz), tone);
      await warmUpMp3();
    },
    async close(): Promise<void> {
      if (isClosed) return;
      isClosed = true;
      for (const clip of growing) clip.cancel('The audio pipeline was closed');
      await downloader.close();
    },
  };
}

export type AudioPipeline = ReturnType<typeof createAudioPipeline>;
