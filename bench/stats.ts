/** The nearest-rank percentile: `share` (0..1) of the values are not larger. NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** The median of a figure that each run has. */
export const medianOf = <Figure extends string>(runs: readonly Readonly<Record<Figure, number>>[], figure: Figure) =>
  median(runs.map((run) => run[figure]));

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}
