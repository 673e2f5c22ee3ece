import { AudioError } from '../../audio/audio-error.ts';
import { type Clip, clipFromPackets } from '../../audio/clips/clip.ts';
import type { AudioPipeline } from '../../audio/making/pipeline.ts';
import type { CallProgress, SpeechClient, SpeechResult } from '../../speech/client/client.ts';
import { SpeechError } from '../../speech/errors.ts';
import { modelRules } from '../../speech/interface/models.ts';
import type { ModelInfo } from '../../speech/interface/schemas.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { PaidAudio } from '../spending/lost-audio-watch.ts';
import type { Reservation, Spending } from '../spending/spending.ts';
import { billedText, type Purpose, type SpeechPace } from './parts.ts';
import type { Purchase as PaidPurchase, PaidSound, Purchases, RecalledPurchase } from './purchases.ts';
import { leastSoundMs, longestSoundMs } from './sound-length.ts';
import type { createSoundStore, SoundUnderWay } from './sound-store.ts';
import type { Payer } from './synthesis-types.ts';

export interface SynthesizerOptions {
  readonly speech: SpeechClient;
  readonly pipeline: AudioPipeline;
  readonly keyOf: (request: SpeechRequest) => string;
  readonly store: SoundStore;
  readonly spending: Spending;
  readonly paidAudio: PaidAudio;
  readonly purchases: Purchases;
  /** Runs with the listeners' wait for each later part of a long text. */
  readonly onPartAudio: (ms: number) => void;
  /** The service's models with their limits, as far as they are known. */
  readonly models: () => readonly ModelInfo[] | undefined;
  /** Aborts when the process ends: bills are no longer awaited. */
  readonly stopping: AbortSignal;
  /** Members never see credits then. */
  readonly isFree: boolean;
}

/** If the bill cannot be one, it is left out: the cost is not known then. */
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

/** A request for audio, with the account that pays for it if it has to be bought. */
export interface Order {
  readonly request: SpeechRequest;
  readonly payer: Payer;
  readonly purpose: Purpose;
  /** The same object for all parts of one text: they are made equally loud. */
  readonly utterance: object | undefined;
  /** What the payer asks for next: what of it has to be paid for must be allowed, too, before this is paid for. */
  readonly following: readonly SpeechRequest[];
}

/** A sound that is being had for the one who ordered it, and heard by all who want the same meanwhile. */
export interface OrderedSound extends SoundUnderWay {
  purchase: Purchase;
  /** The id of the voice that speaks in the place of the one that was requested. */
  spokenBy: string | undefined;
  /** There is none for a reason of the payer alone: others may order it. */
  isForOthers: boolean;
  /** Run with the time for which a busy service has rejected requests. */
  readonly onBusy: Set<(forMs: number) => void>;
  /** The payer no longer wants it. It ends, unless it is billed in any case: then its sound is kept for the next request. */
  giveUp(reason: unknown): void;
  abort(reason: unknown): void;
}

export type SoundStore = ReturnType<typeof createSoundStore<OrderedSound>>;

