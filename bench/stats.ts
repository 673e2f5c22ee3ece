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
