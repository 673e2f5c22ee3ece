import { writeBetweenMarkers } from '../../bench/report.ts';
import { type Cell, nameOf, type Wanted } from './cell.ts';
import type { Seen, SeenText } from './run-cell.ts';

export interface Row {
  readonly cell: Cell;
  /** Undefined when the cell could not be tried to its end. */
  readonly seen: Seen | undefined;
  /** None: green. */
  readonly problems: readonly string[];
}

const GREEN = 'green';
const RED = '**red**';
const HEADER = ['fault', 'when', 'wanted', 'seen', 'heard', 'silent', 'paid', ''];

export function renderTable(rows: readonly Row[], seconds: number): string {
  const groups = [...new Set(rows.map(({ cell }) => cell.group))];
  const red = rows.filter(({ problems }) => problems.length > 0).length;
  return [
    `${rows.length} cells in ${seconds} s, ${red} red. ${recovery(rows)}`,
    '',
    ...groups.flatMap((group) => [`### ${group}`, '', ...tableOf(rows.filter(({ cell }) => cell.group === group)), '']),
  ].join('\n');
}

function tableOf(rows: readonly Row[]): string[] {
  return [line(HEADER), line(HEADER.map(() => '---')), ...rows.map((row) => line(cellsOf(row)))];
}

const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

function cellsOf({ cell, seen, problems }: Row): string[] {
  const verdict = problems.length === 0 ? GREEN : `${RED}: ${problems.join('; ')}`;
  const figures = seen ? [endsOf(seen), heardOf(seen), silenceOf(seen), String(seen.paid)] : ['–', '–', '–', '–'];
  return [cell.fault, cell.when, wantedOf(cell.wanted), ...figures, verdict];
}

function wantedOf({ first, second, bot, because }: Wanted): string {
  const ends = first === second ? `both ${first}` : `first ${first}, second ${second}`;
  return `${ends}${bot === 'left' ? '; left' : ''}${because ? ` (${because})` : ''}`;
}

function endsOf({ first, second }: Seen): string {
  return first.end === second.end ? `both ${first.end}` : `first ${first.end}, second ${second.end}`;
}

const percent = ({ share }: SeenText) => `${Math.round(share * 100)} %`;

function heardOf({ first, second }: Seen): string {
  const again = first.againSeconds + second.againSeconds;
  return `${percent(first)}, ${percent(second)}${again >= 0.1 ? `; ${again.toFixed(1)} s again` : ''}`;
}

function silenceOf({ silentMs }: Seen): string {
  return silentMs === undefined ? '–' : `${(silentMs / 1_000).toFixed(2)} s`;
}

/** In one line. */
export const summaryOf = (seen: Seen): string =>
  `${endsOf(seen)}; heard ${heardOf(seen)}; silent ${silenceOf(seen)}; paid ${seen.paid}; notices ${seen.notices.length}`;

/** Over the cells in which the texts go on and nothing of Discord's explains a longer silence. */
function recovery(rows: readonly Row[]): string {
  const times = rows
    .filter(({ cell }) => cell.wanted.first === 'spoken' && cell.wanted.because === undefined)
    .flatMap(({ seen }) => seen?.silentMs ?? [])
    .sort((a, b) => a - b);
  const at = (share: number) =>
    ((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0) / 1_000).toFixed(2);
  return `Silence until sound again: p50 ${at(0.5)} s, p95 ${at(0.95)} s, at most ${at(1)} s, over the ${times.length} cells in which nothing that Discord documents demands more.`;
}

/** The page with the table between its markers. */
export const withTable = writeBetweenMarkers;

/** Where the page's verdicts are not those of this run. */
export function differences(page: string, rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ cell, problems }) => {
    const start = line([cell.fault, cell.when, wantedOf(cell.wanted)]).slice(0, -2);
    const told = page.split('\n').find((each) => each.startsWith(start));
    if (told === undefined)
      return [`docs/reliability.md has no row "${nameOf(cell)}" as it is wanted: --write makes it`];
    const isGreen = told.endsWith(`| ${GREEN} |`);
    return isGreen === (problems.length === 0) ? [] : [`docs/reliability.md has another verdict of "${nameOf(cell)}"`];
  });
}
