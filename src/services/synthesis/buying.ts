import { LRUCache } from 'lru-cache';
import { AudioError } from '../../audio/audio-error.ts';
import { type Clip, clipFromPackets } from '../../audio/clips/clip.ts';
import type { AudioPipeline } from '../../audio/making/pipeline.ts';
import type { CallProgress, SpeechClient, SpeechResult } from '../../speech/client/client.ts';
import { SpeechError } from '../../speech/errors.ts';
import { modelRules } from '../../speech/interface/models.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { PaidAudio } from '../spending/lost-audio-watch.ts';
import type { Reservation } from '../spending/spending.ts';
import { modelOf, type SpeechPace } from './chunk-pace.ts';
import { billedText, type Purpose } from './chunk-plan.ts';
import type { EarlierPurchase, PaidSound, PurchaseJournal, RecalledPurchase } from './purchase-journal.ts';
import { leastSoundMs, longestSoundMs } from './sound-length.ts';
import type { createSoundStore, SoundUnderWay } from './sound-store.ts';
import type { Payer, SpendingGate } from './synthesis-types.ts';

export interface BuyingOptions {
  readonly speech: Pick<SpeechClient, 'speak'>;
  readonly pipeline: Pick<AudioPipeline, 'fetchClip'>;
  readonly keyOf: (request: SpeechRequest) => string;
  readonly store: SoundStore;
  readonly pace: SpeechPace;
  readonly spending?: SpendingGate | undefined;
  readonly paidAudio?: PaidAudio | undefined;
  readonly journal?: PurchaseRecords | undefined;
}

/** What outlives this process of what it buys. */
export interface PurchaseRecords extends PurchaseJournal {
  /** False where the addresses of paid audio end with the process that paid, as those of the local voice's engines do. */
  readonly addressesLast?: boolean;
}

/** An answer of the service; its bill is left out where it cannot be one, and is not known then. */
export interface PaidResult extends SpeechResult {
  readonly mayBeMore?: true;
}

/** How far the purchase of a sound has come. `outcome` resolves with its end. */
export type Purchase =
  | { readonly kind: 'none' }
  /** It waits for its turn, or for the next attempt after one that was not billed. */
  | { readonly kind: 'waiting'; readonly outcome: Promise<void> }
  /** The service works on it, and bills it whether or not its answer is waited for. */
  | { readonly kind: 'sent'; readonly outcome: Promise<void> }
  | { readonly kind: 'paid'; readonly result: PaidResult }
  | { readonly kind: 'failed'; readonly mayHaveCost: boolean };

/** What somebody wants to have, on whose account it is bought where it has to be. */
export interface Order {
  readonly request: SpeechRequest;
  readonly payer: Payer;
  readonly purpose: Purpose;
  /** The same object for all parts of one text: they are made equally loud. */
  readonly utterance?: object | undefined;
  /** What the payer asks for next: what of it has to be paid for must be allowed, too, before this is paid for. */
  readonly following?: readonly SpeechRequest[] | undefined;
}

/** A sound that is being had for the one who ordered it, and heard by all who want the same meanwhile. */
export interface OrderedSound extends SoundUnderWay {
  readonly purchase: Purchase;
  /** The id of the voice that speaks in the place of the one that was asked for. */
  readonly spokenBy: string | undefined;
  /** There is none for a reason of the payer alone: others may order it. */
  readonly isForOthers: boolean;
  /** Told how long a busy service was asked in vain. */
  readonly onBusy: Set<(forMs: number) => void>;
  /** The payer no longer wants it. It ends, unless it is billed in any case: then its sound is kept for the next request. */
  giveUp(reason: unknown): void;
  /** Ends in any case. */
  abort(reason: unknown): void;
}

export type SoundStore = ReturnType<typeof createSoundStore<OrderedSound>>;

/** The address of audio that was paid for: it can be downloaded from there again for nothing. */
interface PaidUrl extends PaidSound {
  /** The whole audio came from there once: an address that has something else now had it before. */
  hasArrived: boolean;
  /** Another process of the bot paid for it: its audio is not paid for again unless it is asked for again. */
  isEarlier: boolean;
}

