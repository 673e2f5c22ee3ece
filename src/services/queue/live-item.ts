import { randomBytes } from 'node:crypto';
import type { Clip } from '../../audio/clips/clip.ts';
import { type Cost, DeliveryError } from '../../errors/user-errors.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { VoicePlace } from '../presence/channel-presence.ts';
import type { ChunkProgress, Synthesis, Synthesizer } from '../synthesis/synthesis-types.ts';
import type { Delivery, ItemState, QueueItem, Requested, SpeechOrder } from './queue-item.ts';

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

/** What is handed to the queue: a text, and what goes with it on its way. */
export interface NewItem {
  readonly order: SpeechOrder;
  readonly requested: Requested;
  readonly place: VoicePlace;
  /** The id of an item that comes back after an end of the process: the buttons below its reply have it. */
  readonly id?: string;
  /** Its sound was paid for before that. */
  readonly wasPaidBefore?: boolean;
  /** performance.now() when it was asked for; now, when left out. */
  readonly askedAtMs?: number | undefined;
  /** Runs when the next part is being synthesized or spoken. */
  readonly onProgress?: (progress: ChunkProgress) => void;
  /** It is made, but not heard, before this resolves: before its requester is sure to learn what becomes of it. */
  readonly acknowledged?: Promise<void> | undefined;
  /** Takes the text back, whether it waits or is being spoken. */
  readonly signal?: AbortSignal | undefined;
}

/** An accepted text on its way to its listeners. */
export interface LiveItem {
  readonly id: string;
  readonly order: SpeechOrder;
  readonly requested: Requested;
  readonly askedAtMs: number;
  readonly acknowledged: Promise<void> | undefined;
  /** Follows the bot when a moderator moves it. */
  place: VoicePlace;
  state: ItemState;
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

/** Makes the audio of a text: a Synthesizer, or an object that has the audio already. */
export interface Renderer {
  readonly render: Synthesizer['render'];
}

interface ItemOptions {
  readonly synthesizer: Renderer;
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

export function createLiveItem(asked: NewItem, { clip: clipBefore, ...options }: ItemOptions): LiveItem {
  const { order, requested, place, acknowledged } = asked;
  const { id = randomBytes(ID_BYTES).toString('base64url'), askedAtMs = performance.now() } = asked;
  const cancellation = new AbortController();
  const { signal } = cancellation;
  const delivery = Promise.withResolvers<Delivery>();
  const { audio, synthesis } = createItemAudio(asked, { ...options, clip: clipBefore, signal });

  return {
    id,
    order,
    requested,
    askedAtMs,
    acknowledged,
    place,
    state: 'waiting',
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
      // After a stop, no more audio is made; the request in flight may be billed anyway.
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
  { order, requested: { request }, wasPaidBefore, onProgress }: NewItem,
  { synthesizer, estimate, guildId, clip, signal }: ItemOptions & { readonly signal: AbortSignal },
): { readonly audio: ItemAudio; readonly synthesis: () => Synthesis | undefined } {
  const spentBy = order.from === 'own' ? 'say' : order.from;
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
        synthesis = synthesizer.render(request, {
          guildId,
          userId: order.userId,
          spentBy,
          wasPaidBefore,
          signal,
          onProgress,
        });
        // Its failure is reported at its turn.
        make(synthesis).catch(() => undefined);
      }
      return synthesis.clip;
    },
  };
  return { audio, synthesis: () => synthesis };
}

const mayBeMore = (cost: Cost) => cost.kind === 'unknown' || (cost.kind === 'used' && cost.mayBeMore === true);

export function durationOf({ audio: { clip }, requested: { request } }: LiveItem, estimate: DurationEstimate): number {
  if (clip?.state === 'complete') return clip.durationMs;
  return Math.max(estimate.of(request), clip?.durationMs ?? 0);
}

/** For how long it is still to be heard. */
export function remainingOf(item: LiveItem, estimate: DurationEstimate): number {
  return Math.max(0, durationOf(item, estimate) - item.heard.ms);
}

/** What others see of it, with its turn where it has one. */
export const snapshot = (
  { id, order, requested, place, state }: LiveItem,
  turn: { readonly position: number; readonly waitMs: number | undefined } | undefined = undefined,
): QueueItem => ({
  id,
  order,
  requested,
  channelId: place.channelId,
  state,
  position: turn?.position ?? 0,
  waitMs: turn?.waitMs,
});

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
