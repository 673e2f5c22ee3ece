import { AudioError } from '../../audio/audio-error.ts';
import { type Clip, clipFromPackets } from '../../audio/clips/clip.ts';
import { viewOf } from '../../audio/clips/shared-clip.ts';
import type { AudioPipeline } from '../../audio/making/pipeline.ts';
import type { Cost } from '../../errors/user-errors.ts';
import type { SpeechClient, SpeechResult } from '../../speech/client/client.ts';
import { SpeechError } from '../../speech/errors.ts';
import { modelRules } from '../../speech/interface/models.ts';
import { requestCharacters, type SpeechRequest } from '../../speech/request.ts';
import type { PaidAudio } from '../spending/lost-audio-watch.ts';
import type { Reservation } from '../spending/spending-types.ts';
import type { CachedClips } from './cached-clips.ts';
import { modelOf, type SpeechPace } from './chunk-pace.ts';
import { createPaidSources, type PaidSource } from './paid-urls.ts';
import type { Flights, Share } from './shared-request-types.ts';
import type { Payer, SpendingGate } from './synthesis-types.ts';

export interface FlightsOptions {
  readonly speech: Pick<SpeechClient, 'speak'>;
  readonly pipeline: Pick<AudioPipeline, 'fetchClip'>;
  readonly keyOf: (request: SpeechRequest) => string;
  readonly cache: CachedClips;
  readonly pace: SpeechPace;
  readonly spending?: SpendingGate | undefined;
  readonly paidAudio?: PaidAudio | undefined;
}

/** Someone who wants a sound that is being made. */
interface Wanting {
  readonly asker: Payer;
  readonly answer: PromiseWithResolvers<Clip>;
  readonly onPlayed: ((count: number) => void) | undefined;
  readonly following: readonly SpeechRequest[];
  view?: Clip;
}

/** One request on its way, however many want it. */
interface Flight {
  readonly key: string;
  readonly wanting: Set<Wanting>;
  readonly giveUp: AbortController;
  /** On whose account it is made: whoever asked first, of those whose limits allow it. */
  payer?: Wanting;
  paid?: SpeechResult;
  failure?: unknown;
  /** Shared while it grows. */
  clip?: Clip;
  /** Resolves when it is known what it cost. */
  readonly priced: PromiseWithResolvers<void>;
}

const NOTHING: Cost = { kind: 'none' };

