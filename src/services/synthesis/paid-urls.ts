/** Where the service put something that was paid for: it can be fetched from there again for nothing. */
export interface PaidSource {
  readonly url: URL;
  /** All of it came from there once: an address that has something else now had it before. */
  readonly hasArrived: boolean;
}

/** What was paid for a short while ago. */
export interface PaidSources {
  of(key: string): PaidSource | undefined;
  remember(key: string, url: URL): void;
  /** All of it came. */
  arrived(key: string): void;
  forget(key: string): void;
}

/** A few hundred bytes each. */
const MAX_SOURCES = 500;
/**
 * As long as what was spoken can be saved or spoken again (queue-recent.ts). How long its address is good for, no service
 * says; an older one is rather paid for again than counted on, by the limits too.
 */
const KEPT_MS = 15 * 60_000;

export function createPaidSources(): PaidSources {
  /** The oldest first. */
  const sources = new Map<string, PaidSource & { readonly untilMs: number }>();

  function dropOld(): void {
    const nowMs = performance.now();
    for (const [key, { untilMs }] of sources) {
      if (sources.size <= MAX_SOURCES && untilMs > nowMs) return;
      sources.delete(key);
    }
  }

  return {
    of(key) {
      dropOld();
      return sources.get(key);
    },
    remember(key, url) {
      sources.delete(key);
      sources.set(key, { url, hasArrived: false, untilMs: performance.now() + KEPT_MS });
      dropOld();
    },
    arrived(key) {
      const source = sources.get(key);
      // Its place in the order, and so its age, stays.
      if (source) sources.set(key, { ...source, hasArrived: true });
    },
    forget: (key) => void sources.delete(key),
  };
}
