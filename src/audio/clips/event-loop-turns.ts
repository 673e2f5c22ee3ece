/**
 * Lets long computations take turns with each other and with everything else in the process: one slice of one of them
 * per round of the event loop, so that timers (the packets of other servers) run between any two slices.
 */
export function createEventLoopTurns() {
  const waiting: (() => void)[] = [];

  function grant(): void {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(grant);
  }

  return {
    /** Resolves when it is the caller's turn; callers come round in the order they asked. */
    next(): Promise<void> {
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 1) setImmediate(grant);
      });
    },
  };
}

export type EventLoopTurns = ReturnType<typeof createEventLoopTurns>;
