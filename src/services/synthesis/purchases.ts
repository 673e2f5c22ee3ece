import { AudioError } from '../../audio/audio-error.ts';
import type { Clip } from '../../audio/clips/clip.ts';
import type { AudioPipeline } from '../../audio/making/pipeline.ts';
import type { CallProgress, SpeechClient, SpeechResult } from '../../speech/client/client.ts';
import { SpeechError } from '../../speech/errors.ts';
import { modelRules } from '../../speech/interface/models.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { PaidAudio } from '../spending/lost-audio-watch.ts';
import type { Reservation } from '../spending/spending-types.ts';
import type { CachedClips } from './cached-clips.ts';
import { modelOf, type SpeechPace } from './chunk-pace.ts';
import { billedText, type Purpose } from './chunk-plan.ts';
import { createPaidUrls, isWorthPayingAgain } from './paid-urls.ts';
import type { PurchaseJournal, RecalledPurchase } from './purchase-journal.ts';
import { leastSoundMs, longestSoundMs } from './sound-length.ts';
import type { Payer, SpendingGate } from './synthesis-types.ts';

export interface PurchasesOptions {
  readonly speech: Pick<SpeechClient, 'speak'>;
  readonly pipeline: Pick<AudioPipeline, 'fetchClip'>;
  readonly keyOf: (request: SpeechRequest) => string;
  readonly cache: CachedClips;
  readonly pace: SpeechPace;
  readonly spending?: SpendingGate | undefined;
  readonly paidAudio?: PaidAudio | undefined;
  readonly journal?: PurchaseRecords | undefined;
}

/** What outlives this process of what it buys. */
export interface PurchaseRecords extends Pick<PurchaseJournal, 'earlier'> {
  /** Where what this one buys is written down; undefined where it is not. */
  of(payer: Payer): PurchaseRecord | undefined;
  /** False where the addresses of paid audio end with the process that paid, as those of the local voice's engines do. */
  readonly addressesLast?: boolean;
}

interface PurchaseRecord extends Pick<PurchaseJournal, 'sent' | 'paid' | 'unbilled'> {
  /** Where a successor has no file of this process: resolves once what was noted is kept for it. */
  readonly written?: (() => Promise<void>) | undefined;
}

/** A requester on whose account a request can be sent. */
export interface Buyer {
  readonly payer: Payer;
  /** What this one will ask for next: what of it has to be paid for must be allowed, too, before this is paid for. */
  readonly following: readonly SpeechRequest[];
  /** The limits do not allow it: this buyer no longer takes part in the order. */
  refuse(error: unknown): void;
}

/** An answer of the service; its bill is left out where it cannot be one, and is not known then. */
export interface PaidResult extends SpeechResult {
  readonly mayBeMore?: true;
}

/** How far the purchase of a request has come. The buyer is the first one whose limits allow it. */
export type Purchase =
  | { readonly kind: 'none' }
  /** It waits for its turn, or for the next attempt after one that was not billed. */
  | {
      readonly kind: 'waiting';
      readonly buyer: Buyer;
      readonly outcome: Promise<void>;
      /** How long the service has been asked in vain, where it is busy. */
      readonly busyForMs?: number | undefined;
    }
  /** The service works on it, and bills it whether or not its answer is waited for. */
  | { readonly kind: 'sent'; readonly buyer: Buyer; readonly outcome: Promise<void> }
  | { readonly kind: 'paid'; readonly buyer: Buyer; readonly result: PaidResult }
  | { readonly kind: 'failed'; readonly buyer: Buyer; readonly mayHaveCost: boolean };

export interface Order {
  readonly key: string;
  readonly request: SpeechRequest;
  /** The same object for all parts of one text: they are made equally loud. */
  readonly utterance: object | undefined;
  /** Of the first one who asked. */
  readonly purpose: Purpose;
  readonly signal: AbortSignal;
  /** In the order in which they came; one that leaves is removed. */
  readonly buyers: ReadonlySet<Buyer>;
  readonly purchase: Purchase;
  /** Told each step of the purchase; may abort the signal. */
  advance(purchase: Purchase): void;
}

