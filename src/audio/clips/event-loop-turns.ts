/**
 * Lets long computations take turns with each other and with everything else in the process: one slice of one of them
 * per round of the event loop, so that timers (the packets of other servers) run between any two slices.
 */
export function createEventLoopTurns() {
  const waiting: { readonly rank: number; readonly resolve: () => void }[] = [];

  function grant(): void {
    waiting.shift()?.resolve();
    if (waiting.length > 0) setImmediate(grant);
  }

  return {
    /** Resolves when it is the caller's turn: those of the lowest rank first, and of one rank in the order they asked. */
    next(rank = 0): Promise<void> {
      return new Promise((resolve) => {
        const later = waiting.findIndex((one) => one.rank > rank);
        waiting.splice(later < 0 ? waiting.length : later, 0, { rank, resolve });
        if (waiting.length === 1) setImmediate(grant);
      });
    },
  };
}

export type EventLoopTurns = ReturnType<typeof createEventLoopTurns>;
