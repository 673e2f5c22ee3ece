import { randomBytes } from 'node:crypto';
import type { Clip } from '../../audio/clips/clip.ts';
import { type Cost, causeOf, DeliveryError, refusal, UserError } from '../../errors/user-errors.ts';
import type { SpeechOptions, SpeechRequest, Voice } from '../../speech/interface/schemas.ts';
import type { Text } from '../../texts/catalog.ts';
import type { VoicePlace } from '../presence/channel-presence.ts';
import type { BilledText } from '../spending/spending.ts';
import type { ChunkProgress } from '../synthesis/parts.ts';
import type { SpeechFacts, Synthesis, Synthesizer } from '../synthesis/synthesis.ts';

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
  /** Texts of one lane keep their order, and lanes take turns (speaker-state.ts). Absent: the member's own lane. */
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
  /** A voice to offer: it has the requested voice's name, and supports the options that the requested voice ignores. */
  readonly takenBy?: Voice;
}

/** In 'joining' and 'synthesizing', a text has its turn and waits for the voice channel or its audio. */
export type ItemState = 'waiting' | 'joining' | 'synthesizing' | 'speaking' | 'paused' | 'done' | 'failed' | 'skipped';

export type QueueItem = Readonly<ReturnType<typeof snapshot>>;

export const isOver = (state: ItemState): boolean => state === 'done' || state === 'failed' || state === 'skipped';

export interface QueueView {
  readonly isPaused: boolean;
  readonly current: QueueItem | undefined;
  readonly waiting: readonly QueueItem[];
  readonly recent: readonly QueueItem[];
}

export const underWay = ({ current, waiting }: QueueView): readonly QueueItem[] =>
  current ? [current, ...waiting] : waiting;

interface HeardText {
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

/** A member stopped the text. Its `delivery` rejects if nothing was heard, otherwise has the outcome 'stopped'. */
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

  /** Copies the error for the requester `userId`. If the requester stopped the text, the copy names no member. */
  toldTo(userId: string, words: string, wasWaiting: boolean): StoppedByMember {
    return new StoppedByMember(this.byUserId === userId ? undefined : this.byUserId, this.command, words, wasWaiting);
  }
}

/** True if a member stopped an utterance before any of it was heard. */
export const wasRemoved = (error: unknown): boolean => causeOf(error) instanceof StoppedByMember;

/** The length of a queued text's id: 72 bits in 12 characters cannot be guessed, and fit into a button's custom id. */
const ID_BYTES = 9;

export interface NewItem {
  readonly order: SpeechOrder;
  readonly requested: Requested;
  readonly place: VoicePlace;
  /** A restored text's id from before the restart, which its reply's buttons contain, and whether an earlier process paid for the text. */
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
export type LiveItem = ReturnType<typeof createLiveItem>;

export function createLiveItem(asked: NewItem, { render, guildId, clip, sameness }: ItemSource) {
  const { order, requested, place, acknowledged, restored, onProgress } = asked;
  const { userId } = order;
  const { promise: delivery, resolve, reject } = Promise.withResolvers<Delivery>();
  // Callers that need the outcome await `delivery`; a failure that nobody awaits must not end the process.
  delivery.catch(() => undefined);
  const cancellation = new AbortController();
  const { signal } = cancellation;
  let synthesis: Synthesis | undefined;

  const item = {
    id: restored?.id ?? randomBytes(ID_BYTES).toString('base64url'),
    order,
    requested,
    askedAtMs: asked.askedAtMs ?? performance.now(),
    acknowledged,
    /** Equal for two requests of a member for the same audio in a channel: the queue refuses the second. */
    sameness: JSON.stringify([userId, place.channelId, sameness]),
    place,
    state: 'waiting' as ItemState,
    /** True if the text must not be kept for a replay: a member wants it deleted, or may no longer use the bot. */
    isForgotten: false,
    clip,
    heard: new Stopwatch(),
    delivery,
    /** Aborts with the reason for the requester when the text will not be spoken, or not to its end. */
    signal,
    get isRequested(): boolean {
      return synthesis !== undefined;
    },
    get isCached(): boolean {
      return synthesis?.facts().cached === true;
    },
    /** The first call pays for the text's audio, later calls get the same clip. */
    async prepare(): Promise<Clip> {
      if (!synthesis) {
        const wasPaidBefore = restored?.wasPaidBefore ?? false;
        synthesis = render(requested.request, { guildId, userId, wasPaidBefore, signal, onProgress });
        const made = synthesis.clip.then((audio) => {
          item.clip ??= audio;
        });
        // The failure is reported when the text is to be spoken, and must not be an unhandled rejection before.
        made.catch(() => undefined);
      }
      return synthesis.clip;
    },
    cancel: (reason: unknown): void => cancellation.abort(reason),
    succeed(heard: HeardText): void {
      const made = synthesis;
      if (!made) throw new Error('An utterance cannot be heard before it was made');
      const isWhole = item.clip === undefined || item.clip.state === 'complete';
      // `delivery` waits for the bill of a running request, even if the text was stopped.
      void made.end().then((cost) => {
        const facts = made.facts();
        const speech = mayBeMore(cost) ? { ...facts, cached: false, mayBeMore: true as const } : facts;
        resolve({ ...heard, speech, isNotKept: item.isForgotten || !isWhole });
      });
    },
    /** Ends a text that failed or was stopped before its playback: `delivery` rejects with its cost. */
    async fail(cause: unknown): Promise<void> {
      const reason = signal.aborted ? signal.reason : cause;
      item.cancel(reason);
      const cost = (await synthesis?.end()) ?? { kind: 'none' };
      reject(new DeliveryError(item.place.channelId, cost, reason, item.heard.ms > 0));
    },
  };
  return item;
}

const mayBeMore = (cost: Cost) => cost.kind === 'unknown' || (cost.kind === 'used' && cost.mayBeMore === true);

/**
 * `position` is the text's position in the queue: 0 while it is spoken and after its end; 1 for the next text. `waitMs`
 * estimates when it is spoken; undefined after its end and while speech is paused.
 */
export const snapshot = (
  { id, order, requested, place, state }: LiveItem,
  position = 0,
  waitMs: number | undefined = undefined,
) => ({ id, order, requested, channelId: place.channelId, state, position, waitMs });

export class Stopwatch {
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
}
