import type { RowHead, RowResult } from './row.ts';

export interface ReportRow extends RowHead, RowResult {
  seconds: number;
  /** How busy each core was during the row: 0..1 over all processes. */
  coresBusy: readonly number[];
  /** Load averages of 1, 5 and 15 minutes, before the row. */
  loadBefore: readonly number[];
  measuredAt: string;
  /** The niceness of the bench's processes; a value below 0 means that they had priority over other processes. */
  niceness: number;
}

export interface Report {
  machine: string;
  runs: number;
  rows: readonly ReportRow[];
}

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

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

/** Writes the ratios, then the measured values, then the method of each row. */
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

/** Replaces everything between the bench's markers in a document. Throws if the markers are missing. */
export function writeBetweenMarkers(document: string, text: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The document has no ${BEGIN} … ${END}`);
  return `${document.slice(0, begin + BEGIN.length)}\n${text}${document.slice(end)}`;
}
