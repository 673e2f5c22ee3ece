import { readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const scripts: Record<string, string> = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).scripts;

/** Every program: what npm's scripts start, and what the programs start themselves. */
const programs = [
  ...Object.values(scripts).flatMap((script) => script.match(/src\/\S+\.ts/)?.[0] ?? []),
  // src/cli/main.ts looks at Node's version, and imports nothing else.
  'src/cli/start.ts',
].filter((program) => program !== 'src/cli/main.ts');

test.each([...new Set(programs)])('%s goes round the faults of V8 before anything else', (program) => {
  const [first] = readFileSync(`${ROOT}/${program}`, 'utf8').match(/(?<=^import )\S.*(?=;$)/m) ?? [];
  expect(first).toBe(`'${relative(dirname(program), 'src/process/v8-workarounds.ts').replace(/^(?!\.)/, './')}'`);
});
