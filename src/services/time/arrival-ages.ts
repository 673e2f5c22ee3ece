/** How fast the clocks may drift apart, in ms per ms: more than real clocks do, but too little to matter. */
const DRIFT = 1 / 1000;

/**
 * Computes how old Discord's events are, although the host's clock may be wrong: the fastest arrival shows the offset
 * between both clocks. `now` is a monotonic clock.
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
