import stringWidth from 'string-width';
import { plain, styled } from './terminal.ts';

/** Cuts text to a width in terminal cells: emoji and East Asian characters take two cells. */
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
  /** With `below`, a last column that does not fit the terminal moves to a line of its own below each row. */
  readonly place?: 'right' | 'below';
}

const GAP = '  ';

export function tableLines<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width = Infinity): string[] {
  const cells = rows.map((row) => columns.map((column) => plain(column.cell(row))));
  const widths = columns.map(({ heading }, index) =>
    Math.max(stringWidth(heading), ...cells.map((row) => stringWidth(row[index] ?? ''))),
  );
  const isTooWide = widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length) > width;
  const shown = columns.filter(({ place }) => !isTooWide || place !== 'below');
  const line = (texts: readonly string[]) => {
    const padded = shown.map(({ place }, index) => {
      const text = texts[index] ?? '';
      const space = ' '.repeat((widths[index] ?? 0) - stringWidth(text));
      return place === 'right' ? space + text : text + space;
    });
    return shorten(padded.join(GAP).trimEnd(), width);
  };
  return [
    line(columns.map(({ heading }) => heading)),
    ...cells.flatMap((row) => [line(row), ...row.slice(shown.length).map((text) => shorten(GAP + text, width))]),
  ];
}

/** On a terminal, lines are cut and the heading is bold. */
export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
  const { stdout } = process;
  const [heading = '', ...lines] = tableLines(rows, columns, stdout.isTTY ? stdout.columns || 80 : undefined);
  stdout.write(`${[styled('bold', heading, stdout), ...lines].join('\n')}\n`);
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** Shows progress on stderr, but nothing if stderr is not a terminal or TERM is `dumb`. */
export function createProgress() {
  const { stderr: stream } = process;
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
    clear() {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      stream.write('\r\u001b[2K');
    },
  };
}
