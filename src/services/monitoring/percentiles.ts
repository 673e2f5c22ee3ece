import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

export interface Percentiles {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** Metrics by name, with their labels: `{ 'crier_clips_total{outcome=finished}': 3 }`. */
type MetricValues = Readonly<Record<string, number | Percentiles>>;

type Labels = Readonly<Record<string, string | number>>;
type Snapshot = MetricObjectWithValues<MetricValue<string>>;

/** The durations of one metric with one set of labels. */
interface Series {
  readonly name: string;
  readonly labels: Labels;
  /** In tenths of a millisecond. */
  readonly histogram: RecordableHistogram;
  longestMs: number;
}

const PER_MS = 10;
const LONGEST_MS = 60 * 60_000;

/** Durations by series, to a thousandth: finer than the buckets that Prometheus is given. */
export function createDurations() {
  const all = new Map<string, Series>();
  const start = (name: string, labels: Labels): Series => {
    const histogram = createHistogram({ lowest: 1, highest: LONGEST_MS * PER_MS, figures: 3 });
    const series = { name, labels, histogram, longestMs: 0 };
    all.set(seriesOf(name, labels), series);
    return series;
  };
  return {
    record(name: string, labels: Labels, ms: number): void {
      const series = all.get(seriesOf(name, labels)) ?? start(name, labels);
      series.longestMs = Math.max(series.longestMs, ms);
      series.histogram.record(Math.max(1, Math.round(Math.min(ms, LONGEST_MS) * PER_MS)));
    },
    /** Of each series of this name that holds anything. */
    percentiles: (name: string) =>
      [...all.values()]
        .filter((series) => series.name === name)
        .map((series) => [series.labels, percentilesOf(series)] as const),
  };
}

function percentilesOf({ histogram, longestMs }: Series): Percentiles {
  // A histogram names the upper edge of a thousandth, which may be longer than every duration there was.
  const at = (percentile: number) => Math.min(histogram.percentile(percentile) / PER_MS, longestMs);
  return { count: histogram.count, p50Ms: at(50), p95Ms: at(95), p99Ms: at(99), longestMs };
}

type Durations = ReturnType<typeof createDurations>;

/** Metrics of the process that are worth a line in a log; the rest is for Prometheus. */
const OF_THE_PROCESS = new Set([
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_eventloop_lag_max_seconds',
]);

/** The bot's own metrics and the most telling ones of its process. Those that are zero or unknown are left out. */
export function flatten(snapshots: readonly Snapshot[], durations: Durations): MetricValues {
  return Object.fromEntries(snapshots.flatMap((snapshot) => entriesOf(snapshot, durations)));
}

function entriesOf(snapshot: Snapshot, durations: Durations): (readonly [string, number | Percentiles])[] {
  const { name, values } = snapshot;
  if (!name.startsWith('crier_') && !OF_THE_PROCESS.has(name)) return [];
  if (isHistogram(snapshot)) {
    return durations.percentiles(name).map(([labels, found]) => [seriesOf(name, labels), found] as const);
  }
  return values.flatMap(({ labels, value }) =>
    value === 0 || Number.isNaN(value) ? [] : [[seriesOf(name, labels as Labels), value] as const],
  );
}

/** prom-client types a histogram's type as the enum it exports for it and gives it as this word. */
const isHistogram = ({ type }: Snapshot): boolean => String(type) === 'histogram';

function seriesOf(name: string, labels: Labels): string {
  const shown = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  return shown.length === 0 ? name : `${name}{${shown.join(',')}}`;
}
