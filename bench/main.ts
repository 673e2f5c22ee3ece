import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import prism from 'prism-media';
import { flagsOrExit } from '../src/process/flags.ts';
import { BOT_CORE, describeMachine, loadAverage, pinnedNode, watchCores } from './machine.ts';
import { drawPlot } from './plot.ts';
import { profileSummary } from './profile.ts';
import { type Report, type ReportRow, readReport, renderReport, writeBetweenMarkers } from './report.ts';
import type { Row, RowContext, RowResult } from './row.ts';
import { ROWS } from './rows/index.ts';

const RESULTS = fileURLToPath(new URL('./results/', import.meta.url));
const PAGE = fileURLToPath(new URL('../docs/measurements.md', import.meta.url));
/** Bots are started by the dozen. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/node/', import.meta.url));
const ROW_TIMEOUT_MS = 6 * 60_000;

const USAGE = `Usage: npm run bench -- [NAME…] [--quick] [--out DIR]

Measures the peer's way and ours, alternating, and writes bench/results/ and the table in docs/measurements.md.
NAME: ${ROWS.map(({ name }) => name).join(', ')}; all of them when none is given.
--quick   a tenth of the size and two runs, to see that it works; writes nothing
--out DIR writes there instead, and leaves docs/measurements.md alone
--profile runs the rows once under the profiler and writes only where the CPU time went, to NN-name.cpu.md`;

/** The row's result from its own process, pinned to the speaking end's core. */
function runRow(row: Row, context: RowContext, profileDir?: string): Promise<RowResult> {
  return new Promise((resolve, reject) => {
    const file = fileURLToPath(new URL('./row-process.ts', import.meta.url));
    const flags = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [];
    const [command, ...args] = pinnedNode(BOT_CORE, ...flags, file, row.name, JSON.stringify(context));
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), ROW_TIMEOUT_MS);
    child.on('message', (result) => {
      // The profile is written as the process ends.
      if (profileDir) child.once('exit', () => resolve(result as RowResult));
      else resolve(result as RowResult);
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      // After a result this comes too late to matter.
      reject(new Error(`The row's process ended (${signal ?? code}) without a result`));
    });
  });
}

async function measure(row: Row, context: RowContext): Promise<ReportRow> {
  const loadBefore = loadAverage();
  const coresBusy = watchCores();
  const startedAtMs = performance.now();
  console.error(`${row.number} ${row.name} …`);
  const result = await runRow(row, context).catch((error: unknown): RowResult => {
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

async function profile(row: Row, out: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-bench-'));
  try {
    const { ours } = await runRow(row, { runs: 1, scale: 1 }, folder);
    const name = `${String(row.number).padStart(2, '0')}-${row.name}`;
    writeFileSync(`${out}${name}.cpu.md`, profileSummary(folder, `${row.figure} (ours: ${ours?.text ?? 'nothing'})`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As the peers' library looks for it. */
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
      profile: { type: 'boolean' },
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
  if (values.profile) {
    for (const row of wanted) await profile(row, out);
    return 0;
  }
  const measured: ReportRow[] = [];
  for (const row of wanted) measured.push(await measure(row, context));

  // Rows that were not run now keep what was measured before.
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
  for (const plot of measured.flatMap(({ plots = [] }) => plots))
    writeFileSync(`${out}${plot.name}.svg`, drawPlot(plot));
  if (!values.out) writeFileSync(PAGE, writeBetweenMarkers(readFileSync(PAGE, 'utf8'), markdown));
  return 0;
}

process.exitCode = await main();
