import { type Clip, clipFromPackets } from '../../audio/clips/clip.ts';
import { viewOf } from '../../audio/clips/shared-clip.ts';
import type { Cost } from '../../errors/user-errors.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import { withDeadline } from '../time/deadline.ts';
import { modelOf } from './chunk-pace.ts';
import type { Purpose } from './chunk-plan.ts';
import {
  type Buyer,
  createPurchases,
  type Order,
  type PaidResult,
  type Purchase,
  type PurchasesOptions,
} from './purchases.ts';
import type { Payer, Speaker } from './synthesis-types.ts';

/** One caller's share in the sound of one request. */
export interface Share {
  /** Rejects with a SpeechError, an AudioError, a UserError of the spending limits, or the signal's reason. */
  readonly clip: Promise<Clip>;
  /** Set once the sound was paid for on this caller's account. */
  readonly paid: PaidResult | undefined;
  /** Set once the sound is there. */
  readonly speaker: Speaker | undefined;
  /** Leaves. Resolves with what it cost this caller, once that is known. Idempotent. */
  end(): Promise<Cost>;
}

interface ShareOptions extends Payer, Partial<Pick<Order, 'utterance'> & Pick<Buyer, 'following'>> {
  readonly purpose: Purpose;
  readonly signal?: AbortSignal | undefined;
  readonly onPlayed?: (count: number) => void;
  /** The service is busy, and has been asked in vain for so long. */
  readonly onBusy?: ((forMs: number) => void) | undefined;
  /** It has left, and what the service still works on is on its account: the bill is waited for. */
  readonly onBillAwaited?: (() => void) | undefined;
}

interface Caller extends Buyer, Pick<ShareOptions, 'onBusy' | 'onBillAwaited'> {
  readonly answer: PromiseWithResolvers<Clip>;
  readonly onPlayed: ((count: number) => void) | undefined;
  view?: Clip;
}

/** One request under way. */
interface SharedRequest extends Order {
  readonly buyers: Set<Caller>;
  readonly giveUp: AbortController;
  purchase: Purchase;
  /** Shared while it grows; undefined before. */
  clip: Clip | undefined;
  /** The id of the voice that speaks in the place of the one that was asked for. */
  spokenBy: string | undefined;
}

const NOTHING: Cost = { kind: 'none' };

/** Most texts are made in less; whoever ended one wants to know what it cost, but not to wait for long. */
const BILL_TIMEOUT_MS = 8_000;

interface SharedRequestsOptions extends PurchasesOptions {
  /** No bill is waited for any more. */
  readonly stopping?: AbortSignal | undefined;
  /** Nor where no member is told of credits. */
  readonly isFree?: boolean | undefined;
}