/** A few hundred bytes each. */
const MAX_URLS = 500;
/**
 * As long as what was spoken can be saved or spoken again (queue-recent.ts). How long its address is good for, no service
 * says; an older one is rather paid for again than counted on, by the limits too.
 */
const URLS_KEPT_MS = 15 * 60_000;

/** Sounds as they are had for an order: kept, downloaded from where they were paid for, or bought. */
export function createBuying(options: BuyingOptions) {
  const { speech, pipeline, keyOf, store, pace, spending, paidAudio, journal } = options;
  const addressesLast = journal?.addressesLast ?? true;
  const urls = createPaidUrls(addressesLast ? journal?.earlier : undefined);

  /** The sound is on its way when this returns. */
  function begin(key: string, order: Order): OrderedSound {
    const { request, payer, utterance } = order;
    const modelId = modelIdOf(request);
    const clip = Promise.withResolvers<Clip>();
    clip.promise.catch(() => undefined);
    const ending = new AbortController();
    const { signal } = ending;
    const onBusy = new Set<(forMs: number) => void>();
    let purchase: Purchase = { kind: 'none' };
    let givenUp: { readonly reason: unknown } | undefined;
    let isForOthers = false;
    /** Others may hear it. */
    let isComing = false;
    let spokenBy: string | undefined;

    function endUnwanted(): void {
      if (!givenUp || isComing || (purchase.kind !== 'none' && purchase.kind !== 'waiting')) return;
      isForOthers = true;
      store.leave(key, sound);
      ending.abort(givenUp.reason);
    }

    function advance(next: Purchase): void {
      purchase = next;
      endUnwanted();
    }

    /** Resolves with what is to be kept: nothing that another voice spoke. */
    async function run(): Promise<Clip | undefined> {
      try {
        const kept = await store.find(key);
        signal.throwIfAborted();
        if (kept) {
          clip.resolve(clipFromPackets(kept));
          return undefined;
        }
        const growing = (await downloadAgain()) ?? (await buy());
        const paidUrl = urls.of(key);
        spokenBy = paidUrl?.spokenBy;
        isComing = true;
        clip.resolve(growing);
        await growing.done;
        paidAudio?.arrived(modelId);
        if (spokenBy !== undefined) {
          urls.delete(key);
          return undefined;
        }
        if (paidUrl) Object.assign(paidUrl, { hasArrived: true, isEarlier: false });
        pace.spoken(modelOf(request), request.input.length, growing.durationMs);
        return growing;
      } catch (error) {
        if (error instanceof AudioError && !signal.aborted) lost(error);
        // Those who wait for it may order it anew at once.
        store.leave(key, sound);
        clip.reject(error);
        return undefined;
      }
    }

    function lost(error: AudioError): void {
      const paidUrl = urls.of(key);
      // What is at its address is known.
      if (error.kind === 'too-short') urls.delete(key);
      // It was heard for as long as it should have been.
      if (error.kind === 'endless') paidAudio?.arrived(modelId);
      else if (purchase.kind === 'paid') paidAudio?.lost(modelId, error, utterance);
      // In vain for the second time: the next request has it made anew.
      else if (paidUrl && isWorthPayingAgain(paidUrl, error)) urls.delete(key);
    }

    const download = ({ url, spokenBy: voice }: PaidSound, mayBeLate = true): Promise<Clip> =>
      pipeline.fetchClip(url, {
        signal,
        voiceKey: voice?.toLowerCase() ?? voiceKeyOf(request),
        mayBeLate,
        maxDurationMs: longestSoundMs(request),
        minSoundMs: leastSoundMs(request),
        utterance,
      });

    /** Paid audio that did not arrive, or is no longer kept, from its address; undefined where it has to be made. */
    async function downloadAgain(): Promise<Clip | undefined> {
      const paidUrl = urls.of(key);
      if (!paidUrl) return undefined;
      try {
        return await download(paidUrl, !paidUrl.hasArrived);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AudioError) || paidUrl.isEarlier || !isWorthPayingAgain(paidUrl, error)) throw error;
        urls.delete(key);
        return undefined;
      }
    }

    /** Step by step: reserve, ask, settle, download. Where it fails, `purchase` says what that cost. */
    async function buy(): Promise<Clip> {
      const startedAtMs = performance.now();
      const takeBack = admit();
      let reservation: Reservation | undefined;
      try {
        reservation = await reserve();
        const result = await ask(reservation);
        const downloading = download({ url: result.audioUrl, spokenBy: result.spokenBy });
        // Written down while the audio is on its way: until then the reserved credits are counted.
        void reservation?.settle(result);
        const growing = await downloading;
        pace.answered(modelOf(request), request.input.length, performance.now() - startedAtMs);
        return growing;
      } catch (error) {
        // Nothing was billed, and so nothing was learned of where audio is lost.
        if (purchase.kind !== 'paid' && !(purchase.kind === 'failed' && purchase.mayHaveCost)) takeBack?.();
        throw error;
      }
    }

    /** Throws a UserError, before anything is reserved, where what was paid for does not arrive. */
    const admit = () => paidAudio?.admit(modelId, utterance);

    async function reserve(): Promise<Reservation | undefined> {
      if (!spending) return undefined;
      const toFollow = (await notAtHand(order.following ?? [])).map(billedText);
      try {
        const reservation = await spending.reserve({ ...payer, ...billedText(request), toFollow });
        if (signal.aborted) void reservation.release();
        signal.throwIfAborted();
        return reservation;
      } catch (error) {
        // Not where all of it ends.
        isForOthers = givenUp !== undefined || !signal.aborted;
        throw error;
      }
    }

    async function ask(reservation: Reservation | undefined): Promise<SpeechResult> {
      const records = journal?.of(payer);
      const { promise: outcome, resolve } = Promise.withResolvers<void>();
      advance({ kind: 'waiting', outcome });
      try {
        signal.throwIfAborted();
        const result = await speech.speak(request, {
          signal,
          fairnessKey: payer.guildId ?? payer.userId,
          // Listeners have gone on talking after a minute; a file is waited for until the deadline.
          retryForMs: order.purpose === 'file' ? Number.POSITIVE_INFINITY : undefined,
          async beforeAttempt() {
            records?.sent(key);
            await Promise.all([reservation?.confirm(), records?.written()]);
          },
          onProgress(progress) {
            if (progress.kind === 'sent') records?.sent(key);
            else records?.unbilled(key);
            advance({ kind: progress.kind, outcome });
            const busyForMs = busyForMsOf(progress);
            if (busyForMs !== undefined) for (const tell of onBusy) tell(busyForMs);
          },
        });
        const { audioUrl: url, spokenBy: voice } = result;
        const told: PaidResult =
          reservation?.isPlausible(result) === false ? { ...result, creditsUsed: 0, mayBeMore: true } : result;
        records?.paid(key, { url, credits: told.creditsUsed, spokenBy: voice });
        urls.set(key, { url, spokenBy: voice });
        advance({ kind: 'paid', result: told });
        return result;
      } catch (error) {
        const mayHaveCost = error instanceof SpeechError && error.creditsMayBeSpent;
        // What may be billed is not bought again for those who wait for the same.
        if (mayHaveCost) isForOthers = false;
        else records?.unbilled(key);
        // One engine of several may have no price.
        if (mayHaveCost && !signal.aborted && reservation?.about !== 0) paidAudio?.lost(modelId, error, utterance);
        advance({ kind: 'failed', mayHaveCost });
        void (mayHaveCost ? reservation?.unknown() : reservation?.release());
        throw error;
      } finally {
        resolve();
      }
    }

    const sound: OrderedSound = {
      clip: clip.promise,
      get purchase() {
        return purchase;
      },
      get spokenBy() {
        return spokenBy;
      },
      get isForOthers() {
        return isForOthers;
      },
      onBusy,
      giveUp(reason) {
        givenUp = { reason };
        endUnwanted();
      },
      abort: (reason) => ending.abort(reason),
      ended: run(),
    };
    return sound;
  }

  async function notAtHand(requests: readonly SpeechRequest[]): Promise<readonly SpeechRequest[]> {
    const areAtHand = await Promise.all(requests.map(keyOf).map(isAtHand));
    return requests.filter((_, index) => !areAtHand[index]);
  }

  const isAtHand = async (key: string): Promise<boolean> => urls.of(key) !== undefined || store.isKept(key);

  return {
    begin,
    /** Where the service put the audio of a key, when it was paid for a short while ago. */
    urlOf: (key: string) => urls.of(key)?.url,
    /** Whether the sound of a key would be paid for now, or an earlier process may have paid for it, and how much it did. */
    async recall(key: string): Promise<RecalledPurchase> {
      const purchase = journal?.earlier.get(key);
      if (await isAtHand(key)) return { kind: 'at-hand', paid: purchase?.kind === 'paid' ? purchase : undefined };
      // One engine of several may have no price.
      const isLost = purchase?.kind === 'sent' || (purchase?.kind === 'paid' && !addressesLast && purchase.credits > 0);
      return { kind: isLost ? 'maybe-billed' : 'to-buy' };
    },
  };
}

