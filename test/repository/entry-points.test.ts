import { dirname, relative } from 'node:path';
import { expect, test } from 'vitest';
import { manifest, read } from './tracked-files.ts';

/** Every program: what npm's scripts start, and what the programs start themselves. */
const programs = [
  ...Object.values(manifest().scripts).flatMap((script) => script.match(/src\/\S+\.ts/)?.[0] ?? []),
  // src/cli/main.ts looks at Node's version, and imports nothing else.
  'src/cli/start.ts',
].filter((program) => program !== 'src/cli/main.ts');

test.each([...new Set(programs)])('%s goes round the faults of V8 before anything else', (program) => {
  const [first] = read(program).match(/(?<=^import )\S.*(?=;$)/m) ?? [];
  expect(first).toBe(`'${relative(dirname(program), 'src/process/v8-workarounds.ts').replace(/^(?!\.)/, './')}'`);
});
