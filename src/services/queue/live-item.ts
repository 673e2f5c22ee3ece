import { randomBytes } from 'node:crypto';
import type { Clip } from '../../audio/clips/clip.ts';
import { type Cost, DeliveryError } from '../../errors/user-errors.ts';
import type { VoicePlace } from '../presence/channel-presence.ts';
import type { Synthesizer } from '../synthesis/synthesis.ts';
import type { ChunkProgress, Synthesis } from '../synthesis/synthesis-types.ts';
import type { Delivery, HeardText, ItemState, QueueItem, Requested, SpeechOrder } from './queue-item.ts';

/** The length of a queued text's id: 72 bits in 12 characters cannot be guessed, and fit into a button's custom id. */
const ID_BYTES = 9;

export interface NewItem {
  readonly order: SpeechOrder;
  readonly requested: Requested;
  readonly place: VoicePlace;
  /** Set for a text that is restored after a restart. The buttons below its reply contain its id. */
  readonly restored?: { readonly id: string; readonly wasPaidBefore: boolean };
  /** When the text was requested, by performance.now(); by default, now. */
  readonly askedAtMs?: number | undefined;
  readonly onProgress?: (progress: ChunkProgress) => void;
  /** Resolves when Discord has accepted the first answer to the request. Audio is not played before. */
  readonly acknowledged?: Promise<void> | undefined;
  /** When the signal aborts, the text is withdrawn, whether it waits or is being spoken. */
  readonly signal?: AbortSignal | undefined;
}

interface ItemSource {
  /** Makes the text's audio. A replay returns its finished audio instead. */
  readonly render: Synthesizer['render'];
  readonly guildId: string;
  readonly clip: Clip | undefined;
  readonly sameness: unknown;
}

/** An accepted text, from the queue to the end of its playback. */
export class LiveItem {
  readonly id: string;
  readonly order: SpeechOrder;
  readonly requested: Requested;
  readonly askedAtMs: number;
  readonly acknowledged: Promise<void> | undefined;
  /** Equal for two requests of a member for the same audio in a channel: the queue refuses the second. */
  readonly sameness: string;
  place: VoicePlace;
  state: ItemState = 'waiting';
  /** True if the text must not be kept for a replay: a member wants it deleted, or may no longer use the bot. */
  isForgotten = false;
  clip: Clip | undefined;
  readonly heard = new Stopwatch();
  readonly #delivery = Promise.withResolvers<Delivery>();
  readonly delivery = this.#delivery.promise;
  readonly #cancellation = new AbortController();
  /** Aborts with the reason for the requester when the text will not be spoken, or not to its end. */
  readonly signal = this.#cancellation.signal;
  readonly #render: () => Synthesis;
  #synthesis: Synthesis | undefined;

  constructor(asked: NewItem, { render, guildId, clip, sameness }: ItemSource) {
    const { order, requested, place, acknowledged, restored, onProgress } = asked;
    const { userId } = order;
    this.id = restored?.id ?? randomBytes(ID_BYTES).toString('base64url');
    this.order = order;
    this.requested = requested;
    this.place = place;
    this.askedAtMs = asked.askedAtMs ?? performance.now();
    this.acknowledged = acknowledged;
    this.sameness = JSON.stringify([userId, place.channelId, sameness]);
    this.clip = clip;
    const { signal } = this;
    const wasPaidBefore = restored?.wasPaidBefore ?? false;
    this.#render = () => render(requested.request, { guildId, userId, wasPaidBefore, signal, onProgress });
    // Callers that need the outcome await `delivery`; a failure that nobody awaits must not end the process.
    this.delivery.catch(() => undefined);
  }

  get isRequested(): boolean {
    return this.#synthesis !== undefined;
  }

  get isCached(): boolean {
    return this.#synthesis?.facts().cached === true;
  }

  /** The first call pays for the text's audio, later calls get the same clip. */
  async prepare(): Promise<Clip> {
    if (!this.#synthesis) {
      this.#synthesis = this.#render();
      const made = this.#synthesis.clip.then((clip) => {
        this.clip ??= clip;
      });
      // The failure is reported when the text is to be spoken, and must not be an unhandled rejection before.
      made.catch(() => undefined);
    }
    return this.#synthesis.clip;
  }

  cancel(reason: unknown): void {
    this.#cancellation.abort(reason);
  }

  succeed(heard: HeardText): void {
    const made = this.#synthesis;
    if (!made) throw new Error('An utterance cannot be heard before it was made');
    const isWhole = this.clip === undefined || this.clip.state === 'complete';
    // `delivery` waits for the bill of a running request, even if the text was stopped.
    void made.end().then((cost) => {
      const facts = made.facts();
      const speech = mayBeMore(cost) ? { ...facts, cached: false, mayBeMore: true as const } : facts;
      const isNotKept = this.isForgotten || !isWhole;
      this.#delivery.resolve({ ...heard, speech, isNotKept });
    });
  }

  /** Ends a text that failed or was stopped before its playback: `delivery` rejects with its cost. */
  async fail(cause: unknown): Promise<void> {
    const reason = this.signal.aborted ? this.signal.reason : cause;
    this.cancel(reason);
    const cost = (await this.#synthesis?.end()) ?? { kind: 'none' };
    this.#delivery.reject(new DeliveryError(this.place.channelId, cost, reason, this.heard.ms > 0));
  }
}

const mayBeMore = (cost: Cost) => cost.kind === 'unknown' || (cost.kind === 'used' && cost.mayBeMore === true);

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
