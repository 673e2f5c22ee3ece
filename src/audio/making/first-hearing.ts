import { setTimeout as sleep } from 'node:timers/promises';
import type { Pcm, PcmStream } from './decoding/pcm.ts';
import { createLoudnessMeter, type Loudness, type LoudnessMeter } from './loudness-meter.ts';

/** Enough to know how loud a voice is, pauses included. */
const HEARD_SECONDS = 1.5;
/** A file is there by then; a sound that is still being spoken goes out as it comes. */
const WAIT_MS = 60;

/**
 * The same audio, whose beginning is listened to before any of it goes on: the first clip of a voice is then as loud as its
 * later ones. `onHeard` is called once, before the first piece, unless too little came in time.
 */
export async function* hearFirst(pcm: PcmStream, onHeard: (loudness: Loudness) => void): PcmStream {
  const source = pcm[Symbol.asyncIterator]();
  const timer = new AbortController();
  const held: Pcm[] = [];
  let meter: LoudnessMeter | undefined;
  let seconds = 0;
  let next = source.next();
  // What fails is told after all that came before it, to a reader who is still there.
  let arrival = next.catch(() => undefined);
  const late = sleep(WAIT_MS, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    while (seconds < HEARD_SECONDS) {
      const arrived = await Promise.race([arrival, late]);
      if (!arrived || arrived.done) break;
      const { samples, sampleRateHz } = arrived.value;
      held.push(arrived.value);
      meter ??= createLoudnessMeter(sampleRateHz);
      meter.push(samples);
      seconds += samples.length / sampleRateHz;
      next = source.next();
      arrival = next.catch(() => undefined);
    }
    const loudness = meter?.loudness();
    if (loudness) onHeard(loudness);
    yield* held;
    for (let piece = await next; !piece.done; piece = await source.next()) yield piece.value;
  } finally {
    timer.abort();
    // Not waited for: a piece may be on its way still, until the source's own deadline.
    source.return?.(undefined).catch(() => undefined);
  }
}
