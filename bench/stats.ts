/** The value that `share` (0..1) of the values do not exceed, by nearest rank; NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** A percentile of all runs' values, and of each run's: of the few values in one run a p95 would be the largest. */
export function percentileOfRuns(runs: readonly (readonly number[])[], share: number) {
  return { value: percentile(runs.flat(), share), each: runs.map((values) => percentile(values, share)) };
}

/** The middle value, or the mean of the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}

/** Counts of durations in steps of 0.1 ms up to 1 s: millions of them in constant space. */
interface Histogram {
  add(ms: number): void;
  percentile(share: number): number;
  /** Share of values below, and above. */
  below(ms: number): number;
  above(ms: number): number;
  readonly count: number;
  readonly maxMs: number;
  clear(): void;
}

const STEPS_PER_MS = 10;
const STEPS = 1000 * STEPS_PER_MS;

export function createHistogram(): Histogram {
  const counts = new Uint32Array(STEPS + 1);
  let count = 0;
  let maxMs = 0;
  const sum = (from: number, to: number) => {
    let total = 0;
    for (let step = from; step < to; step++) total += counts[step] as number;
    return total;
  };
  return {
    add(ms) {
      const step = Math.min(STEPS, Math.max(0, Math.floor(ms * STEPS_PER_MS)));
      counts[step] = (counts[step] as number) + 1;
      count += 1;
      if (ms > maxMs) maxMs = ms;
    },
    percentile(share) {
      if (count === 0) return Number.NaN;
      let left = Math.max(1, Math.ceil(share * count));
      let step = 0;
      while (step < STEPS && left > (counts[step] as number)) {
        left -= counts[step] as number;
        step += 1;
      }
      return (step + 1) / STEPS_PER_MS;
    },
    below: (ms) => (count === 0 ? 0 : sum(0, Math.round(ms * STEPS_PER_MS)) / count),
    above: (ms) => (count === 0 ? 0 : sum(Math.round(ms * STEPS_PER_MS), STEPS + 1) / count),
    get count() {
      return count;
    },
    get maxMs() {
      return maxMs;
    },
    clear() {
      counts.fill(0);
      count = 0;
      maxMs = 0;
    },
  };
}
