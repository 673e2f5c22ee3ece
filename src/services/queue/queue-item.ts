import { randomBytes } from 'node:crypto';
import type { Clip } from '../../audio/clips/clip.ts';
import { type Cost, DeliveryError } from '../../errors/user-errors.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { VoicePlace } from '../presence/channel-presence.ts';
import type { Synthesis, Synthesiser } from '../synthesis/synthesis-types.ts';
import type { Delivery, Utterance } from './utterance.ts';

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

/** How long texts take to speak, learned from what was made. */
export interface DurationEstimate {
  /** In ms, of the sound. */
  of(request: SpeechRequest): number;
  learn(request: SpeechRequest, durationMs: number): void;
}

/** Unhurried English, about 150 words a minute; soon replaced by what is observed. */
const FIRST_MS_PER_CHARACTER = 65;
/** What each text counts against all before it: the voices of a server change slowly. */
const WEIGHT = 0.3;
/** The pauses before and after the words: without them short texts would teach a rate far too slow for long ones. */
const EDGES_MS = 300;

export function createDurationEstimate(): DurationEstimate {
  let msPerCharacter = FIRST_MS_PER_CHARACTER;

  /** Characters as they would be at normal speed. */
  const extent = ({ input, speed = 1 }: SpeechRequest) => input.length / speed;

  return {
    of: (request) => Math.round(EDGES_MS + extent(request) * msPerCharacter),
    learn(request, durationMs) {
      const observed = (durationMs - EDGES_MS) / extent(request);
      if (!(observed > 0) || observed === Number.POSITIVE_INFINITY) return;
      msPerCharacter += WEIGHT * (observed - msPerCharacter);
    },
  };
}

/** 72 bits in 12 characters: not to be guessed, and short enough for the custom id of a button. */
const ID_BYTES = 9;

/** How far an item is. */
type Progress =
  /** While it is being prepared: what is being waited for. */
  | { readonly kind: 'preparing'; readonly stage: NonNullable<QueuedItem['stage']> }
  | { readonly kind: Exclude<ItemState, 'preparing'> };

/** An accepted utterance on its way from text to audio. */
export interface QueueItem {
  readonly id: string;
  /** As it was accepted. */
  readonly utterance: Omit<Utterance, 'place'> & { readonly askedAtMs: number };
  /** Follows the bot when a moderator moves it. */
  place: VoicePlace;
  progress: Progress;
  readonly audio: ItemAudio;
  /** Counts for how long it is heard. */
  readonly heard: Stopwatch;
  /** Its requester wants nothing of it to be kept. */
  isForgotten: boolean;
  /** Aborted when it will not be spoken (any more), with the reason for its requester. */
  readonly signal: AbortSignal;
  /** Resolves when it was heard, rejects with a DeliveryError. */
  readonly delivery: Promise<Delivery>;
  cancel(reason: unknown): void;
  /** It was heard. */
  succeed(
    heard: Pick<Delivery, 'outcome' | 'stoppedBy' | 'channelId' | 'encrypted'> & {
      readonly firstPacketAtMs: number | undefined;
    },
  ): void;
  /** It was not heard to its end: gives up what is still being made and tells its requester what that cost. */
  fail(cause: unknown): Promise<void>;
}

/** The audio of an item, which is made once. */
interface ItemAudio {
  /** Undefined until the first of it is there. */
  readonly clip: Clip | undefined;
  /** It is being made, or is there. */
  readonly isRequested: boolean;
  /** Whether it was there already; known once its clip is. */
  readonly isCached: boolean;
  /** The first call pays for the speech, later ones get the same clip. */
  prepare(): Promise<Clip>;
}

export interface ItemOptions {
  readonly synthesiser: Pick<Synthesiser, 'render'>;
  /** Learns how long it took to be spoken. */
  readonly estimate: DurationEstimate;
  /** Requests are served in turn between servers. */
  readonly guildId: string;
  /** Its audio, where that is there already. */
  readonly clip?: Clip | undefined;
}

/** Measures with interruptions. */
interface Stopwatch {
  readonly ms: number;
  start(): void;
  stop(): void;
  reset(): void;
}

