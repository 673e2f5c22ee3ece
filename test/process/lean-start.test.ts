import { execFileSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** What a process of its own has loaded of Node and of packages once it has imported these files, in turn. */
function loadedBy(...files: readonly string[]): string[] {
  const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(SRC + file).href)});`).join('');
  const script = `${imports} const { createRequire } = process.getBuiltinModule('node:module');
    const { cache } = createRequire(${JSON.stringify(pathToFileURL(SRC).href)});
    console.log(JSON.stringify([...process.moduleLoadList, ...Object.keys(cache)]));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }));
}

const NODES_OWN_FETCH = 'NativeModule internal/deps/undici/undici';
const undicis = (loaded: readonly string[]) =>
  new Set(loaded.flatMap((path) => /^.*node_modules.undici(?=\W)/.exec(path) ?? []));

test('the bot loads one undici, and not the one of Node besides', () => {
  const loaded = loadedBy('process/form-data.ts', 'app/app.ts', 'app/log.ts');
  expect(undicis(loaded).size).toBe(1);
  expect(loaded).not.toContain(NODES_OWN_FETCH);
});

test('a log for machines loads nothing that makes it pretty', () => {
  const loaded = loadedBy('app/log.ts');
  expect(loaded.filter((path) => path.includes('pino-pretty'))).toEqual([]);
  expect(loaded.some((path) => /node_modules.pino\W/.test(path))).toBe(true);
});

test('the local voice loads no undici, neither of Node nor of npm', () => {
  const loaded = loadedBy('speech-service/server.ts');
  expect(undicis(loaded).size).toBe(0);
  expect(loaded).not.toContain(NODES_OWN_FETCH);
});
