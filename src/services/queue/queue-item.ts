import type { Clip } from '../../audio/clips/clip.ts';
import { refusal } from '../../errors/refusals.ts';
import { causeOf, UserError } from '../../errors/user-errors.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { Text } from '../../texts/catalog.ts';
import type { BilledText } from '../spending/spending.ts';
import type { SpeechFacts } from '../synthesis/synthesis-types.ts';

/** The order of a text to speak, as requested, before any lookup. */
export interface SpeechOrder {
  /** The requester. Only they can use the order when it is kept for a button or a form. */
  readonly userId: string;
  /**
   * 'own': written for this; 'message': read from a chat, without instructions in it. 'reading' and 'announcement':
   * without a request.
   */
  readonly from: 'own' | 'message' | 'reading' | 'announcement';
  /** The words as written; those of a message are readable already. */
  readonly words: string;
  /** Spoken in a voice channel, or as a message. */
  readonly as: 'voice' | 'file' | 'voice-message';
  readonly voice?: string | undefined;
  /** The language of the words (ISO 639-1), where the caller named it. */
  readonly language?: string | undefined;
  readonly speechOptions: Pick<SpeechRequest, 'style' | 'speed' | 'temperature'>;
  readonly output: Pick<SpeechRequest, 'seed' | 'responseFormat'>;
  /** Its lines begin with the name of who speaks them. */
  readonly isScript?: boolean;
  readonly channelId?: string | undefined;
  /** The text channel of the request, which gets the notes on it. */
  readonly textChannelId?: string | undefined;
  /** The author of the message, or the announced member, who may opt out. */
  readonly authorId?: string | undefined;
  /** Spoken in order with what is in the same lane; the member's own when absent. See turn-order.ts. */
  readonly lane?: string | undefined;
  readonly isConfirmed?: boolean;
  /** It was accepted before and then failed: another try is no further text for the server's break between texts. */
  readonly wasAccepted?: boolean;
  /** It is shown to the caller alone, also when it comes later, at the press of a button. */
  readonly privately?: boolean;
}

/** What is requested of the speech service for an order, after all lookups. */
export interface Requested {
  readonly request: SpeechRequest;
  /** The voices that speak it, each once, in their order; empty if they are not named. */
  readonly voices: readonly Voice[];
  readonly billed: readonly BilledText[];
  readonly isBleeped: boolean;
  /** What its reply says besides its outcome, each added where it was found. */
  readonly notes: readonly Text[];
}

/** In 'joining' and 'synthesizing', the text is at its turn and waits for that. */
export type ItemState = 'waiting' | 'joining' | 'synthesizing' | 'speaking' | 'paused' | 'done' | 'failed' | 'skipped';

/** A text as it was accepted. A snapshot, of plain data. */
export interface QueueItem {
  /** Short, and not to be guessed: fit for the custom id of a button. */
  readonly id: string;
  readonly order: SpeechOrder;
  readonly requested: Requested;
  readonly channelId: string;
  readonly state: ItemState;
  /** 0 for the one that is being prepared or spoken, and once it is over; 1 for the next one. */
  readonly position: number;
  /** Until it is its turn, estimated; undefined while the bot is paused and when it is over. */
  readonly waitMs: number | undefined;
}

export const isOver = (state: ItemState): boolean => state === 'done' || state === 'failed' || state === 'skipped';

/** The members of a text and its channel, without its words. */
export interface Heard {
  readonly order: Pick<SpeechOrder, 'userId' | 'authorId'>;
  readonly channelId: string;
}

export interface QueueView {
  readonly isPaused: boolean;
  /** The one that is being prepared, spoken or held by a pause. */
  readonly current: QueueItem | undefined;
  readonly waiting: readonly QueueItem[];
  /** What can be spoken again, the latest first. */
  readonly recent: readonly QueueItem[];
  /** What was heard after all of those, and cannot. */
  readonly latestNotKept: Heard | undefined;
}

export const underWay = ({ current, waiting }: QueueView): readonly QueueItem[] =>
  current ? [current, ...waiting] : waiting;

export interface SpokenItem {
  readonly item: QueueItem;
  readonly clip: Clip;
}

/** An utterance that was heard: all of it, or up to a /stop. */
export interface Delivery {
  readonly outcome: 'finished' | 'stopped';
  /** Undefined if that was its requester. */
  readonly stoppedBy?: string | undefined;
  readonly channelId: string;
  readonly speech: SpeechFacts;
  /** From being asked for to the first packet of sound. */
  readonly firstAudioMs: number;
  /** True if it was stopped before its audio was complete, or forgotten: it cannot be spoken again or saved. */
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
