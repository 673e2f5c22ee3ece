import type { Logger } from 'pino';
import type { Clip } from '../clips/clip.ts';
import type { VoiceGains } from './loudness-gains.ts';
import type { OpusLibrary } from './opus-encoder.ts';

/** Limits of one clip; the excess is cut off and reported, and never buffered without bound. */
export interface AudioLimits {
  /** Bytes of one download. */
  maxBytes: number;
  /** Duration of one clip. */
  maxDurationMs: number;
  /** From the request to the response headers, retries included. */
  headersTimeoutMs: number;
  /** From the request to the last byte. */
  downloadTimeoutMs: number;
  /** Silence on the socket after which a download is aborted. */
  idleTimeoutMs: number;
}

export interface AudioPipelineOptions {
  log: Logger;
  /** True when the speech API itself is on loopback: its audio may then come over http from loopback. */
  allowLoopback: boolean;
  /** AUDIO_HOSTS: only these hosts, `example.com` exactly or `*.example.com` for any below it. Absent: any public host. */
  allowedHosts?: readonly string[];
  /** FFMPEG_BIN: the ffmpeg for formats other than WAV and MP3. */
  ffmpegPath?: string;
  /** The encoder to use. Absent: the fastest that works here. */
  opus?: OpusLibrary;
  /** The gain of each voice, learned from its clips. Absent: learned anew by this pipeline. */
  gains?: VoiceGains;
  limits?: Partial<AudioLimits>;
}

export interface ClipOptions {
  signal?: AbortSignal;
  /** The voice: the clip's gain is the one learned from earlier clips with this key. */
  voiceKey?: string;
  /** Any object: clips with the same one are parts of one utterance and get the same gain. */
  utterance?: object;
}

export interface AudioPipeline {
  /** Resolves once the response headers are good; packets follow. Rejects with an AudioError or the signal's reason. */
  fetchClip(url: URL, options?: ClipOptions): Promise<Clip>;
  /** Makes the same clips from bytes of any other source; ends like fetchClip's. */
  makeClip(bytes: AsyncIterable<Uint8Array>, options?: ClipOptions): Clip;
  /** The unchanged file, of at most `maxBytes`. Rejects like fetchClip, with 'too-large' when it is larger. */
  fetchBytes(url: URL, options: { maxBytes: number; signal?: AbortSignal }): Promise<Uint8Array>;
  /** Loads and runs encoder and decoders once, so that the first utterance need not wait for it. */
  warmUp(): Promise<void>;
  readonly encoderName: string;
  close(): Promise<void>;
}
