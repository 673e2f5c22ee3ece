import { setTimeout as sleep } from 'node:timers/promises';
import { flagsOrExit } from '../../src/process/package.ts';
import { INPUTS, type Input } from './inputs.ts';
import { openStage, type Stage } from './stage.ts';

const USAGE = `Usage: npm run test:stall -- [PART OF A NAME…]

Has members send hostile texts to a bot that speaks in another server, and fails where one of them keeps its event loop for
longer than 10 ms beyond what the same bot needs while nobody sends anything.`;

/** The tolerated time beyond the longest turn of a bot that only speaks. */
const MAX_MS = 10;
const IDLE_MS = 1_000;
const IDLE_TIMES = 5;
/** A turn that is too long is measured again, and the shortest counts: other programs may have delayed it. */
const TRIES = 5;
const WARMING_UP = 6;
const UNANSWERED_MS = 1_000;
const SHOWN = 25;

interface Row {
  readonly name: string;
  readonly turnMs: number;
  readonly gapMs: number;
}

const { positionals } = flagsOrExit(USAGE, { allowPositionals: true, options: {} });

let attempts = 0;

/** Measures the longest turn during `during`. */
async function measured(stage: Stage, name: string, during: () => Promise<unknown>): Promise<Row> {
  await stage.longestTurnMs();
  stage.longestGapMs();
  const failed = await during().then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const row = { name, turnMs: await stage.longestTurnMs(), gapMs: stage.longestGapMs() };
  // A blocked bot does not answer: the length of the turn shows that. Any other failure is an error.
  if (failed && row.turnMs < UNANSWERED_MS) throw new Error(`${name}: not answered`, { cause: failed.error });
  return row;
}

async function tried(stage: Stage, { name, use }: Input, mostMs: number): Promise<Row> {
  let best: Row | undefined;
  for (let tries = 0; tries < TRIES && (best === undefined || best.turnMs > mostMs); tries++) {
    if (best?.turnMs === Number.POSITIVE_INFINITY) break;
    attempts += 1;
    const row = await measured(stage, name, () => use(stage, `${attempts} `));
    if (best === undefined || row.turnMs < best.turnMs) best = row;
  }
  return best as Row;
}

const line = ({ name, turnMs, gapMs }: Row) =>
  `${turnMs.toFixed(1).padStart(8)} ms ${gapMs.toFixed(0).padStart(6)} ms  ${name}`;

const startedAtMs = performance.now();
const stage = await openStage();
try {
  const chosen = INPUTS.filter(
    ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
  );
  // Code is slower when it runs for the first time.
  for (const input of INPUTS.slice(0, WARMING_UP)) await tried(stage, input, 0);
  const idles: Row[] = [];
  for (let time = 0; time < IDLE_TIMES; time++) {
    idles.push(await measured(stage, 'the bot only speaks', () => sleep(IDLE_MS)));
  }
  const idle = idles.toSorted((a, b) => a.turnMs - b.turnMs)[IDLE_TIMES >> 1] as Row;
  const mostMs = idle.turnMs + MAX_MS;
  const rows: Row[] = [];
  for (const input of chosen) {
    const row = await tried(stage, input, mostMs);
    rows.push(row);
    if (row.turnMs === Number.POSITIVE_INFINITY) break;
  }
  const red = rows.filter(({ turnMs }) => turnMs > mostMs);
  const shown = rows.toSorted((a, b) => b.turnMs - a.turnMs).slice(0, Math.max(SHOWN, red.length));
  console.log('    turn       gap  input');
  for (const row of [idle, ...shown]) console.log(line(row));
  const longestGapMs = Math.max(...rows.map(({ gapMs }) => gapMs));
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  console.log(
    `${rows.length} inputs in ${seconds} s: longest turn ${Math.max(...rows.map(({ turnMs }) => turnMs)).toFixed(1)} ms, at most ${mostMs.toFixed(1)}; largest gap ${longestGapMs.toFixed(0)} ms; ${red.length} red`,
  );
  for (const { name } of red) console.log(`RED ${name}`);
  if (red.length > 0) process.exitCode = 1;
} finally {
  await stage.close();
}
