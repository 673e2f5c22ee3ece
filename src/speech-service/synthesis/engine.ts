import type { Container } from '../../sound/containers.ts';
import type { AudioFormat, TagSyntax } from '../../speech/interface/models.ts';
import type { FliteVoice } from './embedded/flite.ts';
import type { ServerVoice } from './listed-voices.ts';

export interface Timbre {
  /** The language (with accent) in which the voice reads text in Latin letters. */
  language: string;
  /** A voice variant of eSpeak NG, which changes the character of the voice, such as its breathiness. */
  variant: string;
  female: boolean;
  /** Pitch of the voice, 0–99; 50 is the pitch of the eSpeak NG variant. */
  pitch: number;
  /** How far the voice's melody rises and falls, 0–99; 50 is the range of the eSpeak NG variant. */
  pitchRange: number;
  wordsPerMinute: number;
  /** The gain that brings the voice to about −20 dB, so that all voices are equally loud. */
  gainDb: number;
  /** The Flite voice of the same gender and accent that speaks texts in `language`, if Flite is installed. */
  flite: FliteVoice | undefined;
}

/** Everything that decides how an utterance sounds: the same job gives the same bytes. */
export type SynthesisJob = ReturnType<typeof plainJob>;

export const plainJob = (text: string, voiceName: string) => ({
  text,
  voiceName,
  /** The voice's name at its server, or the speaker's number in a neural model; undefined for built-in voices. */
  serverVoice: undefined as string | undefined,
  timbre: undefined as Timbre | undefined,
  tags: 'none' as TagSyntax,
  /** True if the voice speaks several languages: its text may be in one that the request names or that is detected. */
  multilingual: true,
  format: 'wav' as AudioFormat,
  sampleRateHz: 24_000 as 24_000 | 44_100,
  /** Speed of the speech, 0.7–1.5; always 1 if the model ignores speed. */
  speed: 1,
  style: undefined as string | undefined,
  seed: undefined as number | undefined,
  temperature: undefined as number | undefined,
  /** The language of the text (ISO 639-1), if its writer named it. */
  language: undefined as string | undefined,
});

export interface TimbredJob extends SynthesisJob {
  timbre: Timbre;
}

export interface SynthesizedAudio {
  /** The whole audio, or only its beginning if `rest` is set. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The audio's actual format: a speech server may send another format than requested. */
  format: Container;
  rest?: {
    /** The audio that follows `bytes`. Throws if the speech engine fails meanwhile. */
    readonly chunks: AsyncIterable<Uint8Array>;
    cancel(): void;
  };
}

export interface SpeechEngine {
  readonly name: string;
  /** The languages that requests may name for multilingual voices (BCP 47); undefined if they cannot name one. */
  readonly languages?: readonly string[] | undefined;
  /** Why the engine can never speak, if that is known at the start. */
  readonly problem?: string | undefined;
  /** Starts slow parts of the engine early, because a member may soon ask for speech. */
  wake?(): void;
  /** Asks the engine's server for its voices, which is free. Rejects if the server does not answer. */
  ask?(signal: AbortSignal): Promise<readonly ServerVoice[]>;
  /** `signal` stops the synthesis only before the audio begins: later, a paid engine may bill the text anyway. */
  synthesize(job: SynthesisJob, signal: AbortSignal): Promise<SynthesizedAudio>;
  close(): Promise<void>;
}

/**
 * `down`: the engine never got the text. `refused`: the engine rejects its API key. `busy`: the engine rejects the text
 * for now. `unavailable`: its answer is an error or incomplete. `rejected`: the engine never takes the text with this
 * voice.
 */
export class EngineError extends Error {
  override name = 'EngineError';
  readonly kind: 'down' | 'refused' | 'busy' | 'unavailable' | 'quota' | 'rejected' | 'policy' | 'failed';
  /** True if the engine received the text and did not reject it: a paid engine may have billed the text. */
  readonly mayBeBilled: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(kind: EngineError['kind'], message: string, details: Partial<EngineError> = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.mayBeBilled = details.mayBeBilled ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}
