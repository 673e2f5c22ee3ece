/** How old messages are, by Discord's own times and the time between them: the host's clock may be wrong. */
interface Ages {
  /** A message from this time, by Discord's clock, has come in. */
  cameIn(atMs: number): void;
  /** How old a message from this time is by now. */
  ageMs(atMs: number): number;
}

/** Faster than any clock drifts away from another, and too slow to matter in a break of the connection. */
const DRIFT = 1 / 1000;

/**
 * What comes in has taken some time on its way, seldom much: by what came in fastest is known how far the clock here is
 * ahead of Discord's. `now` only has to run evenly.
 */
export function createAges(now: () => number): Ages {
  let known: { readonly aheadMs: number; readonly atMs: number } | undefined;

  const aheadMs = () => (known ? known.aheadMs + (now() - known.atMs) * DRIFT : Number.POSITIVE_INFINITY);

  return {
    cameIn(atMs) {
      known = { aheadMs: Math.min(aheadMs(), now() - atMs), atMs: now() };
    },
    ageMs: (atMs) => Math.max(0, now() - atMs - aheadMs()),
  };
}
