import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

export interface Percentiles {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

const PER_MS = 10;
const LONGEST_MS = 60 * 60_000;

/** Durations by kind, to a thousandth: finer than the buckets that Prometheus is given. */
export function createDurations<Kind extends string>() {
  /** In tenths of a millisecond. */
  const kinds = new Map<Kind, { readonly histogram: RecordableHistogram; longestMs: number }>();

  function start(kind: Kind) {
    const histogram = createHistogram({ lowest: 1, highest: LONGEST_MS * PER_MS, figures: 3 });
    const started = { histogram, longestMs: 0 };
    kinds.set(kind, started);
    return started;
  }

  function percentilesOf(kind: Kind): Percentiles {
    const { histogram, longestMs } = kinds.get(kind) ?? start(kind);
    // A histogram names the upper edge of a thousandth, which may be longer than every duration there was.
    const at = (percentile: number) => Math.min(histogram.percentile(percentile) / PER_MS, longestMs);
    return { count: histogram.count, p50Ms: at(50), p95Ms: at(95), p99Ms: at(99), longestMs };
  }

  return {
    record(kind: Kind, ms: number): void {
      const all = kinds.get(kind) ?? start(kind);
      all.longestMs = Math.max(all.longestMs, ms);
      all.histogram.record(Math.max(1, Math.round(Math.min(ms, LONGEST_MS) * PER_MS)));
    },
    /** Kinds that never happened are absent. */
    percentiles: () =>
      Object.fromEntries([...kinds.keys()].map((kind) => [kind, percentilesOf(kind)])) as Partial<
        Record<Kind, Percentiles>
      >,
  };
}
