import type { Clip } from '../../audio/clips/clip.ts';
import type { SpeechRequest } from '../../speech/request.ts';

export type ItemState = 'waiting' | 'preparing' | 'speaking' | 'paused' | 'done' | 'failed' | 'skipped';

/** An item of the queue as others see it. A snapshot, of plain data. */
export interface QueuedItem {
  readonly id: string;
  /** The requester. */
  readonly userId: string;
  /** See Utterance. */
  readonly authorId?: string | undefined;
  /** Where it is (to be) spoken; follows the bot. */
  readonly channelId: string;
  /** Where it was asked for. */
  readonly textChannelId?: string;
  readonly request: SpeechRequest;
  readonly state: ItemState;
  /** While it is being prepared: what is being waited for. */
  readonly stage?: 'joining' | 'synthesising';
  /** 0 for the one that is being prepared or spoken, 1 for the next one; undefined when it is over. */
  readonly position?: number;
  /** Until it is its turn, estimated; undefined while the bot is paused and when it is over. */
  readonly waitMs?: number;
}

export type WaitingItem = QueuedItem & { readonly position: number };

export interface QueueView {
  readonly isPaused: boolean;
  /** The one that is being prepared, spoken or held by a pause. */
  readonly current: QueuedItem | undefined;
  /** In the order in which they will be spoken. */
  readonly waiting: readonly WaitingItem[];
  /** What can be spoken again, the latest first. */
  readonly recent: readonly QueuedItem[];
  /** What was heard after all of those, and cannot. */
  readonly latestNotKept?: Pick<QueuedItem, 'userId' | 'authorId' | 'channelId'> | undefined;
}

/** What is being spoken, and what waits, in the order of speaking. */
export const underWay = ({ current, waiting }: Pick<QueueView, 'current' | 'waiting'>): readonly QueuedItem[] =>
  current ? [current, ...waiting] : waiting;

/** What was spoken, with its whole sound. */
export interface SpokenItem {
  readonly item: QueuedItem;
  readonly clip: Clip;
}
