import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { serverThat } from '../loopback-server.ts';

/** A module of src, as a process of its own names it in an import. */
const named = (file: string) => JSON.stringify(new URL(`../../src/${file}`, import.meta.url).href);

/** What a process of its own prints as JSON at the end of this script. */
async function printedBy(script: string) {
  const args = ['--input-type=module', '--eval', script];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
}

/** What a process of its own has loaded of Node and of packages once it has imported these files, in turn. */
const loadedBy = (...files: readonly string[]): Promise<string[]> =>
  printedBy(`${files.map((file) => `await import(${named(file)});`).join('')}
    const { cache } = process.getBuiltinModule('node:module').createRequire(${named('main.ts')});
    console.log(JSON.stringify([...process.moduleLoadList, ...Object.keys(cache)]));`);

const NODES_OWN_FETCH = 'NativeModule internal/deps/undici/undici';
const undicis = (loaded: readonly string[]) =>
  new Set(loaded.flatMap((path) => /^.*node_modules.undici(?=\W)/.exec(path) ?? []));

test('the bot loads one undici, and not the one of Node besides', async () => {
  const loaded = await loadedBy('process/fetch-globals.ts', 'app/app.ts', 'app/log.ts');
  expect(undicis(loaded).size).toBe(1);
  expect(loaded).not.toContain(NODES_OWN_FETCH);
});

test('nor is the one of Node loaded when Discord answers', async () => {
  const url = await serverThat((_, response) => response.end('{}'));
  const loaded = await printedBy(`
    await import(${named('process/fetch-globals.ts')});
    const { REST } = await import(${JSON.stringify(import.meta.resolve('discord.js'))});
    const rest = new REST({ api: '${url}', retries: 0 }).setToken('a-token');
    rest.on('response', () => undefined);
    await rest.get('/gateway');
    console.log(JSON.stringify(process.moduleLoadList));
    process.exit();`);
  expect(loaded).not.toContain(NODES_OWN_FETCH);
});

test('the commands are described without the languages of Intl, whose data stays in memory', async () => {
  const found = await printedBy(`const used = [];
    for (const name of ['Collator', 'DateTimeFormat', 'DisplayNames', 'ListFormat', 'NumberFormat', 'PluralRules']) {
      const use = () => used.push(name + new Error().stack);
      Intl[name] = new Proxy(Intl[name], { construct: use, apply: use, get: use });
    }
    await import(${named('process/fetch-globals.ts')});
    const { commands } = await import(${named('commands/index.ts')});
    const { toCommandBody } = await import(${named('commands/framework/options.ts')});
    console.log(JSON.stringify({ used, bodies: commands.map((command) => toCommandBody(command)).length }));`);
  expect(found).toEqual({ used: [], bodies: expect.any(Number) });
});

test('a log for machines loads nothing that makes it pretty', async () => {
  const loaded = await loadedBy('app/log.ts');
  expect(loaded.filter((path) => path.includes('pino-pretty'))).toEqual([]);
  expect(loaded.some((path) => /node_modules.pino\W/.test(path))).toBe(true);
});

test('the built-in voice loads no undici, neither of Node nor of npm', async () => {
  const loaded = await loadedBy('speech-service/server.ts');
  expect(undicis(loaded).size).toBe(0);
  expect(loaded).not.toContain(NODES_OWN_FETCH);
});
