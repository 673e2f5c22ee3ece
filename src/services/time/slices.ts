import { createEventLoopTurns } from '../../audio/clips/event-loop-turns.ts';

/** Called between two steps of long work: resolves at once, or in another round of the event loop where a slice is over. */
export type Pause = () => Promise<void>;

/** The share of texts in each round of the event loop, which also paces the packets of all servers. */
const SLICE_MS = 3;

/** All work on texts takes turns: one slice of one of them a round. */
const turns = createEventLoopTurns();
let begun = 0;

/**
 * For one piece of work. Its first pause waits for its turn. What began first ends first: otherwise a short text would overtake
 * a long one that was asked for before it.
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

/** Goes through the steps of a computation, with a pause before each. */
export async function stepByStep<Result>(steps: Generator<void, Result>, pause: Pause): Promise<Result> {
  for (;;) {
    await pause();
    const step = steps.next();
    if (step.done) return step.value;
  }
}
