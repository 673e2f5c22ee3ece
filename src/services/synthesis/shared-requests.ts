import { type Clip, clipFromPackets } from '../../audio/clips/clip.ts';
import { viewOf } from '../../audio/clips/shared-clip.ts';
import type { Cost } from '../../errors/user-errors.ts';
import type { SpeechResult } from '../../speech/client/client.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import { modelOf } from './chunk-pace.ts';
import { type Buyer, createPurchases, type Order, type PurchasesOptions } from './purchases.ts';
import type { Payer } from './synthesis-types.ts';

/** One caller's share in the sound of one request. */
export interface Share {
  /** Rejects with a SpeechError, an AudioError, a UserError of the spending limits, or the signal's reason. */
  readonly clip: Promise<Clip>;
  /** Set once the sound was paid for on this caller's account. */
  readonly paid: SpeechResult | undefined;
  /** Leaves. Resolves with what it cost this caller, once that is known. Idempotent. */
  end(): Promise<Cost>;
}

interface ShareOptions extends Payer, Partial<Pick<Order, 'utterance'> & Pick<Buyer, 'following'>> {
  readonly signal?: AbortSignal | undefined;
  readonly onPlayed?: (count: number) => void;
}

interface Caller extends Buyer {
  readonly answer: PromiseWithResolvers<Clip>;
  readonly onPlayed: ((count: number) => void) | undefined;
  view?: Clip;
}

/** One request under way. */
interface SharedRequest extends Order {
  readonly buyers: Set<Caller>;
  readonly giveUp: AbortController;
  /** Shared while it grows; undefined before. */
  clip: Clip | undefined;
}

const NOTHING: Cost = { kind: 'none' };

/** Request coalescing: equal requests under way at the same time are one, sent once and billed once. */
export function createSharedRequests(options: PurchasesOptions) {
  const { keyOf, cache, pace } = options;
  const underWay = new Map<string, SharedRequest>();
  const purchases = createPurchases(options);

  function start(key: string, request: SpeechRequest, utterance: object | undefined): SharedRequest {
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const purchase = { kind: 'none' } as const;
    const shared: SharedRequest = {
      ...{ key, request, utterance, signal, giveUp, purchase },
      buyers: new Set(),
      clip: undefined,
    };
    underWay.set(key, shared);
    void run(shared);
    return shared;
  }

  async function run(shared: SharedRequest): Promise<void> {
    const { key, request, signal } = shared;
    try {
      const kept = await cache.find(key);
      signal.throwIfAborted();
      if (kept) return share(shared, clipFromPackets(kept));
      const { packets, durationMs } = await purchases.carryOut(shared, (clip) => share(shared, clip));
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

  /** The last caller to leave ends what is not paid for yet; paid speech is worth keeping for the next request. */
  function leave(shared: SharedRequest, caller: Caller, reason?: unknown): void {
    if (!shared.buyers.delete(caller)) return;
    caller.answer.reject(reason ?? new DOMException('It is no longer wanted', 'AbortError'));
    caller.view?.cancel('It is no longer wanted');
    if (shared.buyers.size > 0 || (shared.purchase.kind === 'paid' && cache.keeps)) return;
    forget(shared);
    shared.giveUp.abort(reason);
  }

  async function costOf(shared: SharedRequest, caller: Caller): Promise<Cost> {
    const { purchase } = shared;
    if (purchase.kind === 'none' || purchase.buyer !== caller) return NOTHING;
    switch (purchase.kind) {
      case 'sent':
        // It goes on for other callers, and its result is not known yet.
        if (shared.buyers.size > 0) return { kind: 'unknown' };
        await purchase.outcome;
        return costOf(shared, caller);
      case 'paid': {
        const { creditsUsed, requestId } = purchase.result;
        return { kind: 'used', credits: creditsUsed, ...(requestId !== undefined && { requestId }) };
      }
      case 'failed':
        return purchase.mayHaveCost ? { kind: 'unknown' } : NOTHING;
    }
  }

  function kept(packets: readonly Uint8Array[], onPlayed?: (count: number) => void): Share {
    const clip = clipFromPackets(packets);
    return {
      clip: Promise.resolve(onPlayed ? viewOf(clip, { onPlayed }) : clip),
      paid: undefined,
      end: async () => NOTHING,
    };
  }

  return {
    /** From the cache, from an equal request under way, or made now. */
    ask(request: SpeechRequest, { signal, onPlayed, guildId, userId, utterance, following = [] }: ShareOptions): Share {
      const key = keyOf(request);
      const packets = signal?.aborted ? undefined : cache.peek(key);
      if (packets) return kept(packets, onPlayed);
      const shared = underWay.get(key) ?? start(key, request, utterance);
      const caller: Caller = {
        ...{ payer: { guildId, userId }, onPlayed, following, answer: Promise.withResolvers() },
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
    close(reason: Error): void {
      for (const { giveUp } of underWay.values()) giveUp.abort(reason);
    },
  };
}

export type SharedRequests = ReturnType<typeof createSharedRequests>;
