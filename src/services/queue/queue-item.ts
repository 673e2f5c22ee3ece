import { refusal } from '../../errors/refusals.ts';
import { causeOf, UserError } from '../../errors/user-errors.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import type { SpeechOptions, SpeechRequest } from '../../speech/request.ts';
import type { Text } from '../../texts/catalog.ts';
import type { BilledText } from '../spending/spending.ts';
import type { SpeechFacts } from '../synthesis/synthesis-types.ts';

/** A text to speak as its requester asked for it, before voices and settings are looked up. */
export interface SpeechOrder {
  /** The member who requested the text. A button that continues the request works only for that member. */
  readonly userId: string;
  /**
   * Where a text to speak comes from.
   * - 'own': the requester wrote it to be spoken, so voice tags in it are obeyed.
   * - 'message': a chat message that the requester wants to hear; voice tags are removed.
   * - 'reading': a chat message that is read aloud without a request.
   * - 'announcement': tells which members came or left, without a request.
   */
  readonly from: 'own' | 'message' | 'reading' | 'announcement';
  /** The words as the requester wrote them. In a chat message, mentions and emoji are readable text. */
  readonly words: string;
  readonly as: 'voice' | 'file' | 'voice-message';
  readonly voice?: string | undefined;
  /** The language of the text (ISO 639-1), if the requester chose it. */
  readonly language?: string | undefined;
  readonly speechOptions: SpeechOptions;
  /** True for a script, in which each line begins with the name of its speaker. */
  readonly isScript?: boolean;
  readonly channelId?: string | undefined;
  /** The text channel of the request, where notes about the text are posted. */
  readonly textChannelId?: string | undefined;
  /** The message's author or the announced member, who may opt out of being read aloud. */
  readonly authorId?: string | undefined;
  /** Texts of one lane keep their order, and lanes take turns (turn-order.ts). Absent: the member's own lane. */
  readonly lane?: string | undefined;
  readonly isConfirmed?: boolean;
  /** True if the text was accepted before and failed: trying again does not start the server's cooldown. */
  readonly wasAccepted?: boolean;
  /** True if only the requester sees the replies, even after a button press. */
  readonly privately?: boolean;
}

/** The request to the speech service for a text, after voices and settings were looked up. */
export interface Requested {
  readonly request: SpeechRequest;
  /** The voices that speak the text, each once, in order; empty if their names are not shown. */
  readonly voices: readonly Voice[];
  readonly billed: readonly BilledText[];
  readonly isBleeped: boolean;
  readonly notes: readonly Text[];
  /** A voice of another model with the same name that supports the ignored options: the reply offers it. */
  readonly takenBy?: Voice;
}

/** In 'joining' and 'synthesizing', a text has its turn and waits for the voice channel or its audio. */
export type ItemState = 'waiting' | 'joining' | 'synthesizing' | 'speaking' | 'paused' | 'done' | 'failed' | 'skipped';

export interface QueueItem {
  readonly id: string;
  readonly order: SpeechOrder;
  readonly requested: Requested;
  readonly channelId: string;
  readonly state: ItemState;
  /** The text's position in the queue: 0 while it is spoken and after its end; 1 for the next text. */
  readonly position: number;
  /** Estimated milliseconds until the text is spoken; undefined after its end and while speech is paused. */
  readonly waitMs: number | undefined;
}

export const isOver = (state: ItemState): boolean => state === 'done' || state === 'failed' || state === 'skipped';

export interface QueueView {
  readonly isPaused: boolean;
  readonly current: QueueItem | undefined;
  readonly waiting: readonly QueueItem[];
  readonly recent: readonly QueueItem[];
}

export const underWay = ({ current, waiting }: QueueView): readonly QueueItem[] =>
  current ? [current, ...waiting] : waiting;

export interface HeardText {
  readonly outcome: 'finished' | 'stopped';
  /** The id of another member who stopped the text; undefined if the requester stopped it or nobody did. */
  readonly stoppedBy: string | undefined;
  readonly channelId: string;
  /** Time from the member's request to the first audio packet. */
  readonly firstAudioMs: number;
  readonly encrypted: boolean;
}

export interface Delivery extends HeardText {
  readonly speech: SpeechFacts;
  /** True if the text cannot be replayed: its audio is incomplete, or a member wants it deleted. */
  readonly isNotKept: boolean;
}

/** Why a text ended if a member stopped it. A text of which members heard some has the outcome 'stopped' instead. */
export class StoppedByMember extends UserError {
  readonly byUserId: string | undefined;
  readonly command: 'skip' | 'stop';
  /** The words of the stopped text, which the requester is reminded of: several of their texts may be in the queue. */
  readonly words: string | undefined;
  readonly wasWaiting: boolean;
  constructor(byUserId?: string, command: 'skip' | 'stop' = 'skip', words?: string, wasWaiting = true) {
    super(refusal('stopped'));
    this.byUserId = byUserId;
    this.command = command;
    this.words = words;
    this.wasWaiting = wasWaiting;
  }

  /** A copy for the reply to the requester `userId`, who is not named as the member who stopped the text. */
  toldTo(userId: string, words: string, wasWaiting: boolean): StoppedByMember {
    return new StoppedByMember(this.byUserId === userId ? undefined : this.byUserId, this.command, words, wasWaiting);
  }
}

/** True if a member stopped an utterance before any of it was heard. */
export const wasRemoved = (error: unknown): boolean => causeOf(error) instanceof StoppedByMember;
