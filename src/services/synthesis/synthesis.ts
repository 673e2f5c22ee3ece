import { AudioError, type Clip } from '../../audio/clips/clip.ts';
import { oggOpusFile } from '../../audio/clips/clip-files.ts';
import { warmUpPacketMeter, waveformOf } from '../../audio/clips/joined-clip.ts';
import { type Cost, DeliveryError, UserError } from '../../errors/user-errors.ts';
import { inputLimit } from '../../speech/interface/models.ts';
import { preferringWav, requestsOf, type SpeechRequest, sentStyle } from '../../speech/interface/schemas.ts';
import type { SynthesizerOptions } from './buying.ts';
import { makeInParts } from './chunked.ts';
import {
  billedText,
  createSpeechPace,
  type FileOptions,
  longestSoundMs,
  type Parts,
  type Purpose,
  planParts,
  type RenderOptions,
  type SynthesisOptions,
} from './parts.ts';
import { createShares, type Share, type Shares } from './shares.ts';

/** How long close() waits for the speech service's answers, so that bills are known and audio is cached. */
const LAST_BILLS_MS = 1_500;

export type Synthesizer = ReturnType<typeof createSynthesizer>;
export type Synthesis = ReturnType<typeof synthesisOf>;
/** The cost of a text's audio for its requester, so far or in total. */
export type SpeechFacts = Readonly<ReturnType<typeof factsOf>>;

