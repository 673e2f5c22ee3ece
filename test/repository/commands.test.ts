import { dirname, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { manifest, read, trackedFiles } from './tracked-files.ts';

const scripts = Object.keys(manifest().scripts);
const places = trackedFiles().filter((file) => /\.md$|^(Dockerfile|\.ci\/|deploy\/|\.github\/)/.test(file));

describe('commands', () => {
  test.each(places)('that %s tells to run exist', (file) => {
    const named = [...read(file).matchAll(/\bnpm run (?:-s |--silent )?([\w:-]+)/g)].map(([, script]) => script);
    expect(named.filter((script) => script !== undefined && !scripts.includes(script))).toEqual([]);
  });

  test('.ci/run does every step of npm run check', () => {
    const steps = (manifest().scripts.check ?? '').split('&&').map((step) => step.trim());
    expect(steps.length).toBeGreaterThan(1);
    const ci = read('.ci/run');
    expect(steps.filter((step) => !ci.includes(step))).toEqual([]);
  });
});

describe('the oldest Node', () => {
  test('is the same in package.json and in the script that makes up for an older one', () => {
    const [, major, minor] = /MINIMUM_NODE = \[(\d+), (\d+)\]/.exec(read('scripts/runtime-node.mjs')) ?? [];
    expect(manifest().engines.node).toBe(`>=${major}.${minor}`);
  });

  test('is not what is recommended: image, .nvmrc and that script agree on the major version', () => {
    const image = [...read('Dockerfile').matchAll(/^FROM node:(\d+)/gm)].map(([, major]) => major);
    const [, installed] = /RUNTIME_NODE_VERSION = '(\d+)\./.exec(read('scripts/prepare.mjs')) ?? [];
    expect(new Set([...image, installed, read('.nvmrc').trim()]).size).toBe(1);
  });
});

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