export function createQueueItem(asked: Utterance, { clip: clipBefore, ...options }: ItemOptions): QueueItem {
  const { place, ...utterance } = asked;
  const { id = randomBytes(ID_BYTES).toString('base64url'), askedAtMs = performance.now() } = utterance;
  const cancellation = new AbortController();
  const { signal } = cancellation;
  const delivery = Promise.withResolvers<Delivery>();
  const { audio, synthesis } = createItemAudio(asked, { ...options, clip: clipBefore, signal });

  return {
    id,
    utterance: { ...utterance, askedAtMs },
    place,
    progress: { kind: 'waiting' },
    audio,
    heard: createStopwatch(),
    isForgotten: false,
    signal,
    delivery: delivery.promise,
    cancel: (reason) => cancellation.abort(reason),
    succeed({ outcome, stoppedBy, channelId, encrypted, firstPacketAtMs = performance.now() }) {
      const made = synthesis();
      if (!made) throw new Error('An utterance cannot be heard before it was made');
      const firstAudioMs = Math.round(firstPacketAtMs - askedAtMs);
      const isWhole = audio.clip === undefined || audio.clip.state === 'complete';
      // Of what was stopped, nothing more is made; what was just being asked for may be billed all the same.
      void made.end().then((cost) => {
        const speech = mayBeMore(cost) ? { ...made.facts(), cached: false, mayBeMore: true as const } : made.facts();
        const isNotKept = this.isForgotten || !isWhole ? true : undefined;
        delivery.resolve({ outcome, stoppedBy, channelId, speech, firstAudioMs, encrypted, isNotKept });
      });
    },
    async fail(cause) {
      const reason = signal.aborted ? signal.reason : cause;
      cancellation.abort(reason);
      const cost = (await synthesis()?.end()) ?? { kind: 'none' };
      delivery.reject(new DeliveryError(this.place.channelId, cost, reason, this.heard.ms > 0));
    },
  };
}

function createItemAudio(
  { request, userId, spentBy, wasPaidBefore, onProgress }: Utterance,
  { synthesiser, estimate, guildId, clip, signal }: ItemOptions & { readonly signal: AbortSignal },
): { readonly audio: ItemAudio; readonly synthesis: () => Synthesis | undefined } {
  let synthesis: Synthesis | undefined;
  let known = clip;

  async function make(made: Synthesis): Promise<void> {
    if (known) return;
    const arrived = await made.clip;
    known = arrived;
    await arrived.done;
    estimate.learn(request, arrived.durationMs);
  }

  const audio: ItemAudio = {
    get clip() {
      return known;
    },
    get isRequested() {
      return synthesis !== undefined;
    },
    get isCached() {
      return synthesis?.facts().cached === true;
    },
    async prepare() {
      if (!synthesis) {
        synthesis = synthesiser.render(request, { guildId, userId, spentBy, wasPaidBefore, signal, onProgress });
        // Its failure is told when its turn comes.
        make(synthesis).catch(() => undefined);
      }
      return synthesis.clip;
    },
  };
  return { audio, synthesis: () => synthesis };
}

const mayBeMore = (cost: Cost) => cost.kind === 'unknown' || (cost.kind === 'used' && cost.mayBeMore === true);

export function isOver({ state }: { readonly state: ItemState }): boolean {
  return state === 'done' || state === 'failed' || state === 'skipped';
}

export function durationOf({ audio: { clip }, utterance: { request } }: QueueItem, estimate: DurationEstimate): number {
  if (clip?.state === 'complete') return clip.durationMs;
  return Math.max(estimate.of(request), clip?.durationMs ?? 0);
}

/** For how long it is still to be heard. */
export function remainingOf(item: QueueItem, estimate: DurationEstimate): number {
  return Math.max(0, durationOf(item, estimate) - item.heard.ms);
}

/** What others see of it. */
export function snapshot(
  { id, utterance, place, progress }: QueueItem,
  turn: { readonly position?: number; readonly waitMs?: number } = {},
): QueuedItem {
  const { userId, authorId, textChannelId, request } = utterance;
  return {
    id,
    userId,
    authorId,
    channelId: place.channelId,
    textChannelId,
    request,
    state: progress.kind,
    stage: progress.kind === 'preparing' ? progress.stage : undefined,
    ...turn,
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