/** Turns text into audio. Equal requests share their audio, which is cached. Long texts are made in parts. */
export function createSynthesizer(options: SynthesizerOptions) {
  const { pipeline, spending, models } = options;
  const pace = createSpeechPace();
  const shares = createShares(options, pace);

  function partsOf(request: SpeechRequest, purpose: Purpose): Parts {
    const [first = request, ...others] = requestsOf(request);
    return [...partsOfOne(first, purpose), ...others.flatMap((one) => partsOfOne(one, purpose))];
  }

  /** Plans parts for a listener or a file. If only the other plan's audio exists, uses that plan to pay only once. */
  function partsOfOne(asked: SpeechRequest, purpose: Purpose): Parts {
    // Free speech comes from this machine, so WAV saves encoding. Paid speech may come over a network, where MP3 may arrive sooner.
    const request = options.isFree ? preferringWav(asked) : asked;
    const limit = inputLimit(request.voice.model, models() ?? []);
    const parts = planParts(request, limit, purpose);
    // A text without a style is split the same way for listeners and files, so the other plan has the same audio.
    if (sentStyle(request) === undefined || shares.knows(parts[0])) return parts;
    const others = planParts(request, limit, purpose === 'file' ? 'listener' : 'file');
    return shares.knows(others[0]) ? others : parts;
  }

  function make(request: SpeechRequest, orders: RenderOptions, aheadOf: Purpose) {
    const parts = partsOf(request, aheadOf);
    const made =
      parts.length === 1
        ? makeWhole(parts[0], shares, { ...orders, purpose: aheadOf })
        : makeInParts(parts, {
            ...orders,
            shares,
            pace,
            aheadOf,
            onPartAudio: options.onPartAudio,
            maxDurationMs: longestSoundMs(request),
          });
    const facts = () => factsOf(made.shares);
    const count = () => {
      if (facts().cached && !orders.wasPaidBefore)
        void spending.cached({ guildId: orders.guildId, userId: orders.userId });
    };
    made.clip.then((clip) => clip.done).then(count, () => undefined);
    return { parts, made, facts };
  }

  async function whole(request: SpeechRequest, orders: SynthesisOptions) {
    const { parts, made, facts } = make(request, { ...orders, wasPaidBefore: false, onProgress: undefined }, 'file');
    try {
      const clip = await made.clip;
      await clip.done;
      // The purchase of a substitute voice's audio is not kept, so the audio's address comes from the service's answer.
      return { clip, parts, facts: facts(), url: made.shares[0]?.paid?.audioUrl ?? shares.urlOf(parts[0]) };
    } catch (error) {
      const cost = synthesisOf(made, facts).end();
      const { aborted, reason } = orders.signal;
      // After a cancellation without a UserError, nobody reads the cost.
      if (aborted && !(reason instanceof UserError)) throw reason;
      throw new DeliveryError(undefined, await cost, aborted ? reason : error);
    }
  }

  /** If making a file from paid audio fails with a UserError, the requester learns the cost of the audio. */
  async function paid<Made>({ creditsUsed: credits, requestId }: SpeechFacts, making: Promise<Made>): Promise<Made> {
    return making.catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      const cost: Cost = credits > 0 ? { kind: 'used', credits, requestId } : { kind: 'none' };
      throw new DeliveryError(undefined, cost, error);
    });
  }

  /** Uses a clip that members already heard, so no audio is made even if the cache no longer has the audio. */
  function withoutMaking(request: SpeechRequest, clip: Clip, { guildId, userId }: SynthesisOptions) {
    const parts = partsOf(request, 'listener');
    void spending.cached({ guildId, userId });
    return { clip, parts, facts: factsOf([]), url: shares.urlOf(parts[0]) };
  }

  /** Downloads the audio file as the speech service made it; undefined if it is gone, too large or invalid. */
  async function original(url: URL | undefined, maxBytes: number, signal: AbortSignal) {
    if (!url) return undefined;
    try {
      const file = await pipeline.fetchFile(url, { maxBytes, signal });
      return file.bytes.length > maxBytes ? undefined : { bytes: file.bytes, extension: file.format };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AudioError || error instanceof RangeError) return undefined;
      throw error;
    }
  }

  return {
    render(request: SpeechRequest, orders: RenderOptions): Synthesis {
      const { made, facts } = make(request, orders, 'listener');
      return synthesisOf(made, facts);
    },
    /**
     * Returns the service's own file if it has up to `maxBytes`, otherwise Ogg Opus. Rejects with a DeliveryError that
     * has the cost. If the signal aborts with anything but a UserError, rejects with the signal's reason.
     */
    async file(request: SpeechRequest, orders: FileOptions) {
      const { clip, parts, facts, url } = orders.heard
        ? withoutMaking(request, orders.heard, orders)
        : await whole(request, orders);
      const source = parts.length === 1 ? await paid(facts, original(url, orders.maxBytes, orders.signal)) : undefined;
      if (source) return { ...source, facts };
      return { bytes: oggOpusFile(clip.packets), extension: 'ogg' as const, facts };
    },
    /** Makes Ogg Opus, 48 kHz, mono, with up to 256 loudness values from 0 to 255. Rejects like file(). */
    async voiceMessage(request: SpeechRequest, orders: SynthesisOptions) {
      const { clip, facts } = await whole(request, orders);
      const waveform = await paid(facts, waveformOf(clip.packets, orders.signal));
      return { bytes: oggOpusFile(clip.packets), durationMs: clip.durationMs, waveform, facts };
    },
    /**
     * Finds out for each part if its audio is cached, may have been billed to an earlier process, or must be bought.
     * Makes no audio. Called before a question about the cost, and for texts restored after a restart.
     */
    recall: (request: SpeechRequest, purpose: Purpose = 'listener') =>
      Promise.all(partsOf(request, purpose).map(shares.recall)),
    /** The texts that would be billed for each part if nothing were cached. */
    billedTexts: (request: SpeechRequest, purpose: Purpose) => partsOf(request, purpose).map(billedText),
    spokenMs: pace.spokenMs,
    /** Loads the loudness meter once people are in a voice channel: the first long text would otherwise wait for it. */
    warmUp: warmUpPacketMeter,
    /** Resolves when no audio is being made. A sent request is finished in any case, because it is billed. */
    finished: shares.finished,
    close: () => shares.close(new Error('Crier is being stopped'), LAST_BILLS_MS),
  };
}

