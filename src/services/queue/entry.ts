import { randomBytes } from 'node:crypto';
import type { Clip } from '../../audio/clips/clip.ts';
import { type Cost, DeliveryError } from '../../errors/user-errors.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { VoicePlace } from '../presence/channel-presence.ts';
import type { Synthesis, Synthesiser } from '../synthesis/synthesis-types.ts';
import type { DurationEstimate } from './duration-estimate.ts';
import type { ItemState, QueuedItem } from './queued-item.ts';
import type { Delivery, Utterance } from './utterance.ts';

/** 72 bits in 12 characters: not to be guessed, and short enough for the custom id of a button. */
const ID_BYTES = 9;

/** An accepted utterance on its way from text to sound, with what is known about it by then. */
export interface QueueEntry {
  readonly id: string;
  readonly userId: string;
  /** See Utterance. */
  readonly spentBy: Utterance['spentBy'];
  /** See Utterance. */
  readonly authorId: Utterance['authorId'];
  readonly request: SpeechRequest;
  readonly textChannelId: string | undefined;
  /** Follows the bot when a moderator moves it. */
  place: VoicePlace;
  state: ItemState;
  stage: QueuedItem['stage'];
  /** Whether others were spoken before it. */
  hadToWait: boolean;
  clip: Clip | undefined;
  /** Counts for how long it is heard. */
  readonly heard: Stopwatch;
  /** performance.now() when it was asked for. */
  readonly askedAtMs: number;
  /** See Utterance. */
  readonly acknowledged: Promise<void> | undefined;
  /** Aborted when it will not be spoken (any more), with the reason for its requester. */
  readonly signal: AbortSignal;
  /** Resolves when it was heard, rejects with a DeliveryError. */
  readonly delivery: Promise<Delivery>;
  /** Whether its sound was there already; known once its clip is. */
  readonly isCached: boolean;
  /** Its audio is being made, or is there. */
  readonly isRequested: boolean;
  /** Its requester wants nothing of it to be kept. */
  isForgotten: boolean;
  /** Makes its clip; the first call pays for the speech, later ones get the same clip. */
  prepare(): Promise<Clip>;
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

export interface EntryOptions {
  readonly synthesiser: Pick<Synthesiser, 'render'>;
  /** Requests are served in turn between servers. */
  readonly guildId: string;
  /** Its sound, where that is there already. */
  readonly clip?: Clip | undefined;
}

/** Measures with interruptions. */
interface Stopwatch {
  readonly ms: number;
  start(): void;
  stop(): void;
  reset(): void;
}

export function createQueueEntry(utterance: Utterance, { synthesiser, guildId, clip }: EntryOptions): QueueEntry {
  const { place, request, userId, spentBy, authorId, wasPaidBefore, textChannelId, heardMs, acknowledged, onProgress } =
    utterance;
  const { id = randomBytes(ID_BYTES).toString('base64url'), askedAtMs = performance.now() } = utterance;
  const cancellation = new AbortController();
  const { signal } = cancellation;
  const delivery = Promise.withResolvers<Delivery>();
  let synthesis: Synthesis | undefined;

  return {
    ...{ id, userId, spentBy, authorId, request, textChannelId, place, clip, askedAtMs, acknowledged, signal },
    delivery: delivery.promise,
    state: 'waiting',
    stage: undefined,
    hadToWait: false,
    isForgotten: false,
    heard: createStopwatch(heardMs),
    get isCached() {
      return synthesis?.facts().cached === true;
    },
    get isRequested() {
      return synthesis !== undefined;
    },
    prepare() {
      synthesis ??= synthesiser.render(request, { guildId, userId, spentBy, wasPaidBefore, signal, onProgress });
      // Its failure is told when its turn comes.
      synthesis.clip.catch(() => undefined);
      return synthesis.clip;
    },
    cancel: (reason) => cancellation.abort(reason),
    succeed({ outcome, stoppedBy, channelId, encrypted, firstPacketAtMs = performance.now() }) {
      if (!synthesis) throw new Error('An utterance cannot be heard before it was made');
      const made = synthesis;
      const firstAudioMs = Math.round(firstPacketAtMs - askedAtMs);
      const isWhole = this.clip === undefined || this.clip.state === 'complete';
      // Of what was stopped, nothing more is made; what was just being asked for may be billed all the same.
      void made.end().then((cost) => {
        const speech = mayBeMore(cost) ? { ...made.facts(), cached: false, mayBeMore: true as const } : made.facts();
        const { isForgotten } = this;
        delivery.resolve({
          outcome,
          ...(stoppedBy !== undefined && { stoppedBy }),
          channelId,
          speech,
          firstAudioMs,
          encrypted,
          ...((isForgotten || !isWhole) && { isNotKept: true }),
        });
      });
    },
    async fail(cause) {
      const reason = signal.aborted ? signal.reason : cause;
      cancellation.abort(reason);
      const cost = (await synthesis?.end()) ?? { kind: 'none' };
      delivery.reject(new DeliveryError(this.place.channelId, cost, reason, this.heard.ms > 0));
    },
  };
}

const mayBeMore = (cost: Cost) => cost.kind === 'unknown' || (cost.kind === 'used' && cost.mayBeMore === true);

export function isOver({ state }: Pick<QueuedItem, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'skipped';
}

export function durationOf({ clip, request }: QueueEntry, estimate: DurationEstimate): number {
  if (clip?.state === 'complete') return clip.durationMs;
  return Math.max(estimate.of(request), clip?.durationMs ?? 0);
}

/** For how long it is still to be heard. */
export function remainingOf(entry: QueueEntry, estimate: DurationEstimate): number {
  return Math.max(0, durationOf(entry, estimate) - entry.heard.ms);
}

/** What others see of it. */
export function snapshot(
  entry: QueueEntry,
  turn: { readonly position?: number; readonly waitMs?: number } = {},
): QueuedItem {
  const {
    id,
    userId,
    authorId,
    place: { channelId },
    textChannelId,
    request,
    state,
    stage,
  } = entry;
  return {
    id,
    userId,
    ...(authorId !== undefined && { authorId }),
    channelId,
    ...(textChannelId !== undefined && { textChannelId }),
    request,
    state,
    ...(state === 'preparing' && stage && { stage }),
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
