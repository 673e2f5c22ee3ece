/** Where the service put what was paid for last: it can be fetched from there again for nothing. */
export interface PaidSources {
  of(key: string): URL | undefined;
  remember(key: string, url: URL): void;
  forget(key: string): void;
}

/** A few hundred bytes each. */
const SOURCES = 500;

export function createPaidSources(): PaidSources {
  const sources = new Map<string, URL>();
  return {
    of: (key) => sources.get(key),
    remember(key, url) {
      sources.delete(key);
      sources.set(key, url);
      for (const oldest of sources.keys()) {
        if (sources.size <= SOURCES) break;
        sources.delete(oldest);
      }
    },
    forget: (key) => void sources.delete(key),
  };
}
