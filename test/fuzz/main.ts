import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { flagsOrExit } from '../../src/process/package.ts';

const USAGE = `Usage: npm run fuzz -- [--seconds N] [SUBJECT...]

Makes up inputs from those in test/fuzz/corpus and tries whether one does harm. The smallest that does is added to the corpus,
which the tests replay from then on. Ends with 1 when there is one.
--seconds N  for each subject; default 30
SUBJECT      as the folders in test/fuzz/corpus are called; default all`;

const { values, positionals } = flagsOrExit(USAGE, {
  options: { seconds: { type: 'string', default: '30' } },
  allowPositionals: true,
});
const { seconds } = values;
if (!(Number(seconds) > 0)) {
  console.error(USAGE);
  process.exit(2);
}
const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url)), 'run', 'test/fuzz'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      FUZZ_SECONDS: seconds,
      FUZZ_SUBJECTS: positionals.map((name) => name.replaceAll('-', ' ')).join(),
    },
  },
);
process.exit(status ?? 1);
