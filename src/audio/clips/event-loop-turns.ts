/** Long computations share the event loop in slices, so that timers send voice packets on time. */
export function createEventLoopTurns() {
  const waiting: { readonly rank: number; readonly resolve: () => void }[] = [];

  function grant(): void {
    waiting.shift()?.resolve();
    if (waiting.length > 0) setImmediate(grant);
  }

  return {
    /** Resolves when the caller may run its next slice. Lower ranks go first. */
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
