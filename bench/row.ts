import { ask, SINK_CORE } from './child.ts';
import type { LiveRequest, LiveUtterance } from './live-bot.ts';
import { percentileOfRuns } from './stats.ts';

/** A way to do a task: Crier's, or a common alternative. */
export interface Measured {
  way: string;
  /** The table's text for the result, with units. */
  text: string;
  /** All runs in order; their keys contain the units. */
  runs: readonly Readonly<Record<string, number>>[];
}

type Verdict = 'met' | 'missed' | 'void' | 'not measured';

export interface RowResult {
  verdict: Verdict;
  /** Crier compared with the peers; larger is better. Empty if there is no peer. */
  ratios: readonly string[];
  ours: Measured | undefined;
  peers: readonly Measured[];
  /** The method, and the conditions that a reader needs to judge the result. */
  notes: readonly string[];
}

export interface RowContext {
  /** Alternating runs of each way: 5 in a published bench, fewer during development. */
  runs: number;
  /** Scales all counts: 1 in a published bench, smaller during development. */
  scale: number;
}

export interface Row {
  number: number;
  name: string;
  figure: string;
  target: string;
  run(context: RowContext): Promise<RowResult>;
}

/** Runs all ways in turn, `runs` times. Returns each way's results by name. */
export async function alternate<Name extends string, Result>(
  runs: number,
  ways: Readonly<Record<Name, (round: number) => Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(ways) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < runs; round++) for (const name of names) results[name].push(await ways[name](round));
  return results;
}

/** Latencies as the median and p95 over all runs, and of each run. */
export function measuredLatencies(way: string, runs: readonly (readonly number[])[], remark = ''): Measured {
  const [p50, p95] = [percentileOfRuns(runs, 0.5), percentileOfRuns(runs, 0.95)];
  return {
    way,
    text: `p50 ${p50.value.toFixed(1)} ms, p95 ${p95.value.toFixed(1)} ms${remark}`,
    runs: runs.map((_, i) => ({ p50Ms: p50.each[i] as number, p95Ms: p95.each[i] as number })),
  };
}

/** Speaks utterances through the real bot: its process on one core, everything else on the other. */
export const speakLive = (request: LiveRequest): Promise<LiveUtterance[]> =>
  ask('./live-bot.ts', request, { timeoutMs: 120_000, cores: [SINK_CORE] });