export function createPurchases(options: PurchasesOptions) {
  const { speech, pipeline, keyOf, cache, pace, spending, paidAudio, journal } = options;
  const addressesLast = journal?.addressesLast ?? true;
  const urls = createPaidUrls(addressesLast ? journal?.earlier : undefined);

  /**
   * Downloads audio that was paid for before, or buys it. `onClip` is given the clip while it grows, with the id of another
   * voice that speaks it; resolves when it is complete, with whether it may be kept: not where another voice spoke. Rejects
   * with a SpeechError, an AudioError, a UserError of the spending limits, or the signal's reason.
   */
  async function carryOut(
    order: Order,
    onClip: (clip: Clip, spokenBy: string | undefined) => void,
  ): Promise<{ clip: Clip; mayBeKept: boolean }> {
    try {
      const clip = (await downloadAgain(order)) ?? (await buy(order));
      const paidUrl = urls.of(order.key);
      onClip(clip, paidUrl?.spokenBy);
      await clip.done;
      const mayBeKept = paidUrl?.spokenBy === undefined;
      if (!mayBeKept) urls.delete(order.key);
      else if (paidUrl) Object.assign(paidUrl, { hasArrived: true, isEarlier: false });
      paidAudio?.arrived(modelIdOf(order.request));
      return { clip, mayBeKept };
    } catch (error) {
      if (error instanceof AudioError && !order.signal.aborted) lost(order, error);
      throw error;
    }
  }

  function lost({ key, request, purchase, utterance }: Order, error: AudioError): void {
    const model = modelIdOf(request);
    const paidUrl = urls.of(key);
    // What is at its address is known.
    if (error.kind === 'too-short') urls.delete(key);
    // It was heard for as long as it should have been.
    if (error.kind === 'endless') paidAudio?.arrived(model);
    else if (purchase.kind === 'paid') paidAudio?.lost(model, error, utterance);
    // In vain for the second time: the next request has it made anew.
    else if (paidUrl && isWorthPayingAgain(paidUrl, error)) urls.delete(key);
  }

  /** Paid audio that did not arrive, or is no longer kept, from its address; undefined where it has to be made. */
  async function downloadAgain(order: Order): Promise<Clip | undefined> {
    const paidUrl = urls.of(order.key);
    if (!paidUrl) return undefined;
    try {
      return await download(paidUrl, order, !paidUrl.hasArrived);
    } catch (error) {
      order.signal.throwIfAborted();
      if (!(error instanceof AudioError) || paidUrl.isEarlier || !isWorthPayingAgain(paidUrl, error)) throw error;
      urls.delete(order.key);
      return undefined;
    }
  }

  type Source = { readonly url: URL; readonly spokenBy?: string | undefined };
  const download = ({ url, spokenBy }: Source, { request, utterance, signal }: Order, mayBeLate = true) =>
    pipeline.fetchClip(url, {
      ...{
        signal,
        voiceKey: spokenBy?.toLowerCase() ?? voiceKeyOf(request),
        mayBeLate,
        maxDurationMs: longestSoundMs(request),
        minSoundMs: leastSoundMs(request),
      },
      ...(utterance && { utterance }),
    });

  async function buy(order: Order): Promise<Clip> {
    const { key, request } = order;
    const startedAtMs = performance.now();
    const { result, reservation } = await pay(order);
    const { audioUrl: url, spokenBy } = result;
    const downloading = download({ url, spokenBy }, order);
    // Written down while the audio is on its way: until then the reserved credits are counted.
    void reservation?.settle(result);
    urls.set(key, { url, spokenBy });
    const clip = await downloading;
    pace.answered(modelOf(request), request.input.length, performance.now() - startedAtMs);
    return clip;
  }

  /** Rejects with a UserError, before anything is reserved, where what was paid for does not arrive. */
  async function pay(order: Order): Promise<{ result: SpeechResult; reservation: Reservation | undefined }> {
    const takeBack = paidAudio?.admit(modelIdOf(order.request), order.utterance);
    try {
      const { buyer, reservation } = await reserve(order);
      return { result: await send(order, buyer, reservation), reservation };
    } catch (error) {
      const { purchase } = order;
      if (purchase.kind !== 'failed' || !purchase.mayHaveCost) takeBack?.();
      throw error;
    }
  }

  /** Finds the first buyer whose limits allow it; each of the others is refused on its own. */
  async function reserve({ request, buyers, signal }: Order): Promise<{ buyer: Buyer; reservation?: Reservation }> {
    let refusal: unknown;
    for (;;) {
      const [buyer] = buyers;
      signal.throwIfAborted();
      if (!buyer) throw refusal;
      if (!spending) return { buyer };
      try {
        const toFollow = (await notAtHand(buyer.following)).map(billedText);
        const reservation = await spending.reserve({ ...buyer.payer, ...billedText(request), toFollow });
        if (buyers.has(buyer)) return { buyer, reservation };
        // Gone meanwhile: another buyer pays.
        void reservation.release();
      } catch (error) {
        refusal = error;
        buyer.refuse(error);
      }
    }
  }

  async function notAtHand(requests: readonly SpeechRequest[]): Promise<readonly SpeechRequest[]> {
    const keys = requests.map(keyOf);
    const areAtHand = await Promise.all(
      keys.map((key) => cache.holds(key) || urls.of(key) !== undefined || cache.isKept(key)),
    );
    return requests.filter((_, index) => !areAtHand[index]);
  }

  async function send(order: Order, buyer: Buyer, reservation: Reservation | undefined): Promise<SpeechResult> {
    const { key, request, utterance, signal } = order;
    const { guildId, userId } = buyer.payer;
    const records = journal?.of(buyer.payer);
    const { promise: outcome, resolve } = Promise.withResolvers<void>();
    const outlook = { buyer, outcome };
    order.advance({ kind: 'waiting', ...outlook });
    try {
      signal.throwIfAborted();
      const result = await speech.speak(request, {
        signal,
        fairnessKey: guildId ?? userId,
        // Listeners have gone on talking after a minute; a file is waited for until the deadline.
        ...(order.purpose === 'file' && { retryForMs: Number.POSITIVE_INFINITY }),
        async beforeAttempt() {
          if (records?.written) records.sent(key);
          await Promise.all([reservation?.confirm(), records?.written?.()]);
        },
        onProgress(progress) {
          const sent = progress.kind === 'sent';
          if (sent) records?.sent(key);
          else records?.unbilled(key);
          order.advance({ ...outlook, ...stepOf(progress) });
        },
      });
      const { audioUrl: url, spokenBy } = result;
      const told: PaidResult =
        reservation?.isPlausible(result) === false ? { ...result, creditsUsed: 0, mayBeMore: true } : result;
      records?.paid(key, { url, credits: told.creditsUsed, spokenBy });
      order.advance({ kind: 'paid', buyer, result: told });
      return result;
    } catch (error) {
      const mayHaveCost = error instanceof SpeechError && error.creditsMayBeSpent;
      if (!mayHaveCost) records?.unbilled(key);
      // One engine of several may have no price. Before the end is told: where nobody waits any more, that aborts the signal.
      else if (!signal.aborted && reservation?.about !== 0) paidAudio?.lost(modelIdOf(request), error, utterance);
      order.advance({ kind: 'failed', buyer, mayHaveCost });
      void (mayHaveCost ? reservation?.unknown() : reservation?.release());
      throw error;
    } finally {
      resolve();
    }
  }

  /** Where the service put the audio of a key, when it was paid for a short while ago. */
  const urlOf = (key: string) => urls.of(key)?.url;

  /** Whether the sound of a key would be paid for now, or an earlier process may have paid for it, and how much it did. */
  async function recall(key: string): Promise<RecalledPurchase> {
    const purchase = journal?.earlier.get(key);
    const isAtHand = cache.holds(key) || urls.of(key) !== undefined || (await cache.isKept(key));
    // One engine of several may have no price.
    const isLost = purchase?.kind === 'sent' || (purchase?.kind === 'paid' && !addressesLast && purchase.credits > 0);
    if (!isAtHand) return { kind: isLost ? 'maybe-billed' : 'to-buy' };
    return { kind: 'at-hand', ...(purchase?.kind === 'paid' && { paid: purchase }) };
  }

  return { carryOut, urlOf, recall };
}

function stepOf(progress: CallProgress) {
  if (progress.kind === 'sent') return { kind: 'sent' } as const;
  const isBusy = progress.reason === 'unavailable' || progress.reason === 'rate-limited';
  return { kind: 'waiting', busyForMs: isBusy ? progress.triedForMs : undefined } as const;
}

/** Under which it is billed. */
const modelIdOf = ({ voice }: SpeechRequest): string => modelRules(voice.model).id;

/** Loudness is learned by voice, whatever it says and in whichever style. */
const voiceKeyOf = ({ voice }: SpeechRequest) =>
  voice.kind === 'id' ? voice.voiceId.toLowerCase() : `${voice.model} ${voice.voice}`;
