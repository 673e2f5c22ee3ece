import { AudioError, type Clip, clipFromPackets } from '../../audio/clips/clip.ts';
import type { AudioPipeline } from '../../audio/making/pipeline.ts';
import type { SpeechClient, SpeechResult } from '../../speech/client/client.ts';
import { SpeechError, type SpeechErrorKind } from '../../speech/errors.ts';
import { modelRules } from '../../speech/interface/models.ts';
import type { ModelInfo, SpeechRequest } from '../../speech/interface/schemas.ts';
import type { PaidAudio } from '../spending/lost-audio-watch.ts';
import type { Reservation, Spending } from '../spending/spending.ts';
import { billedText, leastSoundMs, longestSoundMs, type Payer, type Purpose, type SpeechPace } from './parts.ts';
import type { Purchase as PaidPurchase, PaidSound, Purchases, RecalledPurchase, SoundStore } from './sound-store.ts';

export interface SynthesizerOptions {
  readonly speech: SpeechClient;
  readonly pipeline: AudioPipeline;
  readonly keyOf: (request: SpeechRequest) => string;
  readonly store: SoundStore;
  readonly spending: Spending;
  readonly paidAudio: PaidAudio;
  readonly purchases: Purchases;
  readonly onPartAudio: (ms: number) => void;
  readonly models: () => readonly ModelInfo[] | undefined;
  /** Aborts when the process ends. Stopped texts then no longer wait for their bills. */
  readonly stopping: AbortSignal;
  /** True if speech is free. Members never see credits then, so nobody waits for a bill. */
  readonly isFree: boolean;
}

/** If the bill is implausible, `creditsUsed` is 0 and `mayBeMore` is true, because the cost is unknown. */
interface PaidResult extends SpeechResult {
  readonly mayBeMore: boolean;
  readonly ownLeft: ReturnType<Reservation['ownLeft']>;
}

/** `outcome` resolves, without a value, when the request has been answered or has failed. */
export type Purchase =
  | { readonly kind: 'none' }
  /** The request waits for its turn, or for another attempt after an attempt that was not billed. */
  | { readonly kind: 'waiting'; readonly outcome: Promise<void> }
  /** The speech service works on the request, and bills it even if nobody waits for the answer. */
  | { readonly kind: 'sent'; readonly outcome: Promise<void> }
  | { readonly kind: 'paid'; readonly result: PaidResult }
  | { readonly kind: 'failed'; readonly mayHaveCost: boolean };

export interface Order {
  readonly request: SpeechRequest;
  readonly payer: Payer;
  readonly purpose: Purpose;
  /** Identifies the text: the same object for all its parts, which are made equally loud. */
  readonly utterance: object | undefined;
  /** Requests for the text's later parts: the spending limits must allow all before the first part is paid. */
  readonly following: readonly SpeechRequest[];
}

/** Audio that is being fetched or bought for the caller who ordered it. All callers with equal requests share it. */
export interface OrderedSound {
  /** Resolves with an audio clip that may still grow; rejects if there will be no audio. */
  readonly clip: Promise<Clip>;
  purchase: Purchase;
  spokenBy: string | undefined;
  /** True if the audio failed only for its payer, such as by a spending limit: others can order it again. */
  isForOthers: boolean;
  /** Called when the speech service is busy, with the milliseconds since the first attempt of the request. */
  readonly onBusy: Set<(forMs: number) => void>;
  /** Aborts the purchase before it is billed. If the service already makes the audio, the audio is cached for later requests. */
  giveUp(reason: unknown): void;
  abort(reason: unknown): void;
}

/** Errors of the speech service that mean that it is too busy for the request. */
const BUSY: ReadonlySet<SpeechErrorKind> = new Set(['unavailable', 'rate-limited']);

