import type { Clip } from '../../audio/clips/clip.ts';
import type { Cost } from '../../errors/user-errors.ts';
import type { SpeechResult } from '../../speech/client/client.ts';

/** Parts are counted from 1. */
export interface ChunkProgress {
  /** 'ending': it was given up, and what the service still works on may be billed. */
  readonly kind: 'synthesizing' | 'speaking' | 'ending';
  readonly part: number;
  readonly parts: number;
  /** How long the busy service has rejected this part. */
  readonly busyForMs?: number;
  /** True if some of the text was not cached and has been paid for. */
  readonly isBilled?: boolean;
}

/** The requester: turns are taken between servers, limits and costs are counted by person. */
export interface Payer {
  readonly guildId?: string | undefined;
  readonly userId: string;
}

/** The ids of the voice that was requested and of the one that spoke. */
export interface Speaker {
  readonly asked: string;
  readonly heard: string;
}

/** What the sound of a text cost its requester, so far or in all. */
export interface SpeechFacts {
  /** What was requested and has no effect. */
  readonly warnings: SpeechResult['warnings'];
  /** Facts about the last part that was bought for this requester. */
  readonly model?: string | undefined;
  readonly requestId?: string | undefined;
  /** The sum of the parts that were bought for this requester; 0 when all of them were there already. */
  readonly creditsUsed: number;
  /** It was stopped while a request was under way, or a bill could not be one: what that cost is unknown. */
  readonly mayBeMore?: true;
  /** The balance that the service reported last; absent if it was not asked. */
  readonly creditsRemaining?: number;
  /** Billed characters of the parts that were bought for this requester. */
  readonly inputCharacters?: number;
  /** Nothing was bought for this requester: all of it had been paid for before, or by another one. */
  readonly cached: boolean;
  /** In the order of the text, each once; absent where no voice spoke in the place of another. */
  readonly speakers?: readonly Speaker[];
}

export interface SynthesisOptions extends Payer {
  /** An earlier process paid for this text: it is not counted as one that cost nothing. Of `render` alone. */
  readonly wasPaidBefore?: boolean | undefined;
  /** Gives the synthesis up: what is not asked for by then never is. */
  readonly signal?: AbortSignal | undefined;
  /** Called without delay and often; must not throw. */
  readonly onProgress?: ((progress: ChunkProgress) => void) | undefined;
}

export interface FileOptions extends SynthesisOptions {
  readonly maxBytes: number;
  /** The whole sound of the request, where it was heard a short while ago: then nothing is made. */
  readonly heard?: Clip | undefined;
}

export interface Synthesis {
  /**
   * The whole text as one clip, which may go on growing until its last part was made. Resolves when the first part is
   * coming; rejects with a SpeechError, an AudioError, a UserError or the reason of the signal. When a later part fails, the
   * clip fails with a PartError behind the parts before it.
   */
  readonly clip: Promise<Clip>;
  facts(): SpeechFacts;
  /**
   * Gives up what is still being made and says what it cost, known once nothing works on it any more; unknown where the
   * service takes longer than 8 s to say so.
   */
  end(): Promise<Cost>;
}

export interface SoundFile {
  readonly bytes: Uint8Array;
  readonly extension: 'wav' | 'mp3' | 'ogg';
  readonly facts: SpeechFacts;
}
