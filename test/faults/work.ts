import { type Cell, nameOf } from './cell.ts';
import { problemsOf } from './judge.ts';
import { type Lane, openLane } from './lane.ts';
import { type Row, summaryOf } from './report.ts';
import { runCell } from './run-cell.ts';

export interface Work {
  /** The next cell; undefined if none is left. */
  next(): Promise<Cell | undefined>;
  done(row: Row): void;
  /** True if the figures of green cells are printed too. */
  readonly showsAll: boolean;
}

/** Tries cells one after another. All cells that need no separate world share a world. */
export async function workThrough({ next, done, showsAll }: Work): Promise<void> {
  let lane: Lane | undefined;
  for (let cell = await next(); cell; cell = await next()) {
    if (cell.world) {
      const own = await openLane(cell);
      done(await tried(cell, own, showsAll));
      await closed(own);
    } else {
      lane ??= await openLane();
      const row = await tried(cell, lane, showsAll);
      done(row);
      lane = await afterwards(lane, row);
    }
  }
  if (lane) await closed(lane);
}

async function tried(cell: Cell, lane: Lane, showsAll: boolean): Promise<Row> {
  try {
    const seen = await runCell(cell, lane);
    const problems = problemsOf(cell, seen);
    const verdict = problems.length > 0 ? 'RED  ' : 'green';
    console.log(`${verdict} ${cell.group}: ${nameOf(cell)} (${seen.seconds.toFixed(1)} s) ${problems.join('; ')}`);
    if (problems.length > 0 || showsAll) console.log(`      ${summaryOf(seen)}`);
    if (problems.length > 0) {
      for (const words of [...seen.first.told, ...seen.second.told])
        console.log(`      told: ${words.replaceAll('\n', ' / ')}`);
      showLog(lane);
    }
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

/**
 * Prepares the lane for the next cell. Returns undefined if something may still be going on: the next cell then gets a
 * new lane.
 */
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
