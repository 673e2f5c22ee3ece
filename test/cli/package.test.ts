import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
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
const manifestIn = (path: string) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
const manifest = manifestIn(PACKAGE);
for (const name of Object.keys(manifest.dependencies))
  symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));

/** A module that is loaded before the program. */
function preloaded(source: string) {
  const path = join(mkdtempSync(join(folder, 'preload-')), 'preload.mjs');
  writeFileSync(path, source);
  return { NODE_OPTIONS: `--import=${path}` };
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(folder, 'home-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const program = join(PACKAGE, manifest.bin.voice);
  const options = { cwd: home, env: { HOME: home, PATH: process.env.PATH, ...env }, encoding: 'utf8' } as const;
  const { status: code, stdout, stderr } = spawnSync(process.execPath, [program, ...args], options);
  return { code, stdout, stderr };
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

  test('names packages under permissive terms only, none of which wants to run a script, nor do theirs', () => {
    const seen = new Map<string, { license: string; scripts?: Record<string, string> }>();
    const look = (name: string) => {
      if (seen.has(name)) return;
      const its = manifestIn(join(ROOT, 'node_modules', name));
      seen.set(name, its);
      Object.keys(its.dependencies ?? {}).forEach(look);
    };
    Object.keys(manifest.dependencies).forEach(look);
    expect(seen.size).toBeGreaterThan(7);
    for (const [name, { license, scripts = {} }] of seen) {
      expect(license, name).toMatch(/^(MIT|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0)$/);
      expect(scripts.preinstall ?? scripts.install ?? scripts.postinstall, name).toBeUndefined();
    }
  });
});

describe('voice, unpacked', () => {
  test('says what it does, which variables it reads and how it ends', () => {
    const { code, stdout } = start(['--help']);
    expect(code).toBe(0);
    for (const command of 'login tts voices curl key config play logout credits models openapi'.split(' '))
      expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
    expect(stdout).toContain('VOICE_AUTH_HEADER_PREFIX');
    expect(stdout).toMatch(
      /0 done {3}1 failed {3}2 wrong usage.*3 not logged in.*\n.*4 no credits left {3}5 service not available/,
    );
    expect(start([])).toEqual({ code: 0, stdout, stderr: '' });
    expect(start(['--version']).stdout.trim()).toBe(manifest.version);
  });

  test('loads the argument parser for --help, and nothing a command needs', () => {
    const env = preloaded(
      `import { registerHooks } from 'node:module';
       registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`,
    );
    const loaded = start(['--help'], env).stderr.trim().split('\n');
    const own = loaded.filter((url) => url.startsWith('file:') && !url.includes('/commander/'));
    expect(own.map((url) => url.replace(/^.*\/lib\//, ''))).toEqual([
      'cli/main.js',
      'cli/start.js',
      'process/v8-workarounds.js',
      'cli/program.js',
      // The help names the models and the ranges of their parameters: one small table, which loads nothing more.
      'speech/interface/models.js',
      'cli/terminal/exit.js',
    ]);
  });

  test('on a Node that is too old says so in one sentence', () => {
    const env = preloaded(
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.1' } });",
    );
    const told = 'error: voice needs Node 22.19 or newer; this is 20.11.1.';
    const elsewhere = 'In a checkout of Crier, npm run -s voice -- runs on the Node that npm ci brought.';
    expect(start(['--help'], env)).toEqual({ code: 1, stdout: '', stderr: `${told} ${elsewhere}\n` });
    const inCheckout = spawnSync(process.execPath, [join(ROOT, 'scripts', 'voice.mjs')], { env });
    expect(String(inCheckout.stderr)).toBe(`${told}\n`);
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

  test.each(commands.map((command) => [command.name(), command] as const))(
    'shows %s with an example',
    (name, command) => {
      expect(text).toMatch(new RegExp(`^\\| \`${name}\\b.*\`.*voice ${name}|\\$\\(voice ${name}`, 'm'));
      for (const child of command.commands) expect(text).toContain(`voice config ${child.name()}`);
    },
  );

  test('shows every flag of tts and curl', () => {
    const described = commands.filter((command) => ['tts', 'curl'].includes(command.name()));
    const flags = described.flatMap(({ options }) => options.map(({ long }) => long));
    expect(flags.filter((long) => !text.includes(`\`${long}\``))).toEqual([]);
  });
});
