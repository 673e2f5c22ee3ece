import { randomBytes } from 'node:crypto';
import type { Clip } from '../../audio/clips/clip.ts';
import { type Cost, DeliveryError } from '../../errors/user-errors.ts';
import type { VoicePlace } from '../presence/channel-presence.ts';
import type { Synthesizer } from '../synthesis/synthesis.ts';
import type { ChunkProgress, Synthesis } from '../synthesis/synthesis-types.ts';
import type { Delivery, ItemState, QueueItem, Requested, SpeechOrder } from './queue-item.ts';

/** 72 bits in 12 characters: not to be guessed, and short enough for the custom id of a button. */
const ID_BYTES = 9;

export interface NewItem {
  readonly order: SpeechOrder;
  readonly requested: Requested;
  readonly place: VoicePlace;
  /** The id of an item that comes back after an end of the process: the buttons below its reply have it. */
  readonly id?: string;
  /** Its sound was paid for before that. */
  readonly wasPaidBefore?: boolean;
  /** performance.now() when it was requested; now by default. */
  readonly askedAtMs?: number | undefined;
  /** Runs when the next part is being synthesized or spoken. */
  readonly onProgress?: (progress: ChunkProgress) => void;
  /** It is made, but not heard, before this resolves: before its requester is sure to learn what becomes of it. */
  readonly acknowledged?: Promise<void> | undefined;
  /** Takes the text back, whether it waits or is being spoken. */
  readonly signal?: AbortSignal | undefined;
}

/** A Synthesizer, or an object that has the audio already. */
export interface Renderer {
  readonly render: Synthesizer['render'];
}

interface ItemSource {
  readonly synthesizer: Renderer;
  /** Requests are served in turn between servers. */
  readonly guildId: string;
  readonly clip: Clip | undefined;
  readonly sameness: unknown;
}

/** An accepted text on its way to its listeners. */
export class LiveItem {
  readonly id: string;
  readonly order: SpeechOrder;
  readonly requested: Requested;
  readonly askedAtMs: number;
  readonly acknowledged: Promise<void> | undefined;
  /** Equal for the same text of the same member in the same channel. */
  readonly sameness: string;
  /** Follows the bot when a moderator moves it. */
  place: VoicePlace;
  state: ItemState = 'waiting';
  /** Its requester wants nothing of it to be kept. */
  isForgotten = false;
  clip: Clip | undefined;
  readonly heard = new Stopwatch();
  readonly #delivery = Promise.withResolvers<Delivery>();
  readonly #cancellation = new AbortController();
  readonly #render: () => Synthesis;
  #synthesis: Synthesis | undefined;

  constructor(asked: NewItem, { synthesizer, guildId, clip, sameness }: ItemSource) {
    const { order, requested, place, acknowledged, wasPaidBefore, onProgress } = asked;
    const { userId } = order;
    this.id = asked.id ?? randomBytes(ID_BYTES).toString('base64url');
    this.order = order;
    this.requested = requested;
    this.place = place;
    this.askedAtMs = asked.askedAtMs ?? performance.now();
    this.acknowledged = acknowledged;
    this.sameness = JSON.stringify([userId, place.channelId, sameness]);
    this.clip = clip;
    const { signal } = this;
    this.#render = () => synthesizer.render(requested.request, { guildId, userId, wasPaidBefore, signal, onProgress });
    // Callers that need the outcome await it themselves.
    this.delivery.catch(() => undefined);
  }

  get delivery(): Promise<Delivery> {
    return this.#delivery.promise;
  }

  /** Aborted when it will not be spoken (any more), with the reason for its requester. */
  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  get isRequested(): boolean {
    return this.#synthesis !== undefined;
  }

  get isCached(): boolean {
    return this.#synthesis?.facts().cached === true;
  }

  /** The first call pays for the speech, later ones get the same clip. */
  async prepare(): Promise<Clip> {
    if (!this.#synthesis) {
      this.#synthesis = this.#render();
      const made = this.#synthesis.clip.then((clip) => {
        this.clip ??= clip;
      });
      // Its failure is reported at its turn.
      made.catch(() => undefined);
    }
    return this.#synthesis.clip;
  }

  cancel(reason: unknown): void {
    this.#cancellation.abort(reason);
  }

  succeed({ firstAudioMs, ...heard }: Omit<Delivery, 'speech' | 'isNotKept'>): void {
    const made = this.#synthesis;
    if (!made) throw new Error('An utterance cannot be heard before it was made');
    const isWhole = this.clip === undefined || this.clip.state === 'complete';
    // After a stop, no more audio is made; the request in flight may be billed anyway.
    void made.end().then((cost) => {
      const facts = made.facts();
      const speech = mayBeMore(cost) ? { ...facts, cached: false, mayBeMore: true as const } : facts;
      const isNotKept = this.isForgotten || !isWhole ? true : undefined;
      this.#delivery.resolve({ ...heard, firstAudioMs, speech, isNotKept });
    });
  }

  /** It was not heard to its end: gives up what is still being made and tells its requester what that cost. */
  async fail(cause: unknown): Promise<void> {
    const reason = this.signal.aborted ? this.signal.reason : cause;
    this.cancel(reason);
    const cost = (await this.#synthesis?.end()) ?? { kind: 'none' };
    this.#delivery.reject(new DeliveryError(this.place.channelId, cost, reason, this.heard.ms > 0));
  }
}

const mayBeMore = (cost: Cost) => cost.kind === 'unknown' || (cost.kind === 'used' && cost.mayBeMore === true);

/** What others see of it, with its turn where it has one. */
export const snapshot = (
  { id, order, requested, place, state }: LiveItem,
  position = 0,
  waitMs: number | undefined = undefined,
): QueueItem => ({ id, order, requested, channelId: place.channelId, state, position, waitMs });

class Stopwatch {
  #beforeMs = 0;
  #sinceMs: number | undefined;

  get ms(): number {
    return this.#beforeMs + (this.#sinceMs === undefined ? 0 : performance.now() - this.#sinceMs);
  }

  start(): void {
    this.#sinceMs ??= performance.now();
  }

  stop(): void {
    this.#beforeMs = this.ms;
    this.#sinceMs = undefined;
  }

  reset(): void {
    this.#beforeMs = 0;
    this.#sinceMs = undefined;
  }
}
