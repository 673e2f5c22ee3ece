import type { Clip } from '../../audio/clips/clip.ts';
import type { Cost } from '../../errors/user-errors.ts';
import type { OwnLeft } from '../spending/spending.ts';

/** Progress of making or speaking a text in parts; `part` starts at 1. */
export interface ChunkProgress {
  /** The work on a text's part. 'ending': the text was canceled, but the request in flight may still be billed. */
  readonly kind: 'synthesizing' | 'speaking' | 'ending';
  readonly part: number;
  readonly parts: number;
  /** Milliseconds since the first attempt to request the part; undefined unless the service was too busy. */
  readonly busyForMs?: number;
  readonly isBilled?: boolean;
}

/** The server (undefined in direct messages) and the user for whom spending is counted. Servers take turns. */
export interface Payer {
  readonly guildId: string | undefined;
  readonly userId: string;
}

export interface Speaker {
  readonly asked: string;
  readonly heard: string;
}

/** The cost of a text's audio for its requester, so far or in total. */
export interface SpeechFacts {
  /** The model of the last part of a text that was bought for the requester. */
  readonly model: string | undefined;
  readonly requestId: string | undefined;
  /** Total credits of the parts bought for the requester; 0 if all parts were cached. */
  readonly creditsUsed: number;
  /** True if the text was stopped during a request, or a bill was implausible: the real cost may be higher. */
  readonly mayBeMore: true | undefined;
  /** The account's last balance that the speech service reported; undefined if the service was not asked. */
  readonly creditsRemaining: number | undefined;
  /** The rest of the requester's own spending limit after the bill; undefined without a limit or a purchase. */
  readonly ownLeft: OwnLeft | undefined;
  /** Billed characters of the text's parts that were bought for the requester. */
  readonly inputCharacters: number | undefined;
  /** True if nothing was bought for the requester: all parts were cached, or paid by other requesters. */
  readonly cached: boolean;
  /** Each requested voice with the voice that spoke, once, in order; undefined if none was replaced. */
  readonly speakers: readonly Speaker[] | undefined;
}

export interface SynthesisOptions extends Payer {
  /** When the signal aborts, no more parts of the text are requested. */
  readonly signal: AbortSignal;
}

export interface RenderOptions extends SynthesisOptions {
  /** True if an earlier process paid for a restored text: it does not count as spoken for free. */
  readonly wasPaidBefore: boolean;
  /** Called synchronously and often with the progress of a text; must not throw. */
  readonly onProgress: ((progress: ChunkProgress) => void) | undefined;
}

export interface FileOptions extends SynthesisOptions {
  readonly maxBytes: number;
  /** The complete clip of the request if it was heard recently: no audio is made then. */
  readonly heard?: Clip | undefined;
}

export interface Synthesis {
  /**
   * Rejects with a SpeechError, an AudioError, a UserError or the signal's reason. If a later part fails, the clip
   * fails with a PartError after the earlier parts.
   */
  readonly clip: Promise<Clip>;
  facts(): SpeechFacts;
  /** Resolves with the cost when no request is running any more: 'unknown' if that takes longer than 8 s. */
  end(): Promise<Cost>;
}

export interface SoundFile {
  readonly bytes: Uint8Array;
  readonly extension: 'wav' | 'mp3' | 'ogg';
  readonly facts: SpeechFacts;
}
