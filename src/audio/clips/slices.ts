/**
 * Long computations share the event loop in slices of `sliceMs`, so that timers send voice packets on time. In each
 * round of the event loop, one computation gets a slice. The first slice also waits for its round.
 */
export function createSlices(sliceMs: number) {
  const waiting: { readonly rank: number; readonly resolve: () => void }[] = [];

  function grant(): void {
    waiting.shift()?.resolve();
    if (waiting.length > 0) setImmediate(grant);
  }

  function nextRound(rank: number): Promise<void> {
    return new Promise((resolve) => {
      const later = waiting.findIndex((one) => one.rank > rank);
      waiting.splice(later < 0 ? waiting.length : later, 0, { rank, resolve });
      if (waiting.length === 1) setImmediate(grant);
    });
  }

  /** Begins a computation. Those with a lower rank get their slices first. */
  return (rank = 0) => {
    let endsAtMs = Number.NEGATIVE_INFINITY;
    /** Resolves at once while the slice lasts, otherwise in a later round of the event loop. */
    return async (): Promise<void> => {
      if (performance.now() < endsAtMs) return;
      await nextRound(rank);
      endsAtMs = performance.now() + sliceMs;
    };
  };
}

/** Audio work pauses for other work after 1 ms: more would delay other servers' packets. Encoding one takes about 0.1 ms. */
export const inAudioSlices = createSlices(1);