/** Request coalescing: equal requests under way at the same time are one, sent once and billed once. */
export function createSharedRequests(options: SharedRequestsOptions) {
  const { keyOf, cache, pace, stopping, isFree } = options;
  const underWay = new Map<string, SharedRequest>();
  const running = new Set<Promise<void>>();
  const purchases = createPurchases(options);

  function start(key: string, request: SpeechRequest, { utterance, purpose }: ShareOptions): SharedRequest {
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const shared: SharedRequest = {
      ...{ key, request, utterance, purpose, signal, giveUp },
      buyers: new Set(),
      purchase: { kind: 'none' },
      clip: undefined,
      spokenBy: undefined,
      advance(purchase) {
        shared.purchase = purchase;
        endUnwanted(shared);
        if (purchase.kind !== 'waiting' || purchase.busyForMs === undefined) return;
        for (const { onBusy } of shared.buyers) onBusy?.(purchase.busyForMs);
      },
    };
    underWay.set(key, shared);
    const work = run(shared).finally(() => running.delete(work));
    running.add(work);
    return shared;
  }

  async function run(shared: SharedRequest): Promise<void> {
    const { key, request, signal } = shared;
    try {
      const kept = await cache.find(key);
      signal.throwIfAborted();
      if (kept) return share(shared, clipFromPackets(kept));
      const { clip, mayBeKept } = await purchases.carryOut(shared, (growing, spokenBy) => {
        shared.spokenBy = spokenBy;
        share(shared, growing);
      });
      const { packets, durationMs } = clip;
      if (!mayBeKept) return;
      cache.keep(key, packets);
      pace.spoken(modelOf(request), request.input.length, durationMs);
    } catch (error) {
      for (const { answer } of shared.buyers) answer.reject(error);
    } finally {
      forget(shared);
    }
  }

  function forget(shared: SharedRequest): void {
    if (underWay.get(shared.key) === shared) underWay.delete(shared.key);
  }

  function share(shared: SharedRequest, clip: Clip): void {
    shared.clip = clip;
    for (const caller of shared.buyers) hand(shared, clip, caller);
  }

  function hand(shared: SharedRequest, clip: Clip, caller: Caller): void {
    const { onPlayed } = caller;
    caller.view = viewOf(clip, { onCancelled: () => leave(shared, caller), ...(onPlayed && { onPlayed }) });
    caller.answer.resolve(caller.view);
  }

  function leave(shared: SharedRequest, caller: Caller, reason?: unknown): void {
    if (!shared.buyers.delete(caller)) return;
    caller.answer.reject(reason ?? new DOMException('It is no longer wanted', 'AbortError'));
    caller.view?.cancel('It is no longer wanted');
    endUnwanted(shared, reason);
  }

  /**
   * Without callers it ends, unless it is billed in any case: what was sent goes on until its bill is known, what is paid
   * for until its sound is kept for the next request.
   */
  function endUnwanted(shared: SharedRequest, reason?: unknown): void {
    const { kind } = shared.purchase;
    if (shared.buyers.size > 0 || kind === 'sent' || (kind === 'paid' && cache.keeps)) return;
    forget(shared);
    shared.giveUp.abort(reason);
  }

  const finished = async () => void (await Promise.all(running));

  /** Whether it is known in time. */
  async function billOf({ outcome }: Extract<Purchase, { kind: 'sent' }>, { onBillAwaited }: Caller): Promise<boolean> {
    onBillAwaited?.();
    const deadline = { timeoutMs: BILL_TIMEOUT_MS, what: 'The bill', ...(stopping && { signal: stopping }) };
    return withDeadline(outcome, deadline).then(
      () => true,
      () => false,
    );
  }

  async function costOf(shared: SharedRequest, caller: Caller): Promise<Cost> {
    const { purchase } = shared;
    if (purchase.kind === 'none' || purchase.buyer !== caller) return NOTHING;
    switch (purchase.kind) {
      case 'sent':
        if (isFree || !(await billOf(purchase, caller))) return { kind: 'unknown' };
        return costOf(shared, caller);
      case 'waiting':
        // It goes on for other callers.
        if (shared.buyers.size > 0) return { kind: 'unknown' };
        await purchase.outcome;
        return costOf(shared, caller);
      case 'paid': {
        const { creditsUsed, requestId, mayBeMore } = purchase.result;
        if (mayBeMore) return { kind: 'unknown' };
        return { kind: 'used', credits: creditsUsed, ...(requestId !== undefined && { requestId }) };
      }
      case 'failed':
        return purchase.mayHaveCost ? { kind: 'unknown' } : NOTHING;
    }
  }

  function kept(request: SpeechRequest, packets: readonly Uint8Array[], onPlayed?: (count: number) => void): Share {
    const clip = clipFromPackets(packets);
    return {
      clip: Promise.resolve(onPlayed ? viewOf(clip, { onPlayed }) : clip),
      paid: undefined,
      speaker: speakerOf(request),
      end: async () => NOTHING,
    };
  }

  return {
    /** From the cache, from an equal request under way, or made now. */
    ask(request: SpeechRequest, options: ShareOptions): Share {
      const { signal, onPlayed, onBusy, onBillAwaited, guildId, userId, spentBy, following = [] } = options;
      const key = keyOf(request);
      const packets = signal?.aborted ? undefined : cache.peek(key);
      if (packets) return kept(request, packets, onPlayed);
      const shared = underWay.get(key) ?? start(key, request, options);
      const caller: Caller = {
        ...{
          payer: { guildId, userId, spentBy },
          onPlayed,
          onBusy,
          onBillAwaited,
          following,
          answer: Promise.withResolvers(),
        },
        refuse(error) {
          shared.buyers.delete(caller);
          caller.answer.reject(error);
        },
      };
      // Callers may look at it later.
      caller.answer.promise.catch(() => undefined);
      shared.buyers.add(caller);
      if (signal?.aborted) leave(shared, caller, signal.reason);
      else if (shared.clip) hand(shared, shared.clip, caller);
      const onAbort = () => leave(shared, caller, signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      return {
        clip: caller.answer.promise,
        get paid() {
          const { purchase } = shared;
          return purchase.kind === 'paid' && purchase.buyer === caller ? purchase.result : undefined;
        },
        get speaker() {
          return shared.clip && speakerOf(request, shared.spokenBy);
        },
        async end() {
          signal?.removeEventListener('abort', onAbort);
          leave(shared, caller);
          return costOf(shared, caller);
        },
      };
    },
    /** Whether its sound is in memory, on its way, or can be downloaded from where it was made. */
    knows(request: SpeechRequest) {
      const key = keyOf(request);
      return underWay.has(key) || cache.holds(key) || purchases.urlOf(key) !== undefined;
    },
    /** What is at hand of its sound, or was paid for by an earlier process. */
    recall: (request: SpeechRequest) => purchases.recall(keyOf(request)),
    /** Where the service put the sound of this request, when it made it a short while ago. */
    urlOf: (request: SpeechRequest) => purchases.urlOf(keyOf(request)),
    /** Resolves when nothing is under way. Never rejects. */
    finished,
    /** Ends what was not sent yet at once, and all else after `graceMs`. */
    async close(reason: Error, graceMs: number): Promise<void> {
      for (const { giveUp, purchase } of underWay.values()) {
        if (purchase.kind === 'none' || purchase.kind === 'waiting') giveUp.abort(reason);
      }
      await withDeadline(finished(), { timeoutMs: graceMs, what: 'Finishing paid speech' }).catch(() => {
        for (const { giveUp } of underWay.values()) giveUp.abort(reason);
      });
    },
  };
}

function speakerOf({ voice }: SpeechRequest, spokenBy?: string): Speaker {
  const asked = voice.kind === 'id' ? voice.voiceId : `${voice.model} ${voice.voice}`;
  return { asked, heard: spokenBy ?? asked };
}

export type SharedRequests = ReturnType<typeof createSharedRequests>;
