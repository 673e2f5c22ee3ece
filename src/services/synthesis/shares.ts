import { type Clip, clipFromPackets, viewOf } from '../../audio/clips/clip.ts';
import type { Cost } from '../../errors/user-errors.ts';
import type { SpeechRequest } from '../../speech/interface/schemas.ts';
import { withDeadline } from '../time/timers.ts';
import { createBuying, type Order, type OrderedSound, type SynthesizerOptions } from './buying.ts';
import type { SpeechPace } from './parts.ts';

interface ShareOptions {
  readonly signal: AbortSignal;
  readonly onPlayed?: ((count: number) => void) | undefined;
  readonly onBusy: (forMs: number) => void;
  /** Called when `end()` starts to wait for the bill of a request that the speech service still works on. */
  readonly onBillAwaited: () => void;
}

const NOTHING: Cost = { kind: 'none' };

/** How long to wait for the bill after a text was stopped: the member wants to know the cost soon. */
const BILL_TIMEOUT_MS = 8_000;

/**
 * Only one of several equal requests is sent and billed: that of the first caller. If the first caller gives up or is
 * refused before the request is sent, the next caller's request is sent.
 */
export function createShares(options: SynthesizerOptions, pace: SpeechPace) {
  const { keyOf, store, purchases, stopping, isFree } = options;
  const buying = createBuying(options, pace);

  async function costOf(sound: OrderedSound, onBillAwaited: () => void): Promise<Cost> {
    const { purchase } = sound;
    switch (purchase.kind) {
      case 'none':
        return NOTHING;
      case 'waiting':
        await purchase.outcome;
        return costOf(sound, onBillAwaited);
      case 'sent':
        if (isFree) return { kind: 'unknown' };
        onBillAwaited();
        return withDeadline(purchase.outcome, { timeoutMs: BILL_TIMEOUT_MS, what: 'The bill', signal: stopping }).then(
          () => costOf(sound, onBillAwaited),
          (): Cost => ({ kind: 'unknown' }),
        );
      case 'paid': {
        const { creditsUsed: credits, requestId, mayBeMore } = purchase.result;
        return mayBeMore ? { kind: 'unknown' } : { kind: 'used', credits, requestId };
      }
      case 'failed':
        return purchase.mayHaveCost ? { kind: 'unknown' } : NOTHING;
    }
  }

  return {
    /** Gets the audio of a request from memory or from another caller's order, or orders it. */
    ask(order: Order, { signal, onPlayed, onBusy, onBillAwaited }: ShareOptions) {
      const { request } = order;
      const key = keyOf(request);
      const packets = signal.aborted ? undefined : store.peek(key);
      if (packets) {
        const clip = Promise.resolve(viewOf(clipFromPackets(packets), onPlayed));
        return { clip, paid: undefined, speaker: speakerOf(request), end: async () => NOTHING };
      }
      const answer = Promise.withResolvers<Clip>();
      // This handler prevents an unhandled rejection if the audio fails before a caller awaits `clip`.
      answer.promise.catch(() => undefined);
      let sound: OrderedSound | undefined;
      let own: OrderedSound | undefined;
      let view: Clip | undefined;
      let hasLeft = false;

      function join(): void {
        const known = buying.underWay.get(key);
        const joined = known ?? buying.begin(key, order);
        if (!known) own = joined;
        sound = joined;
        joined.onBusy.add(onBusy);
        joined.clip.then(
          (clip) => {
            if (hasLeft) return;
            view = viewOf(clip, onPlayed, () => leave());
            answer.resolve(view);
          },
          (error: unknown) => {
            if (!hasLeft && joined !== own && joined.isForOthers) join();
            else answer.reject(error);
          },
        );
      }

      function leave(reason: unknown = new DOMException('It is no longer wanted', 'AbortError')): void {
        if (hasLeft) return;
        hasLeft = true;
        signal.removeEventListener('abort', onAbort);
        sound?.onBusy.delete(onBusy);
        answer.reject(reason);
        view?.cancel('It is no longer wanted');
        own?.giveUp(reason);
      }

      const onAbort = () => leave(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      else join();
      return {
        /** Rejects with a SpeechError, an AudioError, a UserError of the spending limits, or the signal's reason. */
        clip: answer.promise,
        /** The answer with its bill; undefined if the audio was cached, or if another caller bought it. */
        get paid() {
          return own?.purchase.kind === 'paid' ? own.purchase.result : undefined;
        },
        get speaker() {
          return view && speakerOf(request, sound?.spokenBy);
        },
        /** Gives up the audio if it is not complete. Resolves with the caller's cost when it is known. Idempotent. */
        async end() {
          leave();
          return own ? costOf(own, onBillAwaited) : NOTHING;
        },
      };
    },
    /** True if the audio of a request is in memory, being made, or can be downloaded again. */
    knows(request: SpeechRequest): boolean {
      const key = keyOf(request);
      return store.holds(key) || buying.underWay.has(key) || purchases.of(key) !== undefined;
    },
    recall: buying.recall,
    urlOf: buying.urlOf,
    finished: buying.finished,
    /** Aborts unsent speech requests at once, and all others after `graceMs`. */
    async close(reason: Error, graceMs: number): Promise<void> {
      const abortAll = (sounds: Iterable<OrderedSound>) => {
        for (const sound of sounds) sound.abort(reason);
      };
      abortAll([...buying.underWay.values()].filter(({ purchase: { kind } }) => kind === 'none' || kind === 'waiting'));
      await withDeadline(buying.finished(), { timeoutMs: graceMs, what: 'Finishing paid speech' }).catch(() =>
        abortAll(buying.underWay.values()),
      );
      await store.close();
    },
  };
}

function speakerOf({ voice }: SpeechRequest, spokenBy?: string) {
  const asked = voice.kind === 'id' ? voice.voiceId : `${voice.model} ${voice.voice}`;
  return { asked, heard: spokenBy ?? asked };
}

export type Shares = ReturnType<typeof createShares>;
/** One caller's view of a request that several callers share: the audio, and the caller's own cost. */
export type Share = ReturnType<Shares['ask']>;