/**
 * The addresses of the last payments by the keys of their sounds, and those of an earlier process: all of them, for a text that
 * comes back is not paid for again however many were paid for since.
 */
export function createPaidUrls(
  earlier: ReadonlyMap<string, EarlierPurchase> = new Map(),
  now: () => number = Date.now,
) {
  const urls = new LRUCache<string, PaidUrl>({
    max: MAX_URLS,
    ttl: URLS_KEPT_MS,
    ttlResolution: 0,
    perf: { now: () => performance.now() },
  });
  /** Those of `earlier` that count no more: they were taken up, or paid for anew. */
  const used = new Set<string>();

  return {
    /** Leaves the order of payment as it is: the oldest address goes first. */
    of(key: string): PaidUrl | undefined {
      const purchase = used.has(key) || urls.has(key) ? undefined : earlier.get(key);
      if (purchase) used.add(key);
      if (purchase?.kind === 'paid' && now() - purchase.atMs < URLS_KEPT_MS) {
        const { url, spokenBy } = purchase;
        urls.set(key, { url, spokenBy, hasArrived: false, isEarlier: true });
      }
      return urls.peek(key);
    },
    set(key: string, { url, spokenBy }: PaidSound): void {
      if (earlier.has(key)) used.add(key);
      urls.set(key, { url, spokenBy, hasArrived: false, isEarlier: false });
    },
    delete: (key: string) => void urls.delete(key),
  };
}

/**
 * Whether audio made anew may arrive: not while its host cannot be reached, where the new one would be as well; and where
 * nothing ever came, only for a reason that need not hold for the next one.
 */
function isWorthPayingAgain({ hasArrived }: PaidUrl, { kind }: AudioError): boolean {
  if (kind === 'network' || kind === 'timeout') return false;
  return hasArrived || kind === 'http-status' || kind === 'damaged';
}

/** How long a busy service was asked in vain; undefined where it is not busy. */
function busyForMsOf(progress: CallProgress): number | undefined {
  const isBusy =
    progress.kind === 'waiting' && (progress.reason === 'unavailable' || progress.reason === 'rate-limited');
  return isBusy ? progress.triedForMs : undefined;
}

/** Under which it is billed. */
const modelIdOf = ({ voice }: SpeechRequest): string => modelRules(voice.model).id;

/** Loudness is learned by voice, whatever it says and in whichever style. */
const voiceKeyOf = ({ voice }: SpeechRequest) =>
  voice.kind === 'id' ? voice.voiceId.toLowerCase() : `${voice.model} ${voice.voice}`;
