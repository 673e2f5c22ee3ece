import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { flagsOrExit } from '../../src/process/flags.ts';
import { type Cell, nameOf } from './cell.ts';
import { CELLS } from './cells/index.ts';
import { type CyclesSeen, runCycles } from './cycles.ts';
import { canMount } from './disk-troubles.ts';
import { problemsOf } from './judge.ts';
import { type Lane, openLane } from './lane.ts';
import { differences, type Row, recovery, renderTable, summaryOf, withTable } from './report.ts';
import { runCell } from './run-cell.ts';

const PAGE = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));
/** Bots are started by the dozen. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/node/', import.meta.url));
/** Worlds side by side: they mostly wait. */
const DEFAULT_LANES = 6;

/** Wanted of 95 of 100 cells, where nothing that Discord documents demands more. */
const RECOVERY_P95_MS = 3_000;

const USAGE = `Usage: npm run test:faults -- [PART OF A NAME…] [--write] [--lanes N]

Tries every cell of the fault matrix, or those whose group or name has one of these parts, and fails on a red one.
--write  puts the table with the figures of this run into docs/reliability.md
--again  tries each red cell once more, alone: it counts as red when it is red both times
--lanes  so many worlds side by side; ${DEFAULT_LANES} by default
--list   only names them
--cycles joins and leaves a thousand times, as a run of all cells does`;

const { values: flags, positionals } = flagsOrExit(USAGE, {
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    cycles: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    lanes: { type: 'string', default: String(DEFAULT_LANES) },
  },
});

const isChosen = (cell: Cell) =>
  positionals.length === 0 || positionals.some((part) => `${cell.group}: ${nameOf(cell)}`.includes(part));
const isPossible = ({ disk, account }: Cell) => (!disk && !account) || canMount();
const chosen = CELLS.filter((cell) => isChosen(cell) && isPossible(cell));

if (flags.list) for (const cell of chosen) console.log(`${cell.group}: ${nameOf(cell)}`);
else process.exitCode = await run();

async function run(): Promise<number> {
  const startedAtMs = performance.now();
  const shared = chosen.filter(({ world }) => !world);
  const own = chosen.filter(({ world }) => world);
  const rows = new Map<Cell, Row>();
  const lanes = Math.max(1, Math.min(Number(flags.lanes), chosen.length));
  const queue = [...own, ...shared];
  const cycleProblems: string[] = [];
  const cyclesFailed = (error: unknown) => {
    cycleProblems.push(`Joining and leaving could not be tried to its end: ${String(error)}`);
    return undefined;
  };
  const isWhole = positionals.length === 0;
  const [cycles] = await Promise.all([
    isWhole || flags.cycles ? triedCycles().catch(cyclesFailed) : undefined,
    ...Array.from({ length: lanes }, () => work(queue, rows)),
  ]);
  if (flags.again) await tryAgain(rows);
  const ordered = chosen.map((cell) => rows.get(cell)).filter((row) => row !== undefined);
  const red = ordered.filter(({ problems }) => problems.length > 0);
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  if (!CELLS.every(isPossible))
    console.log('No namespaces can be made here: the cells of a full disk and a read-only folder are left out');
  console.log(`${ordered.length} cells in ${seconds} s, ${red.length} red`);
  const problems = [...cycleProblems, ...(cycles?.problems ?? [])];
  if (isWhole) {
    const { p95Ms } = recovery(ordered);
    if (p95Ms > RECOVERY_P95_MS)
      problems.push(`95 of 100 recover in ${Math.round(p95Ms)} ms, more than ${RECOVERY_P95_MS}`);
    const page = readFileSync(PAGE, 'utf8');
    const run = { rows: ordered, seconds, cycles, machine: `${availableParallelism()} cores, Node ${process.version}` };
    if (flags.write) writeFileSync(PAGE, withTable(page, 'faults', renderTable(run)));
    else problems.push(...differences(page, ordered));
  }
  for (const problem of problems) console.log(problem);
  return red.length + problems.length > 0 ? 1 : 0;
}

/** Alone: a machine that was held up is told from a fault. What was red at first stays in the log. */
async function tryAgain(rows: Map<Cell, Row>): Promise<void> {
  const red = [...rows.values()].filter(({ problems }) => problems.length > 0);
  if (red.length > 0) console.log(`${red.length} red: tried once more, one after the other`);
  for (const { cell } of red) await work([cell], rows);
}

async function triedCycles(): Promise<CyclesSeen> {
  const seen = await runCycles();
  const verdict = seen.problems.length > 0 ? 'RED  ' : 'green';
  console.log(`${verdict} ${seen.cycles} times in and out (${seen.seconds.toFixed(0)} s) ${seen.problems.join('; ')}`);
  return seen;
}

/** One world after the other, or rather the same one for all cells that need none of their own. */
async function work(queue: Cell[], rows: Map<Cell, Row>): Promise<void> {
  let lane: Lane | undefined;
  for (let cell = queue.shift(); cell; cell = queue.shift()) {
    if (cell.world) {
      const own = await openLane(cell.world, cell);
      rows.set(cell, await tried(cell, own));
      await closed(own);
    } else {
      lane ??= await openLane();
      const row = await tried(cell, lane);
      rows.set(cell, row);
      lane = await afterwards(lane, row);
    }
  }
  if (lane) await closed(lane);
}

async function tried(cell: Cell, lane: Lane): Promise<Row> {
  try {
    const seen = await runCell(cell, lane);
    const problems = problemsOf(cell, seen);
    console.log(
      `${problems.length > 0 ? 'RED  ' : 'green'} ${cell.group}: ${nameOf(cell)} (${seen.seconds.toFixed(1)} s) ${problems.join('; ')}`,
    );
    if (problems.length > 0 || positionals.length > 0) console.log(`      ${summaryOf(seen)}`);
    if (problems.length > 0)
      for (const { told } of [seen.first, seen.second])
        for (const words of told) console.log(`      told: ${words.replaceAll('\n', ' / ')}`);
    if (problems.length > 0) showLog(lane);
    return { cell, seen, problems };
  } catch (error) {
    console.log(`RED   ${cell.group}: ${nameOf(cell)}: ${error instanceof Error ? error.message : String(error)}`);
    showLog(lane);
    return { cell, seen: undefined, problems: ['the cell could not be tried'] };
  }
}

function showLog({ bot }: Lane): void {
  if (!process.env.FAULTS_LOG) return;
  for (const { time: _, pid: _pid, hostname: _host, ...line } of bot.log.slice(-60))
    console.log(`      ${JSON.stringify(line).slice(0, 300)}`);
}

/** Ready for the next cell; undefined where one thing or another may still be under way. */
async function afterwards(lane: Lane, { seen }: Row): Promise<Lane | undefined> {
  if (!seen || seen.first.end === 'unanswered' || seen.second.end === 'unanswered') {
    await closed(lane);
    return undefined;
  }
  try {
    await lane.reset();
    return lane;
  } catch (error) {
    console.log(`      The world is given up: ${String(error)}`);
    await closed(lane);
    return undefined;
  }
}

async function closed(lane: Lane): Promise<void> {
  await lane.close().catch((error: unknown) => console.log(`      A world did not end cleanly: ${String(error)}`));
}
