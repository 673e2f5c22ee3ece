/** Faster than clocks drift apart, and too slow to matter during an interrupted connection. */
const DRIFT = 1 / 1000;

/**
 * How old messages, or interactions, are, by Discord's own times and the time between them: the host's clock may be wrong.
 * They take some time to arrive, mostly little: the fastest arrival shows the offset between this host's clock and
 * Discord's. `now` is a monotonic clock.
 */
export function createAges(now: () => number) {
  let known: { readonly aheadMs: number; readonly atMs: number } | undefined;

  const aheadMs = () => (known ? known.aheadMs + (now() - known.atMs) * DRIFT : Number.POSITIVE_INFINITY);

  return {
    /** An event with this time, by Discord's clock, has arrived. */
    cameIn(atMs: number): void {
      known = { aheadMs: Math.min(aheadMs(), now() - atMs), atMs: now() };
    },
    /** The present age of one with this time. */
    ageMs: (atMs: number): number => Math.max(0, now() - atMs - aheadMs()),
  };
}
