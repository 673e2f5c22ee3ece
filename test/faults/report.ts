import { type Cell, nameOf, type Wanted } from './cell.ts';
import type { Seen, SeenText } from './run-cell.ts';

export interface Row {
  readonly cell: Cell;
  /** Undefined if the cell failed to run to its end. */
  readonly seen: Seen | undefined;
  /** Empty for a green cell. */
  readonly problems: readonly string[];
}

const GREEN = 'green';
const RED = '**red**';
const HEADER = ['fault', 'when', 'wanted', 'seen', 'heard', 'silent', 'paid', ''];

export function renderTable({ rows, seconds, machine }: Run): string {
  const groups = [...new Set(rows.map(({ cell }) => cell.group))];
  const red = rows.filter(({ problems }) => problems.length > 0).length;
  const silences = recovery(rows);
  return [
    `${rows.length} cells in ${seconds} s, ${red} red (${machine}). Silence until sound again: p50 ${inSeconds(silences.p50Ms)}, p95 ${inSeconds(silences.p95Ms)}, at most ${inSeconds(silences.maxMs)}, over the ${silences.count} cells in which nothing that Discord documents demands more.`,
    '',
    ...groups.flatMap((group) => [`### ${group}`, '', ...tableOf(rows.filter(({ cell }) => cell.group === group)), '']),
  ].join('\n');
}

export interface Run {
  readonly rows: readonly Row[];
  readonly seconds: number;
  readonly machine: string;
}

const tableOf = (rows: readonly Row[]) => [HEADER, HEADER.map(() => '---'), ...rows.map(cellsOf)].map(line);

const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

function cellsOf({ cell, seen, problems }: Row): string[] {
  const verdict = problems.length === 0 ? GREEN : `${RED}: ${problems.join('; ')}`;
  const figures = seen ? [endsOf(seen), heardOf(seen), silenceOf(seen), String(seen.paid)] : ['–', '–', '–', '–'];
  return [cell.fault, cell.when, wantedOf(cell.wanted), ...figures, verdict];
}

const bothOf = (first: string, second: string) =>
  first === second ? `both ${first}` : `first ${first}, second ${second}`;

const wantedOf = ({ first, second, bot, because }: Wanted) =>
  `${bothOf(first, second)}${bot === 'left' ? '; left' : ''}${because ? ` (${because})` : ''}`;

const endsOf = ({ first, second }: Seen) => bothOf(first.end, second.end);

const percent = ({ share }: SeenText) => `${Math.round(share * 100)} %`;

function heardOf({ first, second }: Seen): string {
  const again = first.againSeconds + second.againSeconds;
  return `${percent(first)}, ${percent(second)}${again >= 0.1 ? `; ${again.toFixed(1)} s again` : ''}`;
}

const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
const silenceOf = ({ silentMs }: Seen) => (silentMs === undefined ? '–' : inSeconds(silentMs));

export const summaryOf = (seen: Seen): string =>
  `${endsOf(seen)}; heard ${heardOf(seen)}; silent ${silenceOf(seen)}; paid ${seen.paid}; notices ${seen.notices.length}`;

/**
 * The recovery times of cells whose texts go on, without cells whose longer silence Discord's documentation explains.
 */
export function recovery(rows: readonly Row[]) {
  const times = rows
    .filter(({ cell }) => cell.wanted.first === 'spoken' && cell.wanted.because === undefined)
    .flatMap(({ seen }) => seen?.silentMs ?? [])
    .sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { count: times.length, p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}

/**
 * Replaces the table between the markers `<!-- NAME:begin -->` and `<!-- NAME:end -->` of a page. Throws if the markers
 * are missing.
 */
export function withTable(page: string, name: string, table: string): string {
  const [first, last] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const [begin, end] = [page.indexOf(first), page.indexOf(last)];
  if (begin < 0 || end < begin) throw new Error(`The page has no ${first} … ${last}`);
  return `${page.slice(0, begin + first.length)}\n${table}${page.slice(end)}`;
}

/** The cells whose verdict on the page differs from this run. */
export function differences(page: string, rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ cell, problems }) => {
    const start = line([cell.fault, cell.when, wantedOf(cell.wanted)]).slice(0, -2);
    const told = page.split('\n').find((each) => each.startsWith(start));
    if (told === undefined)
      return [`docs/engineering/faults.md has no row "${nameOf(cell)}" as it is wanted: --write makes it`];
    const isGreen = told.endsWith(`| ${GREEN} |`);
    return isGreen === (problems.length === 0)
      ? []
      : [`docs/engineering/faults.md has another verdict of "${nameOf(cell)}"`];
  });
}
