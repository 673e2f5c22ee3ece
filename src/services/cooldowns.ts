/** At most so many uses in so many milliseconds. */
export interface CooldownLimit {
  readonly uses: number;
  readonly perMs: number;
}

export interface Cooldowns {
  /** Counts one use, or says in how many milliseconds the next one is free. */
  take(key: string, limit: CooldownLimit): number;
}

/** Uses older than any cooldown are forgotten as soon as this many members are remembered. */
const REMEMBERED = 10_000;

export function createCooldowns(now: () => number = Date.now): Cooldowns {
  const uses = new Map<string, readonly number[]>();

  function forgetOld(perMs: number): void {
    if (uses.size <= REMEMBERED) return;
    for (const [key, times] of uses) {
      if ((times.at(-1) ?? 0) <= now() - perMs) uses.delete(key);
    }
  }

  return {
    take(key, limit) {
      const recent = (uses.get(key) ?? []).filter((time) => time > now() - limit.perMs);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= limit.uses) return oldest + limit.perMs - now();
      uses.set(key, [...recent, now()]);
      forgetOld(limit.perMs);
      return 0;
    },
  };
}
