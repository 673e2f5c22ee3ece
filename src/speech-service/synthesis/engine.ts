import type { Container } from '../../sound/containers.ts';
import type { ServerVoice } from '../../speech/engines/listed-voices.ts';
import type { AudioFormat, TagSyntax } from '../../speech/interface/models.ts';
import type { FliteVoice } from './embedded/flite.ts';

export interface Timbre {
  /** The language (with accent) used for text in Latin letters. */
  language: string;
  /** A voice variant, for example its formants and breathiness. */
  variant: string;
  female: boolean;
  /** 0–99; 50 is the variant's own pitch. */
  pitch: number;
  /** 0–99; how far the melody moves; 50 is the variant's own. */
  pitchRange: number;
  wordsPerMinute: number;
  /** Brings every voice to about −20 dB (RMS of a sentence against full scale). */
  gainDb: number;
  /** Flite's voice of the same gender and accent, which speaks text in `language`, if Flite is installed. */
  flite: FliteVoice | undefined;
}

/** Everything that decides how an utterance sounds: the same job gives the same bytes. */
export interface SynthesisJob {
  text: string;
  voiceName: string;
  /** The name of the voice at the server that speaks, where the voice is one of its own. */
  serverVoice: string | undefined;
  timbre: Timbre | undefined;
  tags: TagSyntax;
  /** Whether text in Latin letters may be another language than the voice's own. */
  multilingual: boolean;
  format: AudioFormat;
  sampleRateHz: 24_000 | 44_100;
  /** 0.7–1.5; 1 unless the model takes it. */
  speed: number;
  style: string | undefined;
  seed: number | undefined;
  temperature: number | undefined;
  /** The language of the text, if its writer named it (ISO 639-1). */
  language: string | undefined;
}

export interface TimbredJob extends SynthesisJob {
  timbre: Timbre;
}

export interface SynthesizedAudio {
  /** The whole audio, or the first of it. */
  bytes: Uint8Array<ArrayBuffer>;
  /** What it is: a server may send another than was asked for. */
  format: Container;
  rest?: {
    /** What follows `bytes`. Throws where the engine fails on the way. */
    readonly chunks: AsyncIterable<Uint8Array>;
    /** Tells the engine that nothing more is wanted. */
    cancel(): void;
  };
}

export interface SpeechEngine {
  readonly name: string;
  /**
   * What its multilingual voices speak (BCP 47, mostly ISO 639-1 codes), which of them can be told with a text; undefined where
   * the engine does not say.
   */
  readonly languages: readonly string[] | undefined;
  /** Why it can never speak, as far as is known at the start. */
  readonly problem: string | undefined;
  /** Starts slow parts early, when a member may soon ask for speech. */
  wake?(): void;
  /** Asks a server for its voices, which costs nothing. Rejects where it does not answer. */
  ask?(signal: AbortSignal): Promise<readonly ServerVoice[]>;
  /** The signal is the requester's; once the audio has begun, it is made to its end. */
  synthesize(job: SynthesisJob, signal: AbortSignal): Promise<SynthesizedAudio>;
  close(): Promise<void>;
}

/**
 * Why there is no sound. `down`: nothing was sent to the engine; `refused`: it takes no text with this key; `busy`: it refused
 * the text, and takes it a while later; `rejected`: it takes this text with this voice at no time, `policy` for what it says.
 */
export class EngineError extends Error {
  override name = 'EngineError';
  readonly kind: 'down' | 'refused' | 'busy' | 'unavailable' | 'quota' | 'rejected' | 'policy' | 'failed';
  /** It was sent the text and has not refused it: an engine that costs may have billed it. */
  readonly mayBeBilled: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(kind: EngineError['kind'], message: string, details: Partial<EngineError> = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.mayBeBilled = details.mayBeBilled ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}
