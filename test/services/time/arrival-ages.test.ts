import { describe, expect, it } from 'vitest';
import { createAges } from '../../../src/services/time/timers.ts';

const MINUTE_MS = 60_000;
const NOON = Date.UTC(2026, 10, 21, 12);

/** Discord's clock, and one here that is wrong by so much and runs so much too fast. */
function clocks({ wrongByMs = 0, tooFast = 0 } = {}) {
  let passedMs = 0;
  const ages = createAges(() => NOON + wrongByMs + passedMs * (1 + tooFast));
  return {
    passes: (ms: number) => {
      passedMs += ms;
    },
    /** How old a message is when it comes in so long after it was posted. */
    comesIn(afterMs: number) {
      const postedAtMs = NOON + passedMs - afterMs;
      ages.cameIn(postedAtMs);
      return Math.round(ages.ageMs(postedAtMs));
    },
  };
}

describe('the age of a message', () => {
  it.each([0, -3 * MINUTE_MS, 3 * MINUTE_MS, -NOON])(
    'does not depend on the host’s clock: wrong by %d ms',
    (wrongByMs) => {
      const { comesIn, passes } = clocks({ wrongByMs });
      expect(comesIn(100)).toBe(0);
      passes(10 * MINUTE_MS);
      expect(comesIn(100)).toBeLessThan(1_000);
      // What a resumed session replays.
      expect(comesIn(5 * MINUTE_MS)).toBeGreaterThan(4.9 * MINUTE_MS);
      expect(comesIn(MINUTE_MS)).toBeLessThan(1.1 * MINUTE_MS);
      expect(comesIn(100)).toBeLessThan(1_000);
    },
  );

  it('grows while it waits', () => {
    let now = 0;
    const ages = createAges(() => now);
    ages.cameIn(NOON);
    now = MINUTE_MS;
    expect(ages.ageMs(NOON)).toBeGreaterThan(0.99 * MINUTE_MS);
  });

  it.each([-0.0005, 0.0005])('is right after months with a clock that drifts by %d', (tooFast) => {
    const { comesIn, passes } = clocks({ tooFast });
    for (let hours = 0; hours < 2_000; hours += 1) {
      expect(comesIn(200)).toBeLessThan(10_000);
      passes(60 * MINUTE_MS);
    }
    expect(comesIn(5 * MINUTE_MS)).toBeGreaterThan(4.9 * MINUTE_MS);
  });
});