function makeWhole(request: SpeechRequest, shares: Shares, orders: RenderOptions & { readonly purpose: Purpose }) {
  const { guildId, userId, purpose, signal, onProgress } = orders;
  const giveUp = new AbortController();
  let isAnnounced = false;
  const announce = () => {
    if (isAnnounced) return;
    isAnnounced = true;
    onProgress?.({ kind: 'speaking', part: 1, parts: 1 });
  };
  const making = { kind: 'synthesizing', part: 1, parts: 1 } as const;
  onProgress?.(making);
  const order = { request, payer: { guildId, userId }, purpose, utterance: undefined, following: [] };
  const share = shares.ask(order, {
    onBusy: (busyForMs) => onProgress?.({ ...making, busyForMs }),
    onBillAwaited: () => onProgress?.({ ...making, kind: 'ending' }),
    signal: AbortSignal.any([signal, giveUp.signal]),
    onPlayed: onProgress && announce,
  });
  return { clip: share.clip, shares: [share], stop: (reason: unknown) => giveUp.abort(reason) };
}

function synthesisOf({ clip, shares, stop }: ReturnType<typeof makeInParts>, facts: () => SpeechFacts) {
  return {
    /**
     * Rejects with a SpeechError, an AudioError, a UserError or the signal's reason. If a later part fails, the clip
     * fails with a PartError after the earlier parts.
     */
    clip,
    facts,
    /** Resolves with the cost when no request is running any more: 'unknown' if that takes longer than 8 s. */
    async end(): Promise<Cost> {
      stop(new DOMException('It is no longer wanted', 'AbortError'));
      return totalOf(await Promise.all(shares.map((share) => share.end())));
    },
  };
}

function totalOf(costs: readonly Cost[]): Cost {
  const used = costs.filter((cost) => cost.kind === 'used');
  const isUncertain = costs.some(({ kind }) => kind === 'unknown');
  if (used.length === 0) return isUncertain ? { kind: 'unknown' } : { kind: 'none' };
  return {
    kind: 'used',
    credits: used.reduce((sum, { credits }) => sum + credits, 0),
    requestId: used.at(-1)?.requestId,
    mayBeMore: isUncertain || undefined,
  };
}

function factsOf(shares: readonly Share[]) {
  const paid = shares.flatMap((share) => share.paid ?? []);
  const last = paid.at(-1);
  const speakers = shares
    .flatMap(({ speaker }) => speaker ?? [])
    .filter(
      (one, index, all) => all.findIndex(({ asked, heard }) => asked === one.asked && heard === one.heard) === index,
    );
  const characters = paid.map(({ inputCharacters }) => inputCharacters).filter((value) => value !== undefined);
  return {
    /** Total credits of the parts bought for the requester; 0 if all parts were cached. */
    creditsUsed: paid.reduce((sum, { creditsUsed }) => sum + creditsUsed, 0),
    /** True if the text was stopped during a request, or a bill was implausible: the real cost may be higher. */
    mayBeMore: paid.some(({ mayBeMore }) => mayBeMore) || undefined,
    /**
     * The account's last balance that the speech service reported; undefined if the service was not asked. Parts of a
     * text are requested together, so answers may arrive in any order; the smallest balance is the latest.
     */
    creditsRemaining: last && Math.min(...paid.map(({ creditsRemaining }) => creditsRemaining)),
    /** The rest of the requester's own spending limit after the bill; undefined without a limit or a purchase. */
    ownLeft: paid.flatMap(({ ownLeft }) => ownLeft ?? []).sort((one, other) => one.left - other.left)[0],
    /** Billed characters of the text's parts that were bought for the requester. */
    inputCharacters: characters.length > 0 ? characters.reduce((sum, value) => sum + value, 0) : undefined,
    /** The model of the last part of a text that was bought for the requester. */
    model: last?.model,
    requestId: last?.requestId,
    /** True if nothing was bought for the requester: all parts were cached, or paid by other requesters. */
    cached: paid.length === 0,
    /** Each requested voice with the voice that spoke, once, in order; undefined if none was replaced. */
    speakers: speakers.some(({ asked, heard }) => heard !== asked) ? speakers : undefined,
  };
}
