import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { serverThat } from '../loopback-server.ts';

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
  const loaded = loadedBy('process/fetch-globals.ts', 'app/app.ts', 'app/log.ts');
  expect(undicis(loaded).size).toBe(1);
  expect(loaded).not.toContain(NODES_OWN_FETCH);
});

test('nor is the one of Node loaded when Discord answers', async () => {
  const url = await serverThat((_, response) => response.end('{}'));
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--input-type=module', '--eval'],
    `await import(${JSON.stringify(pathToFileURL(`${SRC}process/fetch-globals.ts`).href)});
    const { REST } = await import(${JSON.stringify(import.meta.resolve('discord.js'))});
    const rest = new REST({ api: '${url}', retries: 0 }).setToken('a-token');
    rest.on('response', () => undefined);
    await rest.get('/gateway');
    console.log(JSON.stringify(process.moduleLoadList));
    process.exit();`,
  ]);
  expect(JSON.parse(stdout)).not.toContain(NODES_OWN_FETCH);
});

test('the commands are described without the languages of Intl, whose data stays in memory', () => {
  const found = execFileSync(
    process.execPath,
    [
      ...['--input-type=module', '--eval'],
      `const used = [];
      for (const name of ['Collator', 'DateTimeFormat', 'DisplayNames', 'ListFormat', 'NumberFormat', 'PluralRules']) {
        const use = () => used.push(name + new Error().stack);
        Intl[name] = new Proxy(Intl[name], { construct: use, apply: use, get: use });
      }
      await import(${JSON.stringify(pathToFileURL(`${SRC}process/fetch-globals.ts`).href)});
      const { commands } = await import(${JSON.stringify(pathToFileURL(`${SRC}commands/index.ts`).href)});
      const { toCommandBody } = await import(${JSON.stringify(pathToFileURL(`${SRC}commands/framework/definition.ts`).href)});
      const bodies = commands.map((command) => toCommandBody(command));
      console.log(JSON.stringify({ used, bodies: bodies.length }));`,
    ],
    { encoding: 'utf8' },
  );
  expect(JSON.parse(found)).toEqual({ used: [], bodies: expect.any(Number) });
});

test('a log for machines loads nothing that makes it pretty', () => {
  const loaded = loadedBy('app/log.ts');
  expect(loaded.filter((path) => path.includes('pino-pretty'))).toEqual([]);
  expect(loaded.some((path) => /node_modules.pino\W/.test(path))).toBe(true);
});

test('the built-in voice loads no undici, neither of Node nor of npm', () => {
  const loaded = loadedBy('speech-service/server.ts');
  expect(undicis(loaded).size).toBe(0);
  expect(loaded).not.toContain(NODES_OWN_FETCH);
});
