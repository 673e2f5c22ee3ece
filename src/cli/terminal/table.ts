import stringWidth from 'string-width';
import { plain, styled } from './terminal.ts';

/** Cuts text to a width in terminal cells, which emoji and East Asian characters take two of. */
function shorten(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return width < 1 ? '' : `${kept}…`;
}

export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
  readonly align?: 'right';
  /** In a narrow terminal, the column moves to a line of its own below the row, or may be shortened to this width. */
  readonly narrow?: 'below' | number;
}

const GAP = 2;

/**
 * An aligned table, as lines. Fits into `width` terminal cells; in a pipe (no width) nothing is shortened or moved.
 */
export function tableLines<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width?: number): string[] {
  const cells = rows.map((row) => columns.map((column) => plain(column.cell(row))));
  const widths = columns.map((column, index) =>
    Math.max(stringWidth(column.heading), ...cells.map((row) => stringWidth(row[index] ?? ''))),
  );
  const shown = new Set(columns.keys());
  const total = () => [...shown].reduce((sum, index) => sum + (widths[index] ?? 0) + GAP, -GAP);
  const tooWide = () => width !== undefined && total() > width;
  const below: number[] = [];
  for (const [index, column] of columns.entries()) {
    if (tooWide() && column.narrow === 'below') {
      shown.delete(index);
      below.push(index);
    }
  }
  // The widest that may shrink gives way first, one cell at a time.
  while (tooWide()) {
    const widest = [...shown]
      .filter(
        (index) =>
          typeof columns[index]?.narrow === 'number' && (widths[index] ?? 0) > (columns[index]?.narrow as number),
      )
      .sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  const line = (texts: readonly string[]) =>
    [...shown]
      .map((index) => pad(texts[index] ?? '', widths[index] ?? 0, columns[index]?.align))
      .join(' '.repeat(GAP))
      .trimEnd();
  const limited = (text: string) => (width === undefined ? text : shorten(text, width));
  return [
    limited(line(columns.map((column) => column.heading))),
    ...cells.flatMap((row) => [
      limited(line(row)),
      ...below.map((index) => limited(`${' '.repeat(GAP)}${row[index]}`)),
    ]),
  ];
}

function pad(text: string, width: number, align?: 'right'): string {
  const fitted = shorten(text, width);
  const space = ' '.repeat(Math.max(0, width - stringWidth(fitted)));
  return align === 'right' ? space + fitted : fitted + space;
}

/** Prints a table on stdout: fitted and with a bold heading on a terminal, whole and plain in a pipe. */
export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
  const { stdout } = process;
  const [heading = '', ...lines] = tableLines(rows, columns, stdout.isTTY ? stdout.columns || 80 : undefined);
  stdout.write(`${[styled('bold', heading, stdout), ...lines].join('\n')}\n`);
}

export type ProgressLine = ReturnType<typeof createProgress>;

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** One line on stderr that changes while something is under way; nothing at all when stderr is no terminal. */
export function createProgress(stream: NodeJS.WriteStream = process.stderr) {
  if (stream.isTTY !== true || process.env.TERM === 'dumb') return { show: (_text: string) => {}, clear: () => {} };
  let timer: NodeJS.Timeout | undefined;
  let text = '';
  let startedAtMs = 0;
  let frame = 0;
  const draw = () => {
    frame = (frame + 1) % FRAMES.length;
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
    const line = shorten(`${text} ${seconds} s`, (stream.columns || 80) - 3);
    stream.write(`\r\u001b[2K${styled('cyan', FRAMES[frame] ?? '', stream)} ${line}`);
  };
  return {
    show(next: string) {
      text = next;
      if (timer === undefined) {
        startedAtMs = performance.now();
        timer = setInterval(draw, FRAME_MS);
        timer.unref();
      }
      draw();
    },
    /** Removes the line, for other output or permanently. Idempotent. */
    clear() {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      stream.write('\r\u001b[2K');
    },
  };
}