/** Equal requests that are under way at the same time are one: asked for once and billed once. */
export function createFlights({ speech, pipeline, keyOf, cache, pace, spending, paidAudio }: FlightsOptions): Flights {
  const flights = new Map<string, Flight>();
  const sources = createPaidSources();

  function start(key: string, request: SpeechRequest, utterance: object | undefined): Flight {
    const flight: Flight = {
      key,
      wanting: new Set(),
      giveUp: new AbortController(),
      priced: Promise.withResolvers<void>(),
    };
    flights.set(key, flight);
    void fly(flight, request, utterance);
    return flight;
  }

  async function fly(flight: Flight, request: SpeechRequest, utterance: object | undefined): Promise<void> {
    const { signal } = flight.giveUp;
    try {
      const kept = await cache.find(flight.key);
      signal.throwIfAborted();
      if (kept) return land(flight, clipFromPackets(kept));
      const clip = await make(flight, request, utterance);
      land(flight, clip);
      await clip.done;
      sources.arrived(flight.key);
      paidAudio?.arrived();
      cache.keep(flight.key, clip.packets);
      pace.spoken(modelOf(request), request.input.length, clip.durationMs);
    } catch (error) {
      flight.failure = error;
      if (error instanceof AudioError && !signal.aborted) missed(flight, error);
      for (const { answer } of flight.wanting) answer.reject(error);
    } finally {
      flight.priced.resolve();
      forget(flight);
    }
  }

  function missed(flight: Flight, error: AudioError): void {
    const source = sources.of(flight.key);
    if (flight.paid) paidAudio?.lost(error);
    // In vain for the second time: the next who asks has it made anew.
    else if (source && canHelpToPay(source, error)) sources.forget(flight.key);
  }

  function forget(flight: Flight): void {
    if (flights.get(flight.key) === flight) flights.delete(flight.key);
  }

  function land(flight: Flight, clip: Clip): void {
    flight.clip = clip;
    for (const wanting of flight.wanting) hand(flight, clip, wanting);
  }

  function hand(flight: Flight, clip: Clip, wanting: Wanting): void {
    const { onPlayed } = wanting;
    wanting.view = viewOf(clip, { onCancelled: () => leave(flight, wanting), ...(onPlayed && { onPlayed }) });
    wanting.answer.resolve(wanting.view);
  }

  async function make(flight: Flight, request: SpeechRequest, utterance: object | undefined): Promise<Clip> {
    const fetched = await fetchAgain(flight, request, utterance);
    return fetched ?? (await buy(flight, request, utterance));
  }

  /** What was paid for and did not arrive, or is no longer kept, from where it was; undefined where it has to be made. */
  async function fetchAgain(flight: Flight, request: SpeechRequest, utterance: object | undefined) {
    const source = sources.of(flight.key);
    if (!source) return undefined;
    try {
      return await fetchFrom(source.url, flight, request, utterance);
    } catch (error) {
      flight.giveUp.signal.throwIfAborted();
      if (!(error instanceof AudioError) || !canHelpToPay(source, error)) throw error;
      sources.forget(flight.key);
      return undefined;
    }
  }

  function fetchFrom(source: URL, flight: Flight, request: SpeechRequest, utterance: object | undefined) {
    const { signal } = flight.giveUp;
    return pipeline.fetchClip(source, { signal, voiceKey: voiceKeyOf(request), ...(utterance && { utterance }) });
  }

  async function buy(flight: Flight, request: SpeechRequest, utterance: object | undefined): Promise<Clip> {
    const reservation = await reserve(flight, request);
    const startedAtMs = performance.now();
    const result = await pay(flight, request, reservation);
    flight.paid = result;
    const fetching = fetchFrom(result.audioUrl, flight, request, utterance);
    // Written down while the audio is on its way: until then what was set aside is counted.
    void reservation?.settle(result);
    flight.priced.resolve();
    sources.remember(flight.key, result.audioUrl);
    const clip = await fetching;
    pace.answered(modelOf(request), request.input.length, performance.now() - startedAtMs);
    return clip;
  }

  /** Finds one of those who want it whose limits allow it; each of the others is refused for itself. */
  async function reserve(flight: Flight, request: SpeechRequest): Promise<Reservation | undefined> {
    let refusal: unknown;
    for (;;) {
      const [payer] = flight.wanting;
      flight.giveUp.signal.throwIfAborted();
      if (!payer) throw refusal;
      if (!spending) {
        flight.payer = payer;
        return undefined;
      }
      try {
        const model = modelRules(request.voice.model).id;
        const characters = requestCharacters(request);
        const charactersToFollow = (await notAtHand(payer.following)).map(requestCharacters);
        const reservation = await spending.reserve({ ...payer.asker, characters, charactersToFollow, model });
        if (flight.wanting.has(payer)) {
          flight.payer = payer;
          return reservation;
        }
        // Gone meanwhile: what is made now is made for somebody else.
        void reservation.release();
      } catch (error) {
        refusal = error;
        flight.wanting.delete(payer);
        payer.answer.reject(error);
      }
    }
  }

  async function notAtHand(requests: readonly SpeechRequest[]): Promise<readonly SpeechRequest[]> {
    const keys = requests.map(keyOf);
    const areAtHand = await Promise.all(keys.map((key) => isPaidFor(key) || cache.isOnDisk(key)));
    return requests.filter((_, index) => !areAtHand[index]);
  }

  const isPaidFor = (key: string) => cache.holds(key) || sources.of(key) !== undefined;

  async function pay(
    flight: Flight,
    request: SpeechRequest,
    reservation: Reservation | undefined,
  ): Promise<SpeechResult> {
    const { guildId, userId } = flight.payer?.asker ?? {};
    const fairnessKey = guildId ?? userId;
    try {
      flight.giveUp.signal.throwIfAborted();
      return await speech.speak(request, {
        signal: flight.giveUp.signal,
        ...(fairnessKey !== undefined && { fairnessKey }),
      });
    } catch (error) {
      void (mayHaveCost(error) ? reservation?.unknown() : reservation?.release());
      throw error;
    }
  }

  /** The last one to leave ends what is not paid for yet; what is paid for is worth keeping for the next who asks. */
  function leave(flight: Flight, wanting: Wanting, reason?: unknown): void {
    if (!flight.wanting.delete(wanting)) return;
    wanting.answer.reject(reason ?? new DOMException('It is no longer wanted', 'AbortError'));
    wanting.view?.cancel('It is no longer wanted');
    if (flight.wanting.size > 0 || (flight.paid && cache.keeps)) return;
    forget(flight);
    flight.giveUp.abort(reason);
  }

  async function costOf(flight: Flight, wanting: Wanting): Promise<Cost> {
    if (flight.payer !== wanting) return NOTHING;
    // It goes on for others, and nobody knows yet with what result.
    if (!flight.paid && flight.wanting.size > 0) return { kind: 'unknown' };
    await flight.priced.promise;
    if (!flight.paid) return mayHaveCost(flight.failure) ? { kind: 'unknown' } : NOTHING;
    const { creditsUsed, requestId } = flight.paid;
    return { kind: 'used', credits: creditsUsed, ...(requestId !== undefined && { requestId }) };
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
    ask(request, { signal, onPlayed, guildId, userId, utterance, following = [] }) {
      const key = keyOf(request);
      const packets = signal?.aborted ? undefined : cache.peek(key);
      if (packets) return kept(packets, onPlayed);
      const wanting: Wanting = { asker: { guildId, userId }, onPlayed, following, answer: Promise.withResolvers() };
      // Whoever asks may look at it later.
      wanting.answer.promise.catch(() => undefined);
      const flight = flights.get(key) ?? start(key, request, utterance);
      flight.wanting.add(wanting);
      if (signal?.aborted) leave(flight, wanting, signal.reason);
      else if (flight.clip) hand(flight, flight.clip, wanting);
      const onAbort = () => leave(flight, wanting, signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      return {
        clip: wanting.answer.promise,
        get paid() {
          return flight.payer === wanting ? flight.paid : undefined;
        },
        async end() {
          signal?.removeEventListener('abort', onAbort);
          leave(flight, wanting);
          return costOf(flight, wanting);
        },
      };
    },
    knows(request) {
      const key = keyOf(request);
      return flights.has(key) || isPaidFor(key);
    },
    sourceOf: (request) => sources.of(keyOf(request))?.url,
    close(reason) {
      for (const flight of flights.values()) flight.giveUp.abort(reason);
    },
  };
}

/** Whose loudness is learned: the voice, whatever it says and in whichever style. */
const voiceKeyOf = ({ voice }: SpeechRequest) =>
  voice.kind === 'id' ? voice.voiceId.toLowerCase() : `${voice.model} ${voice.voice}`;

/**
 * Whether a sound made anew may arrive: not while its host cannot be reached, where the new one would be as well; and
 * where nothing ever came, only for a reason that need not hold for the next one.
 */
function canHelpToPay({ hasArrived }: PaidSource, { kind }: AudioError): boolean {
  if (kind === 'network' || kind === 'timeout') return false;
  return hasArrived || kind === 'http-status' || kind === 'damaged';
}

const mayHaveCost = (error: unknown) => error instanceof SpeechError && error.creditsMayBeSpent;
