import { createEventLoopTurns } from '../../audio/clips/event-loop-turns.ts';

/** Called between two steps of long work: resolves at once, or after everybody else's turn where a slice is over. */
export type Pause = () => Promise<void>;

/** Work on texts gets so much of each round of the event loop, which paces the packets of all servers. */
const SLICE_MS = 3;

/** All work on texts takes turns: one slice of one of them a round. */
const turns = createEventLoopTurns();

/** For one piece of work. Its first pause waits for its turn. */
export function inSlices(): Pause {
  let endsAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() < endsAtMs) return;
    await turns.next();
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
