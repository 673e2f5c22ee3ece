import type { Clip } from '../../audio/clips/clip.ts';
import { type Cost, DeliveryError, UserError } from '../../errors/user-errors.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import { text } from '../../texts/catalogue.ts';
import type { VoicePlace } from '../presence/channel-presence.ts';
import type { ChunkProgress, SpeechFacts, Synthesis, Synthesiser } from '../synthesis/synthesis-types.ts';

export interface Utterance {
  /** Of one that comes back after an end of the process: the buttons below its reply have it. */
  readonly id?: string;
  /** So much of it was heard before that: it goes on from there. */
  readonly heardMs?: number;
  readonly place: VoicePlace;
  /** The requester. */
  readonly userId: string;
  /** Where it was asked for: what concerns it is told there. */
  readonly textChannelId?: string;
  readonly request: SpeechRequest;
  /** Spoken in order with what is in the same lane; the member's own when absent. See queue.ts. */
  readonly lane?: string;
  /** performance.now() when it was asked for; now, when left out. */
  readonly askedAtMs?: number;
  /** Told which part is being synthesised or spoken. */
  readonly onProgress?: (progress: ChunkProgress) => void;
  /** Takes the utterance back, whether it waits or is being spoken. */
  readonly signal?: AbortSignal;
}

/** An utterance that was heard: all of it, or up to a /stop. */
export interface Delivery {
  readonly outcome: 'finished' | 'stopped';
  readonly channelId: string;
  readonly speech: SpeechFacts;
  /** From being asked for to the first packet of sound. */
  readonly firstAudioMs: number;
  /** Whether all that was heard was end-to-end encrypted. */
  readonly encrypted: boolean;
}

/** Being stopped by a member is an outcome, not a failure: what was heard until then was asked for. */
export class StoppedByMember extends UserError {
  constructor() {
    super(text('play.stopped'));
  }
}

/** An utterance on its way from text to sound. */
export interface Item {
  /** Follows the bot when a moderator moves it. */
  place: VoicePlace;
  /** Aborted when it will not be spoken (any more), with the reason for its asker. */
  readonly signal: AbortSignal;
  readonly delivery: Promise<Delivery>;
  /** performance.now() when it was asked for. */
  readonly askedAtMs: number;
  /** Whether its sound was there already; known once its clip is. */
  readonly isCached: boolean;
  /** Makes its clip; the first call pays for the speech, later ones get the same clip. */
  prepare(): Promise<Clip>;
  cancel(reason: unknown): void;
  /** It was heard. */
  succeed(
    heard: Pick<Delivery, 'outcome' | 'channelId' | 'encrypted'> & { readonly firstPacketAtMs: number | undefined },
  ): void;
  /** It was not heard to its end: gives up what is still being made and tells its asker what that cost. */
  fail(cause: unknown): Promise<void>;
}

interface ItemOptions {
  readonly synthesiser: Pick<Synthesiser, 'render'>;
  /** Requests are served in turn between servers. */
  readonly guildId: string;
}

export function createItem(utterance: Utterance, { synthesiser, guildId }: ItemOptions): Item {
  const { place, request, userId, onProgress } = utterance;
  const { askedAtMs = performance.now() } = utterance;
  const cancellation = new AbortController();
  const { signal } = cancellation;
  const delivery = Promise.withResolvers<Delivery>();
  let synthesis: Synthesis | undefined;

  return {
    place,
    signal,
    delivery: delivery.promise,
    askedAtMs,
    get isCached() {
      return synthesis?.facts().cached === true;
    },
    prepare() {
      synthesis ??= synthesiser.render(request, { guildId, userId, signal, onProgress });
      // Its failure is told when its turn comes.
      synthesis.clip.catch(() => undefined);
      return synthesis.clip;
    },
    cancel: (reason) => cancellation.abort(reason),
    succeed({ outcome, channelId, encrypted, firstPacketAtMs = performance.now() }) {
      if (!synthesis) throw new Error('An utterance cannot be heard before it was made');
      const made = synthesis;
      const firstAudioMs = Math.round(firstPacketAtMs - askedAtMs);
      // Of what was stopped, nothing more is made; what was just being asked for may be billed all the same.
      void made.end().then((cost) => {
        const speech = mayBeMore(cost) ? { ...made.facts(), cached: false, mayBeMore: true as const } : made.facts();
        delivery.resolve({ outcome, channelId, speech, firstAudioMs, encrypted });
      });
    },
    async fail(cause) {
      const reason = signal.aborted ? signal.reason : cause;
      cancellation.abort(reason);
      const cost = (await synthesis?.end()) ?? { kind: 'none' };
      delivery.reject(new DeliveryError(this.place.channelId, cost, reason));
    },
  };
}

/** Of what was spoken before and is heard again: its sound is there, and what was billed then is not billed again. */
export function madeBefore(clip: Clip, { requestId: _, inputCharacters: __, ...known }: SpeechFacts): Synthesis {
  return {
    clip: Promise.resolve(clip),
    facts: () => ({ ...known, creditsUsed: 0, cached: true, warnings: [] }),
    end: () => Promise.resolve({ kind: 'none' }),
  };
}

const mayBeMore = (cost: Cost) => cost.kind === 'unknown' || (cost.kind === 'used' && cost.mayBeMore === true);
