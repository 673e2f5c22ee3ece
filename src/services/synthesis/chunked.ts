import { AudioError } from '../../audio/audio-error.ts';
import type { Clip } from '../../audio/clips/clip.ts';
import { PACKET_MS } from '../../audio/clips/clip.ts';
import { createJoinedClip } from '../../audio/clips/joined-clip.ts';
import { PartError } from '../../errors/user-errors.ts';
import type { Part, Purpose, SpeechPace } from './parts.ts';
import type { Share, Shares } from './shares.ts';
import type { SynthesisOptions } from './synthesis-types.ts';

/** What came of a text so far: one share a part that was asked for. */
export interface OngoingSynthesis {
  readonly clip: Promise<Clip>;
  readonly shares: readonly Share[];
  /** Asks for nothing more and gives up what is being made. */
  stop(reason: unknown): void;
}

interface InPartsOptions extends SynthesisOptions {
  readonly shares: Shares;
  readonly pace: SpeechPace;
  /** 'listener': as far ahead as listening needs it; 'file': without a break. */
  readonly aheadOf: Purpose;
  readonly maxDurationMs: number;
  /** Runs with the listeners' wait for each later part, after the end of the part before. */
  readonly onPartAudio: (ms: number) => void;
}

/** What the estimates may be wrong by without a gap that is heard. */
const MARGIN_MS = 500;
/** For a file, this many parts are requested ahead of the current one. */
const FILE_PARTS_AT_ONCE = 2;

/**
 * A text part by part, joined into one clip. A part is asked for when the one before it starts to play; earlier only when
 * the sound until then is shorter than making it takes. What is stopped is thus never paid for beyond the next part.
 */
export function makeInParts(parts: readonly Part[], options: InPartsOptions): OngoingSynthesis {
  const { pace, aheadOf, maxDurationMs, signal, onProgress, onPartAudio, guildId, userId } = options;
  const count = parts.length;
  const first = Promise.withResolvers<Clip>();
  const shares: Share[] = [];
  const asked = parts.map(() => Promise.withResolvers<Share>());
  /** Parts whose sound is coming. */
  let begun = 0;
  /** Parts whose whole sound is in the joined clip. */
  let done = 0;
  let announced = 0;
  let lastPlayedAtMs = 0;
  let stopped = false;
  const giveUp = new AbortController();
  const joined = createJoinedClip({
    limit: { durationMs: maxDurationMs, error: () => new AudioError('endless', 'The parts have more sound than text') },
    onPlayed() {
      const nowMs = performance.now();
      announce(nowMs);
      lastPlayedAtMs = nowMs;
      advance();
    },
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
    // The first one that is paid for answers for the others: its limits are those of all of them.
    if (index > begun && !isPaidFor()) return false;
    if (aheadOf === 'file') return index - done < FILE_PARTS_AT_ONCE;
    const startOfPrevious = joined.starts[index - 1];
    if (startOfPrevious !== undefined && joined.played > startOfPrevious) return true;
    const { request } = parts[index] as Part;
    return soundAheadMs(index) < pace.expectedMs(request) + MARGIN_MS;
  }

  /** What is still to be heard of the parts before this one, all of which have been asked for; partly estimated. */
  function soundAheadMs(index: number): number {
    let ahead = joined.clip.durationMs - joined.played * PACKET_MS;
    for (let part = done; part < index; part++) {
      const { request } = parts[part] as Part;
      const start = joined.starts[part];
      const madeMs = start === undefined ? 0 : joined.clip.durationMs - start * PACKET_MS;
      ahead += Math.max(0, pace.spokenMs(request) - madeMs);
    }
    return ahead;
  }

  const isPaidFor = () => shares.some(({ paid }) => paid !== undefined);

  function ask(index: number): void {
    const { request } = parts[index] as Part;
    const making = { kind: 'synthesizing', part: index + 1, parts: count, isBilled: isPaidFor() } as const;
    onProgress?.(making);
    // Once some of it is paid for, it goes on for as long as the limits allow.
    const following = isPaidFor() ? [] : parts.slice(index + 1).map((part) => part.request);
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
    for (const [index, { pauseAfterMs }] of parts.entries()) {
      try {
        const share = await (asked[index] as PromiseWithResolvers<Share>).promise;
        const part = await share.clip;
        first.resolve(joined.clip);
        begun = index + 1;
        advance();
        await joined.append(part, { pauseAfterMs });
      } catch (error) {
        // Known before the first sound: there is nothing it could be a part of.
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
    signal?.removeEventListener('abort', onAbort);
    joined.clip.cancel('It is no longer wanted');
    first.reject(reason);
    for (const { promise, reject } of asked) {
      promise.catch(() => undefined);
      reject(reason);
    }
    giveUp.abort(reason);
  }

  const onAbort = () => stop(signal?.reason);
  first.promise.catch(() => undefined);
  joined.canceled.addEventListener('abort', () => stop(joined.canceled.reason), { once: true });
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  advance();
  void join();
  return { clip: first.promise, shares, stop };
}
