import { existsSync, readFileSync } from 'node:fs';
import type { RowResult } from './row.ts';

/** A row's result with the circumstances under which it came about. */
export interface ReportRow extends RowResult {
  number: number;
  name: string;
  figure: string;
  target: string;
  seconds: number;
  /** How busy each core was while the row ran, 0..1, by all processes. */
  coresBusy: readonly number[];
  /** 1, 5 and 15 minutes, before the row began. */
  loadBefore: readonly number[];
  measuredAt: string;
  /** Of the bench's processes; below 0 they were preferred to other processes. */
  niceness: number;
}

export interface Report {
  machine: string;
  runs: number;
  rows: readonly ReportRow[];
}

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

export function readReport(file: string): readonly ReportRow[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report).rows : [];
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function tableLine(row: ReportRow): string {
  const ratio = row.ratios.join('; ') || '–';
  const peers = row.peers.map(({ way, text }) => `${way}: ${text}`).join('; ') || '–';
  const cells = [String(row.number), row.figure, ratio, row.ours?.text ?? '–', row.target, row.verdict, peers];
  return `| ${cells.map(cell).join(' | ')} |`;
}

function circumstances(row: ReportRow): string {
  const cores = row.coresBusy.map((busy) => `${(busy * 100).toFixed(0)} %`).join(' / ');
  const notes = row.notes.join(' ');
  if (row.ours === undefined) return `${row.number}. ${notes}`;
  return `${row.number}. ${notes} Cores busy (sink / bot): ${cores}; load before: ${row.loadBefore[0]}${row.niceness === 0 ? '' : ` (niceness ${row.niceness})`}; ${row.seconds} s, ${row.measuredAt.slice(0, 16).replace('T', ' ')} UTC.`;
}

/** Ratios first, then what they come from, then how each row was measured. */
export function renderReport(report: Report): string {
  return [
    `${report.machine}. Medians of ${report.runs} alternating runs of each way; the bot on one core, the listening end (Discord's voice server on loopback) on the other. \`npm run bench\` repeats it.`,
    '',
    '| # | figure | ours against the peer | ours | target | | peer in the same run |',
    '|---|---|---|---|---|---|---|',
    ...report.rows.map(tableLine),
    '',
    'How each was measured:',
    '',
    ...report.rows.map(circumstances),
    '',
  ].join('\n');
}

/** The document with everything between the bench's markers replaced. Throws where they are missing. */
export function writeBetweenMarkers(document: string, text: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The document has no ${BEGIN} … ${END}`);
  return `${document.slice(0, begin + BEGIN.length)}\n${text}${document.slice(end)}`;
}
