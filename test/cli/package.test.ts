import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { runProgram } from '../program-environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { voiceProgram } from './voice-program.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const folder = mkdtempSync(join(tmpdir(), 'voice-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The program as people get it: built, packed, and unpacked beside the packages that it names. */
const build = [join(ROOT, 'scripts', 'build-voice.mjs'), '--out', join(folder, 'built')];
const tarball = execFileSync(process.execPath, build, { encoding: 'utf8' }).trim();
const modules = join(folder, 'node_modules');
const PACKAGE = join(modules, 'crier-voice');
mkdirSync(PACKAGE, { recursive: true });
execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', PACKAGE]);
const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
for (const name of Object.keys(manifest.dependencies))
  symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));

/** A module that is loaded before the program. */
function preloaded(source: string) {
  const path = join(mkdtempSync(join(folder, 'preload-')), 'preload.mjs');
  writeFileSync(path, source);
  return { NODE_OPTIONS: `--import=${path}` };
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = temporaryFolder();
  return runProgram([join(PACKAGE, manifest.bin.voice), ...args], { cwd: home, env: { HOME: home, ...env } });
}

describe('the packed tarball', () => {
  test('lists what voice needs, without Discord, without a part under the GPL, without an install script', () => {
    const needed = ['commander', 'open', 'smol-toml', 'string-width', 'undici', 'zod'];
    expect(Object.keys(manifest.dependencies).sort()).toEqual(needed);
    expect(manifest).not.toHaveProperty('scripts');
    expect(manifest).toMatchObject({ name: 'crier-voice', bin: { voice: 'lib/cli/main.js' }, license: 'MIT' });
    expect(manifest.engines.node).toBe('>=22.19');
  });

  test('holds the program, its terms and how it is used, and no TypeScript', () => {
    const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
    expect(files).toEqual(expect.arrayContaining(['package/LICENSE', 'package/README.md', 'package/lib/cli/main.js']));
    expect(files.filter((file) => !/\.(js|json|md)$|LICENSE$/.test(file))).toEqual([]);
    expect(files.filter((file) => /discord|playground|speech-service/.test(file))).toEqual([]);
  });
});

describe('voice, unpacked', () => {
  test('says what it does, which variables it reads and how it ends', async () => {
    const { code, stdout } = await start(['--help']);
    expect(code).toBe(0);
    for (const command of 'login tts voices curl key config play logout credits models openapi'.split(' '))
      expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
    expect(stdout).toContain('VOICE_AUTH_HEADER_PREFIX');
    expect(stdout).toMatch(
      /0 done {3}1 failed {3}2 wrong usage.*3 not logged in.*\n.*4 no credits left {3}5 service not available/,
    );
    expect(await start([])).toEqual({ code: 0, stdout, stderr: '' });
    expect((await start(['--version'])).stdout.trim()).toBe(manifest.version);
  });

  test('loads the argument parser for --help, and nothing a command needs', async () => {
    const env = preloaded(
      `import { registerHooks } from 'node:module';
       registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`,
    );
    const loaded = (await start(['--help'], env)).stderr.trim().split('\n');
    const own = loaded.filter((url) => url.startsWith('file:') && !url.includes('/commander/'));
    expect(own.map((url) => url.replace(/^.*\/lib\//, ''))).toEqual([
      'cli/main.js',
      'cli/start.js',
      'process/v8-workarounds.js',
      'cli/program.js',
      // The help names the models and the ranges of their parameters: one small table, which loads nothing more.
      'speech/interface/models.js',
      'cli/terminal/terminal.js',
      'network/connection-errors.js',
    ]);
  });

  test('on a Node that is too old says so in one sentence', async () => {
    const env = preloaded(
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.1' } });",
    );
    const told = 'error: voice needs Node 22.19 or newer; this is 20.11.1.';
    const elsewhere = 'In a checkout of Crier, npm run -s voice -- runs on the Node that npm ci brought.';
    expect(await start(['--help'], env)).toEqual({ code: 1, stdout: '', stderr: `${told} ${elsewhere}\n` });
    const inCheckout = await runProgram([join(ROOT, 'scripts', 'voice.mjs')], { env });
    expect(inCheckout.stderr).toBe(`${told}\n`);
  });
});

test.each([
  ['vocies', /\(Did you mean voices\?\)/],
  ['tts --nope', /unknown option '--nope'\nvoice --help/],
  ['tts "-5 degrees"', /unknown option '-5 degrees'\nA text .* before it: voice tts -o speech\.wav -- "-5 degrees"\n/],
  ['config set api_key "-5 abc"', /unknown option '-5 abc'\nvoice --help/],
])('%j ends with 2, and says what is wrong', async (line, message) => {
  const ended = await voiceProgram().run(line);
  expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
});

describe('the description of voice', () => {
  const text = readFileSync(join(ROOT, 'docs', 'reference', 'voice.md'), 'utf8');
  const { commands } = createProgram('0');

  test.each(commands.map((command) => command.name()))('shows %s with an example', (name) => {
    expect(text).toMatch(new RegExp(`^\\| \`${name}\\b.*\`.*voice ${name}|\\$\\(voice ${name}`, 'm'));
  });

  test('shows every command of voice config', () => {
    const { commands: children = [] } = commands.find((command) => command.name() === 'config') ?? {};
    expect(children.filter((child) => !text.includes(`voice config ${child.name()}`))).toEqual([]);
  });

  test('shows every flag of tts and curl', () => {
    const described = commands.filter((command) => ['tts', 'curl'].includes(command.name()));
    const flags = described.flatMap(({ options }) => options.map(({ long }) => long));
    expect(flags.filter((long) => !text.includes(`\`${long}\``))).toEqual([]);
  });
});
