import { createEventLoopTurns } from '../../audio/clips/event-loop-turns.ts';

/** Resolves at once while the work's time slice lasts, otherwise in a later round of the event loop. */
export type Pause = () => Promise<void>;

/** Milliseconds for work on texts in each round of the event loop. More would delay the voice packets of all Discord servers. */
const SLICE_MS = 2;

/** In each round of the event loop, a single text gets the time slice; other texts wait for a later round. */
const turns = createEventLoopTurns();
let begun = 0;

/** Returns the `Pause` of a piece of work. Work that began earlier gets time slices first, even if it takes longer. */
export function inSlices(): Pause {
  begun += 1;
  const rank = begun;
  let endsAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() < endsAtMs) return;
    await turns.next(rank);
    endsAtMs = performance.now() + SLICE_MS;
  };
}
