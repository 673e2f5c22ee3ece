import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { flagsOrExit } from '../../src/process/package.ts';
import { type Cell, nameOf } from './cell.ts';
import { CELLS } from './cells/index.ts';
import { canMount } from './disk-troubles.ts';
import { needsProcess } from './lane.ts';
import { workInProcesses } from './paced-work.ts';
import { differences, type Row, recovery, renderTable, withTable } from './report.ts';
import { workThrough } from './work.ts';

const PAGE = fileURLToPath(new URL('../../docs/engineering/faults.md', import.meta.url));
/** A compile cache, because the tests start dozens of bots. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/node/', import.meta.url));
/** Parallel worlds whose bot is a process: they mostly wait. */
const LANES = 4;

/** Even on the paced clock, the processes wait for most of a cell. */
const PROCESSES_A_CORE = 2;

/** The recovery time for 95 of 100 cells, without cells whose longer silence Discord's documentation explains. */
const RECOVERY_P95_MS = 3_000;

const USAGE = `Usage: npm run test:faults -- [PART OF A NAME…] [--write]

Tries every cell of the fault matrix, or those whose group or name has one of these parts, and fails on a red one.
--write  puts the table with the figures of this run into docs/engineering/faults.md
--again  tries each red cell once more, alone: it counts as red when it is red both times
--list   only names them`;

const { values: flags, positionals } = flagsOrExit(USAGE, {
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
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
  const rows = new Map<Cell, Row>();
  const isWhole = positionals.length === 0;
  await tryAll(chosen, rows, PROCESSES_A_CORE * availableParallelism());
  if (flags.again) await tryAgain(rows);
  const ordered = chosen.map((cell) => rows.get(cell)).filter((row) => row !== undefined);
  const red = ordered.filter(({ problems }) => problems.length > 0);
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  if (!CELLS.every(isPossible))
    console.log('No namespaces can be made here: the cells of a full disk and a read-only folder are left out');
  console.log(`${ordered.length} cells in ${seconds} s, ${red.length} red`);
  const problems: string[] = [];
  if (isWhole) {
    const { p95Ms } = recovery(ordered);
    if (p95Ms > RECOVERY_P95_MS)
      problems.push(`95 of 100 recover in ${Math.round(p95Ms)} ms, more than ${RECOVERY_P95_MS}`);
    const page = readFileSync(PAGE, 'utf8');
    const run = { rows: ordered, seconds, machine: `${availableParallelism()} cores, Node ${process.version}` };
    if (flags.write) writeFileSync(PAGE, withTable(page, 'faults', renderTable(run)));
    else problems.push(...differences(page, ordered));
  }
  for (const problem of problems) console.log(problem);
  return red.length + problems.length > 0 ? 1 : 0;
}

/** Tries red cells again, one at a time, to tell a fault from a busy machine. The first result stays in the output. */
async function tryAgain(rows: Map<Cell, Row>): Promise<void> {
  const red = [...rows.values()].filter(({ problems }) => problems.length > 0);
  if (red.length > 0) console.log(`${red.length} red: tried once more, one after the other`);
  for (const { cell } of red) await tryAll([cell], rows, 1);
}

/**
 * Cells that need a process run in real time. All other cells have the bot, Discord and the speech service in a process
 * with a paced clock.
 */
async function tryAll(cells: readonly Cell[], rows: Map<Cell, Row>, processes: number): Promise<void> {
  const own = cells.filter(needsProcess);
  const paced = cells.filter((cell) => !needsProcess(cell));
  const done = (row: Row) => void rows.set(row.cell, row);
  const showsAll = positionals.length > 0;
  await Promise.all([
    workInProcesses(paced, { done, showsAll, processes }),
    ...Array.from({ length: Math.min(LANES, own.length) }, () =>
      workThrough({ next: async () => own.shift(), done, showsAll }),
    ),
  ]);
}
