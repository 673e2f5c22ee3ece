import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { flagsOrExit } from '../../src/process/package.ts';
import { withTable } from '../faults/report.ts';
import { type Line, linesOf, renderLines } from './judge.ts';
import { runTrials } from './trials.ts';

const PAGE = fileURLToPath(new URL('../../docs/engineering/scale.md', import.meta.url));
/** A compile cache, because the tests start dozens of bots. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/node/', import.meta.url));

const DISCORD_NICENESS = -10;

const USAGE = `Usage: npm run test:scale -- [--cells N] [--servers N] [--write]

Several processes of the bot with one PostgreSQL, and a Discord on loopback with many servers, in some of which one text is
spoken after the other. Meanwhile settings are changed, PostgreSQL crashes, a cell is killed, a cell stands still for longer
than its lease, all of them are started anew in turn, and a limit is used up. Ends with 1 on a red line.
--cells N    processes; 8 by default
--servers N  in all cells together; 10,000 by default
--write      puts the table with the figures of this run into docs/engineering/scale.md`;

const { values: flags } = flagsOrExit(USAGE, {
  options: {
    cells: { type: 'string', default: '8' },
    servers: { type: 'string', default: '10000' },
    write: { type: 'boolean', default: false },
  },
});
const [cells, servers] = [Number(flags.cells), Number(flags.servers)];

if (!(cells >= 2) || !(servers >= cells)) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  preferDiscord();
  process.exitCode = await run();
}

async function run(): Promise<number> {
  const startedAtMs = performance.now();
  const lines: readonly Line[] = linesOf(await runTrials({ cells, servers }));
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  const machine = `${availableParallelism()} cores, Node ${process.version}`;
  const table = renderLines(
    lines,
    `${cells} cells, ${servers.toLocaleString('en')} servers, ${seconds} s (${machine})`,
  );
  console.log(table);
  if (flags.write) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), 'scale', table));
  const red = lines.filter(({ isMet }) => isMet === false);
  console.log(`${lines.length} lines in ${seconds} s, ${red.length} red`);
  return red.length > 0 ? 1 : 0;
}

function preferDiscord(): void {
  // Discord and its listeners stand for another machine: if they lack CPU time, that is no fault of a cell.
  try {
    setPriority(DISCORD_NICENESS);
  } catch {
    console.error('Without the right to a higher priority: on a busy machine the listeners may miss what is spoken');
  }
}
