/**
 * Spreads long computations over the rounds of the event loop, one slice in each round. Timers run in between, so that
 * voice packets are sent on time.
 */
export function createEventLoopTurns() {
  const waiting: { readonly rank: number; readonly resolve: () => void }[] = [];

  function grant(): void {
    waiting.shift()?.resolve();
    if (waiting.length > 0) setImmediate(grant);
  }

  return {
    /**
     * Resolves when the caller may run the next slice of its long computation. Lower ranks go first; callers of the
     * same rank go in the order of their calls.
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
