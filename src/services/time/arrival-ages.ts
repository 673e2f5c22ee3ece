/**
 * How much the offset between the host's and Discord's clock may grow, in milliseconds per millisecond. More than
 * clocks drift, but too little to matter during an interrupted connection.
 */
const DRIFT = 1 / 1000;

/**
 * Computes how old Discord's messages or interactions are, although the host's clock may be wrong. Most events arrive
 * quickly, so the fastest arrival shows the offset between both clocks. `now` is a monotonic clock.
 */
export function createAges(now: () => number) {
  let known: { readonly aheadMs: number; readonly atMs: number } | undefined;

  const aheadMs = () => (known ? known.aheadMs + (now() - known.atMs) * DRIFT : Number.POSITIVE_INFINITY);

  return {
    /** Must be called when an event with a timestamp by Discord's clock arrives. */
    cameIn(atMs: number): void {
      known = { aheadMs: Math.min(aheadMs(), now() - atMs), atMs: now() };
    },
    ageMs: (atMs: number): number => Math.max(0, now() - atMs - aheadMs()),
  };
}
