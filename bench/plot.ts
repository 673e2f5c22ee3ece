/** A bar chart, or lines over a number. */
export interface Plot {
  /** File name without the ending. */
  name: string;
  title: string;
  unit: string;
  bars?: readonly { label: string; value: number }[];
  lines?: readonly { label: string; points: readonly (readonly [x: number, y: number])[] }[];
  /** The label of the horizontal axis. */
  xLabel?: string;
}

const WIDTH = 720;
const BAR_HEIGHT = 26;
const LABEL_WIDTH = 250;
const LINES_HEIGHT = 320;
const COLOURS = ['#2b6cb0', '#c05621', '#2f855a', '#805ad5'];

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const number = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString());

function frame(height: number, title: string, body: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="16" y="24" font-size="15" font-weight="bold" fill="#1a202c">${escapeXml(title)}</text>`,
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

function drawBars(plot: Plot): string {
  const bars = plot.bars ?? [];
  const largest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const room = WIDTH - LABEL_WIDTH - 110;
  const body = bars.flatMap(({ label, value }, i) => {
    const y = 44 + i * BAR_HEIGHT;
    const width = Math.max(1, (value / largest) * room);
    const colour = label.startsWith('ours') ? COLOURS[0] : '#a0aec0';
    return [
      `<text x="${LABEL_WIDTH - 8}" y="${y + 14}" text-anchor="end" fill="#1a202c">${escapeXml(label)}</text>`,
      `<rect x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT - 8}" fill="${colour}"/>`,
      `<text x="${(LABEL_WIDTH + width + 6).toFixed(1)}" y="${y + 14}" fill="#1a202c">${number(value)} ${escapeXml(plot.unit)}</text>`,
    ];
  });
  return frame(52 + bars.length * BAR_HEIGHT, plot.title, body);
}

function drawLines(plot: Plot): string {
  const lines = plot.lines ?? [];
  const points = lines.flatMap((line) => line.points);
  const [left, right, top, bottom] = [60, WIDTH - 20, 44, LINES_HEIGHT - 60];
  const span = (values: readonly number[]): [number, number] => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return low === high ? [low - 1, high + 1] : [low, high];
  };
  const [x0, x1] = span(points.map(([x]) => x));
  const [y0, y1] = span(points.map(([, y]) => y));
  const px = (x: number) => left + ((x - x0) / (x1 - x0)) * (right - left);
  const py = (y: number) => bottom - ((y - y0) / (y1 - y0)) * (bottom - top);
  const body = [
    `<path d="M${left} ${top}V${bottom}H${right}" fill="none" stroke="#718096"/>`,
    ...[y0, (y0 + y1) / 2, y1].map(
      (y) => `<text x="${left - 6}" y="${py(y) + 4}" text-anchor="end" fill="#4a5568">${number(y)}</text>`,
    ),
    ...[x0, (x0 + x1) / 2, x1].map(
      (x) => `<text x="${px(x)}" y="${bottom + 18}" text-anchor="middle" fill="#4a5568">${number(x)}</text>`,
    ),
    `<text x="${right}" y="${bottom + 36}" text-anchor="end" fill="#4a5568">${escapeXml(plot.xLabel ?? '')}</text>`,
    `<text x="${left}" y="${top - 6}" fill="#4a5568">${escapeXml(plot.unit)}</text>`,
  ];
  for (const [i, { label, points: own }] of lines.entries()) {
    const colour = COLOURS[i % COLOURS.length];
    const path = own.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join('');
    body.push(
      `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...own.map(([x, y]) => `<circle cx="${px(x).toFixed(1)}" cy="${py(y).toFixed(1)}" r="3" fill="${colour}"/>`),
      `<text x="${left + 10 + i * 220}" y="${LINES_HEIGHT - 8}" fill="${colour}">${escapeXml(label)}</text>`,
    );
  }
  return frame(LINES_HEIGHT, plot.title, body);
}

/** The plot as SVG, readable on a light page and without scripts. */
export function drawPlot(plot: Plot): string {
  return plot.lines ? drawLines(plot) : drawBars(plot);
}
