import { readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import prism from 'prism-media';
import { flagsOrExit } from '../src/process/package.ts';
import { ask, BOT_CORE } from './child.ts';
import { describeMachine, loadAverage, watchCores } from './machine.ts';
import { type Report, type ReportRow, renderReport, writeBetweenMarkers } from './report.ts';
import type { Row, RowContext, RowResult } from './row.ts';
import { ROWS } from './rows/index.ts';

const RESULTS = fileURLToPath(new URL('./results/', import.meta.url));
const PAGE = fileURLToPath(new URL('../docs/engineering/measurements.md', import.meta.url));
/** A compile cache, because the bench starts dozens of bots. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/node/', import.meta.url));
const ROW_TIMEOUT_MS = 6 * 60_000;

const USAGE = `Usage: npm run bench -- [NAME…] [--quick]

Measures the peer's way and ours, alternating, and writes bench/results/ and the table in docs/engineering/measurements.md.
NAME: ${ROWS.map(({ name }) => name).join(', ')}; all of them when none is given.
--quick  a tenth of the size and two runs, to see that it works; writes nothing`;

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
  const { run: _run, ...head } = row;
  return {
    ...head,
    ...result,
    seconds: Math.round((performance.now() - startedAtMs) / 1000),
    coresBusy: coresBusy(),
    loadBefore,
    measuredAt: new Date().toISOString(),
    niceness: getPriority(),
  };
}

async function main(): Promise<number> {
  const { values, positionals } = flagsOrExit(USAGE, {
    allowPositionals: true,
    options: { quick: { type: 'boolean' } },
  });
  const unknown = positionals.filter((name) => !ROWS.some((row) => row.name === name));
  if (unknown.length > 0) {
    console.error(`No such row: ${unknown.join(', ')}\n\n${USAGE}`);
    return 2;
  }
  const wanted = ROWS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  try {
    // The peers' library looks for ffmpeg in the same way.
    prism.FFmpeg.getInfo();
  } catch {
    console.error('The usual way to play that Crier is compared with needs ffmpeg: install it and try again.');
    return 1;
  }
  const context: RowContext = values.quick ? { runs: 2, scale: 0.1 } : { runs: 5, scale: 1 };
  const measured: ReportRow[] = [];
  // Rows that are not run keep their earlier results, which are read first: an error then costs no measurement.
  const before = values.quick ? [] : (JSON.parse(readFileSync(`${RESULTS}results.json`, 'utf8')) as Report).rows;
  for (const row of wanted) measured.push(await measure(row, context));

  const rows = ROWS.flatMap(({ name }) => [...measured, ...before].find((row) => row.name === name) ?? []);
  const report: Report = { machine: describeMachine(), runs: context.runs, rows };
  const markdown = renderReport(report);
  console.log(markdown);
  if (values.quick) return 0;
  writeFileSync(`${RESULTS}results.json`, `${JSON.stringify(report, undefined, 2)}\n`);
  writeFileSync(`${RESULTS}README.md`, `# Measured\n\n${markdown}`);
  writeFileSync(PAGE, writeBetweenMarkers(readFileSync(PAGE, 'utf8'), markdown));
  return 0;
}

process.exitCode = await main();
