/** At most so many uses in so many milliseconds. */
export interface CooldownLimit {
  readonly uses: number;
  readonly perMs: number;
}

export interface Cooldowns {
  /** Counts one use, or says in how many milliseconds the next one is free. */
  take(key: string, limit: CooldownLimit): number;
}

/** What is over is forgotten when this many keys are remembered, and then each time they have become twice as many. */
const REMEMBERED = 10_000;

interface Uses {
  readonly atMs: readonly number[];
  /** When the latest of them no longer counts. Limits differ from key to key. */
  readonly untilMs: number;
}

export function createCooldowns(now: () => number = Date.now): Cooldowns {
  const uses = new Map<string, Uses>();
  let enough = REMEMBERED;

  function forgetOver(): void {
    if (uses.size <= enough) return;
    for (const [key, { untilMs }] of uses) if (untilMs <= now()) uses.delete(key);
    enough = Math.max(REMEMBERED, 2 * uses.size);
  }

  return {
    take(key, limit) {
      const recent = (uses.get(key)?.atMs ?? []).filter((atMs) => atMs > now() - limit.perMs);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= limit.uses) return oldest + limit.perMs - now();
      uses.set(key, { atMs: [...recent, now()], untilMs: now() + limit.perMs });
      forgetOver();
      return 0;
    },
  };
}
