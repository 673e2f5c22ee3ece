import type { MetricObjectWithValues, MetricValue } from 'prom-client';

export interface Percentiles {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

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
export function flatten(snapshots: readonly Snapshot[]): Figures {
  return Object.fromEntries(snapshots.flatMap(entriesOf));
}

function entriesOf(snapshot: Snapshot): (readonly [string, number | Percentiles])[] {
  const { name, values } = snapshot;
  if (!name.startsWith('crier_') && !OF_THE_PROCESS.has(name)) return [];
  if (isHistogram(snapshot)) {
    return percentilesOf(snapshot).map(([labels, found]) => [`${name}${suffix(labels)}`, found] as const);
  }
  return values.flatMap(({ labels, value }) =>
    value === 0 || Number.isNaN(value) ? [] : [[`${name}${suffix(labels as Labels)}`, value] as const],
  );
}

/** prom-client types a histogram's type as the enum it exports for it and gives it as this word. */
const isHistogram = ({ type }: Snapshot): boolean => String(type) === 'histogram';

function suffix(labels: Labels): string {
  const shown = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return shown.length === 0 ? '' : `{${shown.join(',')}}`;
}

interface Bucket {
  readonly upTo: number;
  /** How many were no larger than that. */
  readonly count: number;
}

/** Percentiles of each of a histogram's series that holds anything. The histogram counts seconds. */
export function percentilesOf(histogram: Snapshot): (readonly [labels: Labels, Percentiles])[] {
  const series = new Map<string, { readonly labels: Labels; readonly buckets: Bucket[] }>();
  for (const { labels: all, value } of histogram.values) {
    const { le, ...labels } = all as Labels;
    if (le === undefined) continue;
    const key = suffix(labels);
    const found = series.get(key) ?? { labels, buckets: [] };
    series.set(key, found);
    found.buckets.push({ upTo: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), count: value });
  }
  return [...series.values()].flatMap(({ labels, buckets }) => {
    const count = buckets.at(-1)?.count ?? 0;
    if (count === 0) return [];
    const at = (quantile: number) => quantileMs(buckets, quantile);
    return [[labels, { count, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }] as const];
  });
}

/** As histogram_quantile of Prometheus estimates it: evenly spread within a bucket, at most the last bound. */
function quantileMs(buckets: readonly Bucket[], quantile: number): number {
  const rank = quantile * (buckets.at(-1)?.count ?? 0);
  let lower = 0;
  let below = 0;
  for (const { upTo, count } of buckets) {
    if (count >= rank && count > below) {
      if (!Number.isFinite(upTo)) break;
      const seconds = lower + ((rank - below) / (count - below)) * (upTo - lower);
      return Math.round(seconds * 10_000) / 10;
    }
    if (Number.isFinite(upTo)) lower = upTo;
    below = count;
  }
  return lower * 1000;
}
