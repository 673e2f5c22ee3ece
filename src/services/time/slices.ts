import { createEventLoopTurns } from '../../audio/clips/event-loop-turns.ts';

/** Resolves at once while the work's time slice lasts, otherwise in a later round of the event loop. */
export type Pause = () => Promise<void>;

/** The milliseconds for work on texts in each round of the event loop, which also paces the packets of all servers. */
const SLICE_MS = 2;

/** Each round of the event loop has one time slice for work on texts, which one text uses alone. */
const turns = createEventLoopTurns();
let begun = 0;

/** Each piece of work gets its own function. Earlier work goes first: a short text never overtakes a long one. */
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
