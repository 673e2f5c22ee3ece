import { createEventLoopTurns } from '../../audio/clips/event-loop-turns.ts';

/**
 * Must be awaited between two steps of long work on texts. Resolves at once while the work's time slice lasts,
 * otherwise in a later round of the event loop, so that other work can run.
 */
export type Pause = () => Promise<void>;

/** The milliseconds for work on texts in each round of the event loop, which also paces the packets of all servers. */
const SLICE_MS = 2;

/** Each round of the event loop has one time slice for work on texts, which one text uses alone. */
const turns = createEventLoopTurns();
let begun = 0;

/**
 * Each piece of long work on a text gets its own function, and awaits it between steps. Earlier work gets its time
 * slice first, so that a short text never overtakes an earlier long text.
 */
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

export async function stepByStep<Result>(steps: Generator<void, Result>, pause: Pause): Promise<Result> {
  for (;;) {
    await pause();
    const step = steps.next();
    if (step.done) return step.value;
  }
}
