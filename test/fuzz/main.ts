import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run fuzz -- [--seconds N] [SUBJECT...]

Makes up inputs from those in test/fuzz/corpus and tries whether one does harm. The smallest that does is added to the corpus,
which the tests replay from then on. Ends with 1 when there is one.
--seconds N  for each subject; default 30
SUBJECT      as the folders in test/fuzz/corpus are called; default all`;

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string' }, help: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url)), 'run', 'test/fuzz'],
  {
    stdio: 'inherit',
    env: { ...process.env, FUZZ_SECONDS: values.seconds ?? '30', FUZZ_SUBJECTS: positionals.join() },
  },
);
process.exit(status ?? 1);
