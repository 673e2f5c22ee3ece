import type { MetricObjectWithValues, MetricValue } from 'prom-client';

export interface Percentiles {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** The shortest and the longest time of a series: what the buckets of a histogram do not keep. */
export interface Extremes {
  readonly shortestMs: number;
  readonly longestMs: number;
}

/** By the name of the series; see seriesOf. */
export type ExtremesBySeries = ReadonlyMap<string, Extremes>;

/** Figures by name, with their labels: `{ 'crier_clips_total{outcome=finished}': 3 }`. */
export type Figures = Readonly<Record<string, number | Percentiles>>;

type Labels = Readonly<Record<string, string | number>>;
type Snapshot = MetricObjectWithValues<MetricValue<string>>;

/** What of the process is worth a line in a log; the rest is for Prometheus. */
const OF_THE_PROCESS = new Set([
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_eventloop_lag_max_seconds',
]);

/** The bot's own figures and the most telling ones of its process. What is zero or unknown is left out. */
export function flatten(snapshots: readonly Snapshot[], extremes: ExtremesBySeries): Figures {
  return Object.fromEntries(snapshots.flatMap((snapshot) => entriesOf(snapshot, extremes)));
}

function entriesOf(snapshot: Snapshot, extremes: ExtremesBySeries): (readonly [string, number | Percentiles])[] {
  const { name, values } = snapshot;
  if (!name.startsWith('crier_') && !OF_THE_PROCESS.has(name)) return [];
  if (isHistogram(snapshot)) {
    return percentilesOf(snapshot, extremes).map(([labels, found]) => [seriesOf(name, labels), found] as const);
  }
  return values.flatMap(({ labels, value }) =>
    value === 0 || Number.isNaN(value) ? [] : [[seriesOf(name, labels as Labels), value] as const],
  );
}

/** prom-client types a histogram's type as the enum it exports for it and gives it as this word. */
const isHistogram = ({ type }: Snapshot): boolean => String(type) === 'histogram';

export function seriesOf(name: string, labels: Labels): string {
  const shown = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  return shown.length === 0 ? name : `${name}{${shown.join(',')}}`;
}

interface Bucket {
  readonly upTo: number;
  /** How many were no larger than that. */
  readonly count: number;
}

/** Percentiles of each of a histogram's series that holds anything. The histogram counts seconds. */
export function percentilesOf(
  histogram: Snapshot,
  extremes: ExtremesBySeries,
): (readonly [labels: Labels, Percentiles])[] {
  const series = new Map<string, { readonly labels: Labels; readonly buckets: Bucket[] }>();
  for (const { labels: all, value } of histogram.values) {
    const { le, ...labels } = all as Labels;
    if (le === undefined) continue;
    const key = seriesOf(histogram.name, labels);
    const found = series.get(key) ?? { labels, buckets: [] };
    series.set(key, found);
    found.buckets.push({ upTo: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), count: value });
  }
  return [...series].flatMap(([name, { labels, buckets }]) => {
    const count = buckets.at(-1)?.count ?? 0;
    const range = extremes.get(name);
    if (count === 0 || !range) return [];
    const at = (quantile: number) => quantileMs(buckets, quantile, range);
    const { longestMs } = range;
    return [[labels, { count, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), longestMs }] as const];
  });
}

/**
 * As histogram_quantile of Prometheus estimates it, evenly spread within a bucket; but of a bucket only the part in which
 * there were any. With few times in wide buckets the rest would give times that never were.
 */
function quantileMs(buckets: readonly Bucket[], quantile: number, { shortestMs, longestMs }: Extremes): number {
  const rank = quantile * (buckets.at(-1)?.count ?? 0);
  let lowerMs = shortestMs;
  let below = 0;
  for (const { upTo, count } of buckets) {
    const upperMs = Math.min(upTo * 1000, longestMs);
    if (count >= rank && count > below) {
      return Math.round((lowerMs + ((rank - below) / (count - below)) * (upperMs - lowerMs)) * 10) / 10;
    }
    lowerMs = Math.max(lowerMs, upperMs);
    below = count;
  }
  return longestMs;
}
