import { createEventLoopTurns } from '../../audio/clips/event-loop-turns.ts';

/**
 * Called between two steps of long work on texts. Resolves at once within the work's time slice. After the slice,
 * resolves in a later round of the event loop.
 */
export type Pause = () => Promise<void>;

/** The milliseconds for work on texts in each round of the event loop, which also paces the packets of all servers. */
const SLICE_MS = 2;

/** All work on texts takes turns: one slice per round of the event loop. */
const turns = createEventLoopTurns();
let begun = 0;

/**
 * Creates the function that one piece of long work on a text awaits between its steps, so that other work can run. Its
 * first call waits for its turn: earlier work comes first, or else a short text would overtake an earlier long text.
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
