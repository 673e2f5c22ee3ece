import { randomBytes } from 'node:crypto';
import type { Clip } from '../../audio/clips/clip.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { DurationEstimate } from './duration-estimate.ts';
import type { ItemState, QueuedItem } from './queued-item.ts';
import type { Item, Utterance } from './utterance.ts';

/** 72 bits in 12 characters: not to be guessed, and short enough for the custom id of a button. */
const ID_BYTES = 9;

/** An item on its way through the queue of a server, with what is known about it by then. */
export interface QueueEntry {
  readonly id: string;
  readonly userId: string;
  readonly item: Item;
  readonly request: SpeechRequest;
  readonly textChannelId: string | undefined;
  state: ItemState;
  stage: QueuedItem['stage'];
  /** Whether others were spoken before it. */
  hadToWait: boolean;
  clip: Clip | undefined;
  /** Counts what is heard of it. */
  readonly heard: Stopwatch;
}

/** Measures with interruptions. */
interface Stopwatch {
  readonly ms: number;
  start(): void;
  stop(): void;
  reset(): void;
}

/** `clip`: its sound, where that is there already. */
export function createQueueEntry(
  { id = randomBytes(ID_BYTES).toString('base64url'), userId, textChannelId, request, heardMs }: Utterance,
  item: Item,
  clip: Clip | undefined,
): QueueEntry {
  return {
    id,
    userId,
    textChannelId,
    request,
    item,
    clip,
    state: 'waiting',
    stage: undefined,
    hadToWait: false,
    heard: createStopwatch(heardMs),
  };
}

export function isOver({ state }: Pick<QueuedItem, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'skipped';
}

export function durationOf({ clip, request }: QueueEntry, estimate: DurationEstimate): number {
  if (clip?.state === 'complete') return clip.durationMs;
  return Math.max(estimate.of(request), clip?.durationMs ?? 0);
}

/** How much of it is still to be heard. */
export function remainingOf(entry: QueueEntry, estimate: DurationEstimate): number {
  return Math.max(0, durationOf(entry, estimate) - entry.heard.ms);
}

/** What others see of it. */
export function snapshot(
  entry: QueueEntry,
  place: { readonly position?: number; readonly waitMs?: number } = {},
): QueuedItem {
  const { id, userId, item, textChannelId, request, state, stage } = entry;
  return {
    id,
    userId,
    channelId: item.place.channelId,
    ...(textChannelId !== undefined && { textChannelId }),
    request,
    state,
    ...(state === 'preparing' && stage && { stage }),
    ...place,
  };
}

function createStopwatch(startMs = 0): Stopwatch {
  let beforeMs = startMs;
  let sinceMs: number | undefined;
  const ms = () => beforeMs + (sinceMs === undefined ? 0 : performance.now() - sinceMs);
  return {
    get ms() {
      return ms();
    },
    start() {
      sinceMs ??= performance.now();
    },
    stop() {
      beforeMs = ms();
      sinceMs = undefined;
    },
    reset() {
      beforeMs = startMs;
      sinceMs = undefined;
    },
  };
}
