import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import prism from 'prism-media';
import { flagsOrExit } from '../src/process/flags.ts';
import { ask, BOT_CORE } from './child.ts';
import { describeMachine, loadAverage, watchCores } from './machine.ts';
import { type Report, type ReportRow, readReport, renderReport, writeBetweenMarkers } from './report.ts';
import type { Row, RowContext, RowResult } from './row.ts';
import { ROWS } from './rows/index.ts';

const RESULTS = fileURLToPath(new URL('./results/', import.meta.url));
const PAGE = fileURLToPath(new URL('../docs/engineering/measurements.md', import.meta.url));
/** A compile cache, because the bench starts dozens of bots. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/node/', import.meta.url));
const ROW_TIMEOUT_MS = 6 * 60_000;

const USAGE = `Usage: npm run bench -- [NAME…] [--quick] [--out DIR]

Measures the peer's way and ours, alternating, and writes bench/results/ and the table in docs/engineering/measurements.md.
NAME: ${ROWS.map(({ name }) => name).join(', ')}; all of them when none is given.
--quick   a tenth of the size and two runs, to see that it works; writes nothing
--out DIR writes there instead, and leaves docs/engineering/measurements.md alone`;

async function measure(row: Row, context: RowContext): Promise<ReportRow> {
  const loadBefore = loadAverage();
  const coresBusy = watchCores();
  const startedAtMs = performance.now();
  console.error(`${row.number} ${row.name} …`);
  const options = { timeoutMs: ROW_TIMEOUT_MS, cores: [BOT_CORE] };
  const asked = ask<RowResult>('./row-process.ts', { name: row.name, context }, options);
  const result = await asked.catch((error: unknown): RowResult => {
    console.error(error);
    return { verdict: 'not measured', ratios: [], ours: undefined, peers: [], notes: [`Failed: ${String(error)}`] };
  });
  const { number, name, figure, target } = row;
  return {
    number,
    name,
    figure,
    target,
    ...result,
    seconds: Math.round((performance.now() - startedAtMs) / 1000),
    coresBusy: coresBusy(),
    loadBefore,
    measuredAt: new Date().toISOString(),
    niceness: getPriority(),
  };
}

/** The peers' library looks for ffmpeg in the same way. */
function hasFfmpeg(): boolean {
  try {
    prism.FFmpeg.getInfo();
    return true;
  } catch {
    return false;
  }
}

async function main(): Promise<number> {
  const { values, positionals } = flagsOrExit(USAGE, {
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      out: { type: 'string' },
    },
  });
  const unknown = positionals.filter((name) => !ROWS.some((row) => row.name === name || String(row.number) === name));
  if (unknown.length > 0) {
    console.error(`No such row: ${unknown.join(', ')}\n\n${USAGE}`);
    return 2;
  }
  const wanted = ROWS.filter(
    (row) => positionals.length === 0 || positionals.includes(row.name) || positionals.includes(String(row.number)),
  );
  if (!hasFfmpeg()) {
    console.error(
      'The usual way to play that Crier is compared with needs ffmpeg: install it, then start the bench again.',
    );
    return 1;
  }
  const context: RowContext = values.quick ? { runs: 2, scale: 0.1 } : { runs: 5, scale: 1 };
  const out = values.out ? `${values.out}/` : RESULTS;
  mkdirSync(out, { recursive: true });
  const measured: ReportRow[] = [];
  for (const row of wanted) measured.push(await measure(row, context));

  // Rows that are not run keep their earlier results.
  const before = values.quick ? [] : readReport(`${out}results.json`);
  const rows = ROWS.flatMap(({ name }) => {
    const row = measured.find((now) => now.name === name) ?? before.find((earlier) => earlier.name === name);
    return row ? [row] : [];
  });
  const report: Report = { machine: describeMachine(), runs: context.runs, rows };
  const markdown = renderReport(report);
  console.log(markdown);
  if (values.quick) return 0;
  writeFileSync(`${out}results.json`, `${JSON.stringify(report, undefined, 2)}\n`);
  writeFileSync(`${out}README.md`, `# Measured\n\n${markdown}`);
  if (!values.out) writeFileSync(PAGE, writeBetweenMarkers(readFileSync(PAGE, 'utf8'), markdown));
  return 0;
}

process.exitCode = await main();
