import type { AudioFormat, TagSyntax } from '../../speech/interface/models.ts';
import type { Timbre } from './timbres.ts';

/** Everything that decides how an utterance sounds: the same job gives the same bytes. */
export interface SynthesisJob {
  text: string;
  voiceName: string;
  timbre: Timbre;
  tags: TagSyntax;
  /** Whether text in Latin letters may be another language than the voice's own. */
  multilingual: boolean;
  format: AudioFormat;
  sampleRateHz: 24_000 | 44_100;
  /** 0.7–1.5; 1 unless the model takes it. */
  speed: number;
  style?: string;
  seed?: number;
  temperature?: number;
}

export interface SynthesisedAudio {
  bytes: Uint8Array<ArrayBuffer>;
  format: AudioFormat;
}

interface SynthesisOptions {
  /** The owner of this request: waiting requests take turns between owners. */
  owner: string;
  signal: AbortSignal;
}

/** The source of the sound: the embedded synthesiser, or another server. */
export interface SpeechEngine {
  readonly name: string;
  /** What its multilingual voices speak (BCP 47, mostly ISO 639-1 codes); undefined where the engine does not say. */
  readonly languages?: readonly string[];
  /** False: a style changes nothing. */
  readonly takesStyle?: false;
  /** Resolves when the engine can speak, or with the reason why it cannot. */
  readonly ready: Promise<{ problem?: string }>;
  synthesise(job: SynthesisJob, options: SynthesisOptions): Promise<SynthesisedAudio>;
  close(): Promise<void>;
}

/** Why there is no sound; all of them mean 'try again later' to a client. */
export class EngineError extends Error {
  override name = 'EngineError';
  readonly kind: 'unavailable' | 'quota' | 'failed';

  constructor(kind: EngineError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
