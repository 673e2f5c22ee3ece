import { ask, SINK_CORE } from './child.ts';
import type { LiveRequest, LiveUtterance } from './live-bot.ts';

/** One way of doing the same thing: ours, or a common alternative. */
export interface Measured {
  way: string;
  /** As the table shows it, units included. */
  text: string;
  /** Every run, in the order in which they were made; units are in the keys. */
  runs: readonly Readonly<Record<string, number>>[];
}

type Verdict = 'met' | 'missed' | 'void' | 'not measured';

/** The result of one row of the table. */
export interface RowResult {
  verdict: Verdict;
  /** Peer against ours, the better the larger: printed first. Empty where there is nothing to compare with. */
  ratios: readonly string[];
  ours: Measured | undefined;
  peers: readonly Measured[];
  /** The method, with the conditions that a reader needs to judge it. */
  notes: readonly string[];
}

export interface RowContext {
  /** Alternating runs each way: 5 in the measured bench, fewer while a row is being worked on. */
  runs: number;
  /** 1 in the measured bench; smaller makes everything that is counted smaller. */
  scale: number;
}

export interface Row {
  number: number;
  name: string;
  figure: string;
  target: string;
  run(context: RowContext): Promise<RowResult>;
}

/** Runs each way in turn, so many rounds; what each gave, by its name. */
export async function alternate<Name extends string, Result>(
  runs: number,
  ways: Readonly<Record<Name, (round: number) => Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(ways) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < runs; round++) for (const name of names) results[name].push(await ways[name](round));
  return results;
}

/** Utterances through the real bot, its process on one core and everything around it on the other. */
export const speakLive = (request: LiveRequest): Promise<LiveUtterance[]> =>
  ask('./live-bot.ts', request, { timeoutMs: 120_000, cores: [SINK_CORE] });
