import type { Logger } from 'pino';
import type { Clip } from '../clips/clip.ts';
import type { VoiceGains } from './loudness-gains.ts';
import type { OpusLibrary } from './opus-encoder.ts';

/** Ceilings on one clip; what exceeds them is cut off and reported, never buffered without end. */
export interface AudioLimits {
  /** Bytes of one download. */
  maxBytes: number;
  /** Length of the sound in one clip. */
  maxDurationMs: number;
  /** From the request to the response headers, retries included. */
  headersTimeoutMs: number;
  /** From the request to the last byte. */
  downloadTimeoutMs: number;
  /** Silence on the socket after which a download is given up. */
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
  /** How much louder each voice has to be made; learned from its clips. Absent: learned anew by this pipeline. */
  gains?: VoiceGains;
  limits?: Partial<AudioLimits>;
}

export interface ClipOptions {
  signal?: AbortSignal;
  /** Whose voice it is: the clip is brought to one loudness by what was learned from the voice's earlier ones. */
  voiceKey?: string;
  /** Any object: clips made with the same one are the parts of one utterance and get the same gain. */
  utterance?: object;
}

export interface AudioPipeline {
  /** Resolves once the response headers are good; packets follow. Rejects with an AudioError or the signal's reason. */
  fetchClip(url: URL, options?: ClipOptions): Promise<Clip>;
  /** Makes the same clips from bytes that come from anywhere else; ends like fetchClip's. */
  makeClip(bytes: AsyncIterable<Uint8Array>, options?: ClipOptions): Clip;
  /** The file as it is, of at most `maxBytes`. Rejects like fetchClip, with 'too-large' when it has more. */
  fetchBytes(url: URL, options: { maxBytes: number; signal?: AbortSignal }): Promise<Uint8Array>;
  /** Loads and runs encoder and decoders once, so that the first utterance does not pay for it. */
  warmUp(): Promise<void>;
  readonly encoderName: string;
  close(): Promise<void>;
}
