import { refusal } from '../../errors/refusals.ts';
import { causeOf, UserError } from '../../errors/user-errors.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { VoicePlace } from '../presence/channel-presence.ts';
import type { SpentBy } from '../spending/spending.ts';
import type { ChunkProgress, SpeechFacts } from '../synthesis/synthesis-types.ts';

export interface Utterance {
  /** Of one that comes back after an end of the process: the buttons below its reply have it. */
  readonly id?: string;
  /** Its sound was paid for before that. */
  readonly wasPaidBefore?: boolean;
  readonly place: VoicePlace;
  /** The requester. */
  readonly userId: string;
  /** Where it was asked for: what concerns it is told there. */
  readonly textChannelId?: string;
  readonly request: SpeechRequest;
  readonly spentBy?: SpentBy | undefined;
  /** Who wrote the message, or is announced, and may opt out of that. */
  readonly authorId?: string | undefined;
  /** Spoken in order with what is in the same lane; the member's own when absent. See queue.ts. */
  readonly lane?: string;
  /** performance.now() when it was asked for; now, when left out. */
  readonly askedAtMs?: number;
  /** Told which part is being synthesised or spoken. */
  readonly onProgress?: (progress: ChunkProgress) => void;
  /** It is made, but not heard, before this resolves: before its requester is sure to learn what becomes of it. */
  readonly acknowledged?: Promise<void>;
  /** Takes the utterance back, whether it waits or is being spoken. */
  readonly signal?: AbortSignal;
}

/** An utterance that was heard: all of it, or up to a /stop. */
export interface Delivery {
  readonly outcome: 'finished' | 'stopped';
  /** Who stopped it, where that was not its requester. */
  readonly stoppedBy?: string | undefined;
  readonly channelId: string;
  readonly speech: SpeechFacts;
  /** From being asked for to the first packet of sound. */
  readonly firstAudioMs: number;
  /** Stopped before all of its sound was there, or forgotten: it can be neither spoken again nor saved. */
  readonly isNotKept?: true;
  /** Whether all that was heard was end-to-end encrypted. */
  readonly encrypted: boolean;
}

/** Being stopped by a member is an outcome, not a failure: what was heard until then was asked for. */
export class StoppedByMember extends UserError {
  readonly byUserId: string | undefined;
  /** What the member did: go on to the next text, or end all of theirs. */
  readonly command: 'skip' | 'stop';
  /** What was to be spoken: its requester may have several texts in the queue. */
  readonly words: string | undefined;
  /** It waited for its turn. */
  readonly wasWaiting: boolean;
  constructor(byUserId?: string, command: 'skip' | 'stop' = 'skip', words?: string, wasWaiting = true) {
    super(refusal('stopped'));
    this.byUserId = byUserId;
    this.command = command;
    this.words = words;
    this.wasWaiting = wasWaiting;
  }

  /** The requester knows what they have done themselves. */
  toldTo(userId: string, words: string, wasWaiting: boolean): StoppedByMember {
    return new StoppedByMember(this.byUserId === userId ? undefined : this.byUserId, this.command, words, wasWaiting);
  }
}

/** Whether a member took an utterance out of the queue before anything of it was heard. */
export const wasRemoved = (error: unknown): boolean => causeOf(error) instanceof StoppedByMember;
