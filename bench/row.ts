import { ask, SINK_CORE } from './child.ts';
import type { LiveRequest, LiveUtterance } from './live-bot.ts';
import { percentile } from './stats.ts';

/** A way to do a task: Crier's, or a common alternative. */
export interface Measured {
  way: string;
  /** The table's text for the result, with units. */
  text: string;
  /** All runs in order; their keys contain the units. */
  runs: readonly Readonly<Record<string, number>>[];
}

/** The library's guide: a resource made of the audio's address, for which the library starts ffmpeg. */
export const GUIDE = 'guide pattern';
/** The library's player without ffmpeg, which is its fastest way. */
export const LIBRARY = 'library player fed with frames';

export interface RowResult {
  verdict: 'met' | 'missed' | 'void' | 'not measured';
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

export interface RowHead {
  number: number;
  name: string;
  figure: string;
  target: string;
}

export interface Row extends RowHead {
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

/** Our runs and those of the library's player, each with the text that `textOf` gives them. */
export function besideLibrary<Run extends Measured['runs'][number]>(
  { ours, library }: Record<'ours' | 'library', Run[]>,
  textOf: (runs: Run[]) => string,
): Pick<RowResult, 'ours' | 'peers'> {
  const measured = (way: string, runs: Run[]): Measured => ({ way, text: textOf(runs), runs });
  return { ours: measured('ours', ours), peers: [measured(LIBRARY, library)] };
}

/**
 * Latencies as the median and p95 over all runs, and of each run. A run alone has so few values that its p95 is its
 * maximum.
 */
export function measuredLatencies(way: string, runs: readonly (readonly number[])[], remark = ''): Measured {
  const [p50, p95] = [0.5, 0.95].map((share) => percentile(runs.flat(), share).toFixed(1));
  return {
    way,
    text: `p50 ${p50} ms, p95 ${p95} ms${remark}`,
    runs: runs.map((values) => ({ p50Ms: percentile(values, 0.5), p95Ms: percentile(values, 0.95) })),
  };
}

/** Speaks utterances through the real bot: its process on one core, everything else on the other. */
export const speakLive = (request: LiveRequest): Promise<LiveUtterance[]> =>
  ask('./live-bot.ts', request, { cores: [SINK_CORE] });