/** Sounds as they are had for an order: kept, downloaded from where they were paid for, or bought. */
export function createBuying(options: SynthesizerOptions, pace: SpeechPace) {
  const { speech, pipeline, keyOf, store, spending, paidAudio, purchases } = options;

  /** The sound is on its way when this returns. */
  function begin(key: string, order: Order): OrderedSound {
    const { request, payer, utterance } = order;
    /** The same for all its parts. */
    const text = utterance ?? order;
    const modelId = modelRules(request.voice.model).id;
    const clip = Promise.withResolvers<Clip>();
    clip.promise.catch(() => undefined);
    const ending = new AbortController();
    const { signal } = ending;
    let givenUp: { readonly reason: unknown } | undefined;
    let isComing = false;

    function endUnwanted(): void {
      const { kind } = sound.purchase;
      if (!givenUp || isComing || (kind !== 'none' && kind !== 'waiting')) return;
      sound.isForOthers = true;
      store.leave(key, sound);
      ending.abort(givenUp.reason);
    }

    function advance(next: Purchase): void {
      sound.purchase = next;
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
        const paid = purchases.of(key);
        sound.spokenBy = paid?.spokenBy;
        isComing = true;
        clip.resolve(growing);
        await growing.done;
        paidAudio.arrived(modelId);
        if (paid?.spokenBy !== undefined) {
          purchases.delete(key);
          return undefined;
        }
        if (paid) paid.hasArrived = true;
        pace.spoken(request, growing.durationMs);
        return growing;
      } catch (error) {
        if (error instanceof AudioError && !signal.aborted) lost(error);
        // Callers that wait for it may order it again at once.
        store.leave(key, sound);
        clip.reject(error);
        return undefined;
      }
    }

    function lost(error: AudioError): void {
      const paid = purchases.of(key);
      // What is at its address is known.
      if (error.kind === 'too-short') purchases.delete(key);
      // It was heard for as long as it should have been.
      if (error.kind === 'endless') paidAudio.arrived(modelId);
      else if (sound.purchase.kind === 'paid') paidAudio.lost(modelId, error, text);
      // This was the second failure: the next request buys it again.
      else if (paid && isWorthPayingAgain(paid, error)) purchases.delete(key);
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
      const paid = purchases.of(key);
      if (!paid) return undefined;
      try {
        return await download(paid, !paid.hasArrived);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AudioError) || !isWorthPayingAgain(paid, error)) throw error;
        if (paid.isEarlier && !paid.hasArrived) throw error;
        purchases.delete(key);
        return undefined;
      }
    }

    /** Step by step: reserve, ask, settle, download. Where it fails, `purchase` says what that cost. */
    async function buy(): Promise<Clip> {
      const startedAtMs = performance.now();
      const reservation = await reserve();
      const result = await ask(reservation);
      const downloading = download({ url: result.audioUrl, spokenBy: result.spokenBy });
      // Written down while the audio is on its way: until then the reserved credits are counted.
      void reservation.settle(result);
      const growing = await downloading;
      pace.answered(request, performance.now() - startedAtMs);
      return growing;
    }

    async function reserve(): Promise<Reservation> {
      const toFollow = (await notAtHand(order.following)).map(billedText);
      try {
        const reservation = await spending.reserve({ ...payer, ...billedText(request), toFollow });
        if (signal.aborted) void reservation.release();
        signal.throwIfAborted();
        return reservation;
      } catch (error) {
        // False if the whole request ends.
        sound.isForOthers = givenUp !== undefined || !signal.aborted;
        throw error;
      }
    }

    async function ask(reservation: Reservation): Promise<SpeechResult> {
      const record = purchases.begin(key, payer);
      const { promise: outcome, resolve } = Promise.withResolvers<void>();
      advance({ kind: 'waiting', outcome });
      let takeBackTrial = () => {};
      try {
        signal.throwIfAborted();
        // Only now: a text that a limit refuses is no trial.
        takeBackTrial = paidAudio.admit(modelId, text);
        const result = await speech.speak(request, {
          signal,
          fairnessKey: payer.guildId ?? payer.userId,
          // Listeners have gone on talking after a minute; a file is waited for until the deadline.
          retryForMs: order.purpose === 'file' ? Number.POSITIVE_INFINITY : undefined,
          async beforeAttempt() {
            record.sent();
            await Promise.all([reservation.confirm(), record.written()]);
          },
          onProgress(progress) {
            if (progress.kind === 'sent') record.sent();
            else record.unbilled();
            advance({ kind: progress.kind, outcome });
            const busyForMs = busyForMsOf(progress);
            if (busyForMs !== undefined) for (const tell of sound.onBusy) tell(busyForMs);
          },
        });
        const { audioUrl: url, spokenBy: voice } = result;
        const told: PaidResult = reservation.isPlausible(result)
          ? result
          : { ...result, creditsUsed: 0, mayBeMore: true };
        record.paid({ url, credits: told.creditsUsed, spokenBy: voice });
        advance({ kind: 'paid', result: told });
        return result;
      } catch (error) {
        const mayHaveCost = error instanceof SpeechError && error.creditsMayBeSpent;
        // What may be billed is not bought again for those who wait for the same.
        if (mayHaveCost) sound.isForOthers = false;
        else {
          record.unbilled();
          takeBackTrial();
        }
        // Among several engines, one may have no price.
        if (mayHaveCost && !signal.aborted && reservation.about !== 0) paidAudio.lost(modelId, error, text);
        advance({ kind: 'failed', mayHaveCost });
        void (mayHaveCost ? reservation.unknown() : reservation.release());
        throw error;
      } finally {
        resolve();
      }
    }

    const sound: OrderedSound = {
      clip: clip.promise,
      purchase: { kind: 'none' },
      spokenBy: undefined,
      isForOthers: false,
      onBusy: new Set(),
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

  const isAtHand = async (key: string): Promise<boolean> => purchases.of(key) !== undefined || store.isKept(key);

  return {
    begin,
    /** The address of the audio, if it was paid for a short while ago. */
    urlOf: (request: SpeechRequest) => purchases.of(keyOf(request))?.url,
    /** Whether the audio would be paid for now, or an earlier process may have paid for it, and how much it did. */
    async recall(request: SpeechRequest): Promise<RecalledPurchase> {
      const key = keyOf(request);
      const earlier = purchases.earlier(key);
      if (await isAtHand(key)) return { kind: 'at-hand', paid: earlier?.kind === 'paid' ? earlier : undefined };
      // Among several engines, one may have no price.
      const isLost = earlier?.kind === 'sent' || (earlier && earlier.credits > 0);
      return { kind: isLost ? 'maybe-billed' : 'to-buy' };
    },
  };
}

/**
 * True if newly bought audio may arrive. If the host cannot be reached, new audio could not be reached either. If no
 * audio ever came, the reason must be one that may not hold for the next.
 */
function isWorthPayingAgain({ hasArrived }: PaidPurchase, { kind }: AudioError): boolean {
  if (kind === 'network' || kind === 'timeout') return false;
  return hasArrived || kind === 'http-status' || kind === 'damaged';
}

/** How long a busy service has rejected the request; undefined if it is not busy. */
function busyForMsOf(progress: CallProgress): number | undefined {
  const isBusy =
    progress.kind === 'waiting' && (progress.reason === 'unavailable' || progress.reason === 'rate-limited');
  return isBusy ? progress.triedForMs : undefined;
}

/** Loudness is learned by voice, whatever it says and in whichever style. */
const voiceKeyOf = ({ voice }: SpeechRequest) =>
  voice.kind === 'id' ? voice.voiceId.toLowerCase() : `${voice.model} ${voice.voice}`;
