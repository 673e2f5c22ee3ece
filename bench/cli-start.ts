import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/*
 * How long `voice --help` takes against a bare `node -e 0`, which every Node program pays. At most 100 ms more is the aim:
 *   node bench/cli-start.ts                                  from the sources, as npm run voice does
 *   node bench/cli-start.ts --installed "$(command -v voice)"   as it was installed
 * Runs alternate, so that whatever else the machine does falls on both; the median is compared.
 */

const RUNS = 25;
const LIMIT_MS = 100;
const installed = process.argv[process.argv.indexOf('--installed') + 1];
const program =
  process.argv.includes('--installed') && installed !== undefined
    ? installed
    : join(import.meta.dirname, '..', 'scripts', 'voice.mjs');

function timeMs(args: readonly string[]): number {
  const startedAtMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - startedAtMs;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const bare: number[] = [];
const help: number[] = [];
timeMs([program, '--help']);
for (let run = 0; run < RUNS; run++) {
  bare.push(timeMs(['-e', '0']));
  help.push(timeMs([program, '--help']));
}
const extraMs = median(help) - median(bare);
console.log(`node -e 0     ${median(bare).toFixed(0)} ms`);
console.log(`voice --help  ${median(help).toFixed(0)} ms`);
console.log(
  `difference    ${extraMs.toFixed(0)} ms (at most ${LIMIT_MS}): ${extraMs <= LIMIT_MS ? 'good' : 'TOO SLOW'}`,
);
process.exitCode = extraMs <= LIMIT_MS ? 0 : 1;
