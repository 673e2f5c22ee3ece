/**
 * Lets long computations take turns with each other and with everything else in the process. Each round of the event
 * loop runs one slice of one computation: timers, which send other servers' packets, run in between.
 */
export function createEventLoopTurns() {
  const waiting: { readonly rank: number; readonly resolve: () => void }[] = [];

  function grant(): void {
    waiting.shift()?.resolve();
    if (waiting.length > 0) setImmediate(grant);
  }

  return {
    /**
     * Resolves when a long computation may run its next slice. Lower ranks come first; computations of the same rank
     * come in the order of their calls.
     */
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
