import { fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Cell } from './cell.ts';
import { CELLS } from './cells/index.ts';
import type { Row } from './report.ts';
import { type Work, workThrough } from './work.ts';

/* Tries cells in processes with the paced clock, which passes as fast as the machine computes. The parent hands out
   cells by their index in the matrix. This file is both parent and child. */

const FILE = fileURLToPath(import.meta.url);
const PACE = new URL('../pace/setup.ts', import.meta.url).href;

type Told = { readonly wants: true } | (Omit<Row, 'cell'> & { readonly at: number });

/** Tries the cells in several processes. Resolves when all cells have been tried. */
export async function workInProcesses(
  cells: readonly Cell[],
  { done, showsAll, processes }: Omit<Work, 'next'> & { readonly processes: number },
): Promise<void> {
  const queue = cells.map((cell) => CELLS.indexOf(cell));
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(FILE, showsAll ? ['--all'] : [], { execArgv: ['--import', PACE], serialization: 'advanced' });
      // Processes on the paced clock have low priority: cells in real time go first.
      if (child.pid !== undefined) setPriority(child.pid, 10);
      child.on('message', (told: Told) => {
        if ('wants' in told) child.send({ at: queue.shift() });
        else done({ cell: CELLS[told.at] as Cell, seen: told.seen, problems: told.problems });
      });
      child.on('error', reject);
      child.on('exit', (code, signal) =>
        code === 0 ? resolve() : reject(new Error(`A worker ended (${code ?? signal})`)),
      );
    });
  await Promise.all(Array.from({ length: Math.min(processes, queue.length) }, work));
}

if (process.send && process.argv[1] === FILE) {
  const send = (told: Told) => process.send?.(told);
  const next = () =>
    new Promise<Cell | undefined>((resolve) => {
      process.once('message', ({ at }: { readonly at: number | undefined }) =>
        resolve(at === undefined ? undefined : CELLS[at]),
      );
      send({ wants: true });
    });
  await workThrough({
    next,
    done: ({ cell, seen, problems }) => send({ at: CELLS.indexOf(cell), seen, problems }),
    showsAll: process.argv.includes('--all'),
  });
  process.disconnect();
}
