import { type Clip, PACKET_MS } from '../../audio/clips/clip.ts';
import { createJoinedClip } from '../../audio/clips/joined-clip.ts';
import { PartError } from '../../errors/user-errors.ts';
import type { SpeechRequest } from '../../speech/interface/schemas.ts';
import { type Parts, type Purpose, pauseAfterMs, type RenderOptions, type SpeechPace } from './parts.ts';
import type { Share, Shares } from './shares.ts';

interface InPartsOptions extends RenderOptions {
  readonly shares: Shares;
  readonly pace: SpeechPace;
  /** 'listener' requests parts only as early as playback needs them; 'file' requests two at a time. */
  readonly aheadOf: Purpose;
  readonly maxDurationMs: number;
  /** Called for each part of a text but the first, with the milliseconds that listeners had to wait for it. */
  readonly onPartAudio: (ms: number) => void;
}

/** How much earlier than estimated a part is requested, so that slightly wrong estimates cause no audible gap. */
const MARGIN_MS = 500;
const FILE_PARTS_AT_ONCE = 2;

/**
 * For listeners, a part is requested when the part before it starts to play, or earlier if making the part takes longer than
 * the remaining audio lasts. So if the text is stopped, little unheard audio has been paid for. Each requested part has
 * one share: the part's audio and its cost.
 */
export function makeInParts(parts: Parts, options: InPartsOptions) {
  const { pace, aheadOf, maxDurationMs, signal, onProgress, onPartAudio, guildId, userId } = options;
  const count = parts.length;
  const first = Promise.withResolvers<Clip>();
  const shares: Share[] = [];
  const asked = parts.map(() => Promise.withResolvers<Share>());
  /** The number of the text's parts whose audio has started to arrive. */
  let begun = 0;
  let done = 0;
  let announced = 0;
  let lastPlayedAtMs = 0;
  let stopped = false;
  const giveUp = new AbortController();
  const joined = createJoinedClip(maxDurationMs, () => {
    const nowMs = performance.now();
    announce(nowMs);
    lastPlayedAtMs = nowMs;
    advance();
  });

  function announce(nowMs: number): void {
    while (announced < joined.starts.length && joined.played > (joined.starts[announced] as number)) {
      announced += 1;
      if (announced > 1) onPartAudio(Math.max(0, nowMs - lastPlayedAtMs - PACKET_MS));
      onProgress?.({ kind: 'speaking', part: announced, parts: count, isBilled: isPaidFor() });
    }
  }

  function advance(): void {
    while (!stopped && shares.length < count && isDue(shares.length)) ask(shares.length);
  }

  function isDue(index: number): boolean {
    if (index === 0) return true;
    // The reservation of the first bought part checks the limits for all parts, so the others wait for it.
    if (index > begun && !isPaidFor()) return false;
    if (aheadOf === 'file') return index - done < FILE_PARTS_AT_ONCE;
    const startOfPrevious = joined.starts[index - 1];
    if (startOfPrevious !== undefined && joined.played > startOfPrevious) return true;
    return soundAheadMs(index) < pace.expectedMs(parts[index] as SpeechRequest) + MARGIN_MS;
  }

  /** Milliseconds of audio left to play before the part at `index`, estimated for parts that have not arrived. */
  function soundAheadMs(index: number): number {
    let ahead = joined.clip.durationMs - joined.played * PACKET_MS;
    for (let part = done; part < index; part++) {
      const start = joined.starts[part];
      const madeMs = start === undefined ? 0 : joined.clip.durationMs - start * PACKET_MS;
      ahead += Math.max(0, pace.spokenMs(parts[part] as SpeechRequest) - madeMs);
    }
    return ahead;
  }

  const isPaidFor = () => shares.some(({ paid }) => paid !== undefined);

  function ask(index: number): void {
    const request = parts[index] as SpeechRequest;
    const making = { kind: 'synthesizing', part: index + 1, parts: count, isBilled: isPaidFor() } as const;
    onProgress?.(making);
    // The reservation of the first paid part has checked the limits for all parts.
    const following = isPaidFor() ? [] : parts.slice(index + 1);
    const order = { request, payer: { guildId, userId }, purpose: aheadOf, utterance: parts, following };
    const share = options.shares.ask(order, {
      signal: giveUp.signal,
      onBusy: (busyForMs) => onProgress?.({ ...making, busyForMs }),
      onBillAwaited: () => onProgress?.({ ...making, kind: 'ending' }),
    });
    shares.push(share);
    asked[index]?.resolve(share);
  }

  async function join(): Promise<void> {
    for (const [index, request] of parts.entries()) {
      try {
        const share = await (asked[index] as PromiseWithResolvers<Share>).promise;
        const part = await share.clip;
        first.resolve(joined.clip);
        begun = index + 1;
        advance();
        await joined.append(part, index + 1 < count ? pauseAfterMs(request) : undefined);
      } catch (error) {
        // If the first part fails, no part was heard, so the original error is used instead of a PartError.
        if (index === 0) first.reject(error);
        joined.fail(new PartError(index + 1, count, error));
        stop(error);
        return;
      }
      done = index + 1;
      advance();
    }
    joined.complete();
  }

  function stop(reason: unknown): void {
    if (stopped) return;
    stopped = true;
    signal.removeEventListener('abort', onAbort);
    joined.clip.cancel('It is no longer wanted');
    first.reject(reason);
    for (const { promise, reject } of asked) {
      promise.catch(() => undefined);
      reject(reason);
    }
    giveUp.abort(reason);
  }

  const onAbort = () => stop(signal.reason);
  first.promise.catch(() => undefined);
  joined.canceled.addEventListener('abort', () => stop(joined.canceled.reason), { once: true });
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  advance();
  void join();
  return { clip: first.promise, shares, stop };
}
