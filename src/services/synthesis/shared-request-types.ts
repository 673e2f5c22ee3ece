import type { Clip } from '../../audio/clips/clip.ts';
import type { Cost } from '../../errors/user-errors.ts';
import type { SpeechResult } from '../../speech/client/client.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { Payer } from './synthesis-types.ts';

/** One asker's share in the sound of one request. */
export interface Share {
  /** Rejects with a SpeechError, an AudioError, a UserError of the spending limits, or the signal's reason. */
  readonly clip: Promise<Clip>;
  /** Set once the sound was paid for on this one's account. */
  readonly paid: SpeechResult | undefined;
  /** Wants it no longer. Resolves with what it cost this one, once that is known. Idempotent. */
  end(): Promise<Cost>;
}

export interface ShareOptions extends Payer {
  readonly signal?: AbortSignal | undefined;
  readonly onPlayed?: (count: number) => void;
  /** What will be asked for next: what of it has to be paid for must be allowed, too, before this is paid for. */
  readonly following?: readonly SpeechRequest[];
  /** The same object for all parts of one text: they are made equally loud. */
  readonly utterance?: object;
}

export interface Flights {
  /** From the cache, from what is being made for somebody else, or made now. */
  ask(request: SpeechRequest, options: ShareOptions): Share;
  /** Whether its sound is in memory, on its way, or can be fetched from where it was made. */
  knows(request: SpeechRequest): boolean;
  /** Where the service put the sound of this request, when it made it a short while ago. */
  sourceOf(request: SpeechRequest): URL | undefined;
  close(reason: Error): void;
}