export function createBuying(options: SynthesizerOptions, pace: SpeechPace) {
  const { speech, pipeline, keyOf, store, spending, paidAudio, purchases } = options;
  /** The audio that is being made, by its key. */
  const underWay = new Map<string, OrderedSound>();
  const running = new Set<Promise<void>>();

  /** Begins to fetch or buy audio that is not under way yet. */
  function begin(key: string, order: Order): OrderedSound {
    const { request, payer, utterance } = order;
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
      leave();
      ending.abort(givenUp.reason);
    }

    function advance(next: Purchase): void {
      sound.purchase = next;
      endUnwanted();
    }

    /** Lets the next caller order the audio again, unless it is cached. */
    function leave(): void {
      if (underWay.get(key) === sound) underWay.delete(key);
    }

    /** Makes the audio and caches it. Never rejects. */
    async function run(): Promise<void> {
      try {
        const kept = await store.find(key);
        signal.throwIfAborted();
        if (kept) {
          clip.resolve(clipFromPackets(kept));
          return;
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
          return;
        }
        if (paid) paid.hasArrived = true;
        pace.spoken(request, growing.durationMs);
        store.keep(key, growing.packets);
      } catch (error) {
        if (error instanceof AudioError && !signal.aborted) lost(error);
        clip.reject(error);
      } finally {
        // Failed audio is forgotten before its callers learn of the failure, so that they can order it again at once.
        leave();
      }
    }

    function lost(error: AudioError): void {
      const paid = purchases.of(key);
      // The service's audio is too short for the text, so downloading it again from the same address is useless.
      if (error.kind === 'too-short') purchases.delete(key);
      // If audio was longer than the text can need, the bot cut it. Such audio has arrived and does not count as lost.
      if (error.kind === 'endless') paidAudio.arrived(modelId);
      else if (sound.purchase.kind === 'paid') paidAudio.lost(modelId, error, text);
      // An earlier request paid for this audio, and the download failed again: the next request buys it.
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

    /** Downloads paid audio again that did not arrive or is no longer cached; undefined if the audio must be bought. */
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

    /** Buys the audio and begins its download. After a failure, `sound.purchase` tells if the request may have been billed. */
    async function buy(): Promise<Clip> {
      const startedAtMs = performance.now();
      const reservation = await reserve();
      const result = await ask(reservation);
      const downloading = download({ url: result.audioUrl, spokenBy: result.spokenBy });
      // The bill is stored while the audio downloads. Until the bill is stored, limits count the reserved credits.
      void reservation.settle(result);
      const growing = await downloading;
      pace.answered(request, performance.now() - startedAtMs);
      return growing;
    }

    async function reserve(): Promise<Reservation> {
      const areAtHand = await Promise.all(order.following.map(keyOf).map(isAtHand));
      const toFollow = order.following.filter((_, index) => !areAtHand[index]).map(billedText);
      try {
        const reservation = await spending.reserve({ ...payer, ...billedText(request), toFollow });
        if (signal.aborted) void reservation.release();
        signal.throwIfAborted();
        return reservation;
      } catch (error) {
        // Other requests for the same audio can pay for it themselves, unless the process is ending.
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
        // admit() may use up the trial of a paused model, so it is called only after the spending limits have allowed the text.
        takeBackTrial = paidAudio.admit(modelId, text);
        const result = await speech.speak(request, {
          signal,
          fairnessKey: payer.guildId ?? payer.userId,
          // Requests for listeners are retried for a minute, the client's default. Requests for files are retried until the deadline.
          retryForMs: order.purpose === 'file' ? Number.POSITIVE_INFINITY : undefined,
          async beforeAttempt() {
            record.sent();
            await Promise.all([reservation.confirm(), record.written()]);
          },
          onProgress(progress) {
            if (progress.kind === 'sent') record.sent();
            else record.unbilled();
            advance({ kind: progress.kind, outcome });
            if (progress.kind === 'waiting' && BUSY.has(progress.reason)) {
              for (const tell of sound.onBusy) tell(progress.triedForMs);
            }
          },
        });
        const { audioUrl: url, spokenBy: voice } = result;
        const ownLeft = reservation.ownLeft(result);
        const mayBeMore = !reservation.isPlausible(result);
        const told: PaidResult = { ...result, ownLeft, mayBeMore, creditsUsed: mayBeMore ? 0 : result.creditsUsed };
        record.paid({ url, credits: told.creditsUsed, spokenBy: voice });
        advance({ kind: 'paid', result: told });
        return result;
      } catch (error) {
        const mayHaveCost = error instanceof SpeechError && error.creditsMayBeSpent;
        // If the request may have been billed, other callers fail too, so that the audio is not bought twice.
        if (mayHaveCost) sound.isForOthers = false;
        else {
          record.unbilled();
          takeBackTrial();
        }
        // A lost answer of a free engine does not count as lost paid audio, which would pause paid requests.
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
    };
    underWay.set(key, sound);
    const work = run().finally(() => running.delete(work));
    running.add(work);
    return sound;
  }

  const isAtHand = async (key: string): Promise<boolean> => purchases.of(key) !== undefined || store.isKept(key);

  return {
    begin,
    underWay,
    /** Resolves when no audio is being made. */
    finished: async () => void (await Promise.all(running)),
    urlOf: (request: SpeechRequest) => purchases.of(keyOf(request))?.url,
    /** Tells if a request's audio exists, may have been billed to an earlier process, or would have to be bought. */
    async recall(request: SpeechRequest): Promise<RecalledPurchase> {
      const key = keyOf(request);
      const earlier = purchases.earlier(key);
      if (await isAtHand(key)) return { kind: 'at-hand', paid: earlier?.kind === 'paid' ? earlier : undefined };
      // An earlier purchase that cost nothing is not reported as billed. With several engines, some may be free.
      const isLost = earlier?.kind === 'sent' || (earlier && earlier.credits > 0);
      return { kind: isLost ? 'maybe-billed' : 'to-buy' };
    },
  };
}

/**
 * Decides if audio of a text is bought again after its download failed. If the audio host is unreachable, new audio would not arrive
 * either. New audio would have the same wrong format or length, unless this text's audio once arrived completely.
 */
function isWorthPayingAgain({ hasArrived }: PaidPurchase, { kind }: AudioError): boolean {
  if (kind === 'network' || kind === 'timeout') return false;
  return hasArrived || kind === 'http-status' || kind === 'damaged';
}

/** The key under which a voice's measured loudness is remembered, for all texts and styles. */
const voiceKeyOf = ({ voice }: SpeechRequest) =>
  voice.kind === 'id' ? voice.voiceId.toLowerCase() : `${voice.model} ${voice.voice}`;
