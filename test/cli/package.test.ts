import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { installedVoice } from './installed-voice.ts';
import { installedProgram, voiceProgram } from './voice-program.ts';

const installed = await installedVoice();
const manifest = JSON.parse(
  execFileSync('tar', ['-xzOf', installed.tarball, 'package/package.json'], { encoding: 'utf8' }),
);

describe('the packed tarball', () => {
  test('lists what voice needs, without Discord, without a part under the GPL, without an install script', () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual([
      'commander',
      'open',
      'smol-toml',
      'string-width',
      'undici',
      'zod',
    ]);
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['scripts']));
    expect(manifest).toMatchObject({ name: 'crier-voice', bin: { voice: 'lib/cli/main.js' }, license: 'MIT' });
    expect(manifest.engines.node).toBe('>=22.19');
  });

  test('holds the program, its terms and how it is used, and no TypeScript', () => {
    const files = execFileSync('tar', ['-tzf', installed.tarball], { encoding: 'utf8' }).trim().split('\n');
    expect(files).toEqual(expect.arrayContaining(['package/LICENSE', 'package/README.md', 'package/lib/cli/main.js']));
    expect(files.filter((file) => !/\.(js|json|md)$|LICENSE$/.test(file))).toEqual([]);
    expect(files.filter((file) => /discord|playground|speech-service/.test(file))).toEqual([]);
  });

  test('installs packages under permissive terms only, none of which wants to run a script', () => {
    const modules = join(installed.folder, 'installed', 'node_modules');
    const manifests = readdirSync(modules)
      .filter((name) => !name.startsWith('.'))
      .map((name) => JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')));
    expect(manifests.length).toBeGreaterThan(7);
    expect(manifests.filter(({ license }) => !/^(MIT|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0)$/.test(license))).toEqual(
      [],
    );
    const hooks = manifests.filter(({ scripts = {} }) => scripts.preinstall ?? scripts.install ?? scripts.postinstall);
    expect(hooks.map(({ name }) => name)).toEqual([]);
  });
});

describe('voice, installed', () => {
  test('says what it does, which variables it reads and how it ends', async () => {
    const voice = await installedProgram();
    const { code, stdout } = await voice.start(['--help']);
    expect(code).toBe(0);
    for (const command of [
      'login',
      'tts',
      'voices',
      'curl',
      'key',
      'config',
      'play',
      'logout',
      'credits',
      'models',
      'openapi',
    ]) {
      expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
    }
    expect(stdout).toContain('VOICE_AUTH_HEADER_PREFIX');
    expect(stdout).toMatch(
      /0 done {3}1 failed {3}2 wrong usage.*3 not logged in.*\n.*4 no credits left {3}5 service not available/,
    );
    expect((await voice.start(['--version'])).stdout.trim()).toBe(manifest.version);
  });

  test('loads the argument parser for --help, and nothing a command needs', async () => {
    const voice = await installedProgram();
    const preload = join(voice.home, 'log-modules.mjs');
    writeFileSync(
      preload,
      `import { registerHooks } from 'node:module';
       registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`,
    );
    const { stderr } = await voice.start(['--help'], { NODE_OPTIONS: `--import=${preload}` });
    const loaded = stderr
      .trim()
      .split('\n')
      .filter((url) => url.startsWith('file:') && !url.includes('/commander/'));
    expect(loaded.map((url) => url.replace(/^.*\/lib\//, ''))).toEqual([
      'cli/main.js',
      'cli/start.js',
      'process/v8-workarounds.js',
      'cli/program.js',
      // The help names the models and the ranges of their parameters: one small table, which loads nothing more.
      'speech/interface/models.js',
      'cli/terminal/exit.js',
    ]);
  });

  test('on a Node that is too old says so in one sentence', async () => {
    const voice = await installedProgram();
    const preload = join(voice.home, 'old-node.mjs');
    writeFileSync(
      preload,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.1' } });",
    );
    const old = await voice.start(['--help'], { NODE_OPTIONS: `--import=${preload}` });
    const stderr = 'error: voice needs Node 22.19 or newer; this is 20.11.1.';
    const elsewhere = 'In a checkout of Crier, npm run -s voice -- runs on the Node that npm ci brought.';
    expect(old).toMatchObject({ code: 1, stdout: '', stderr: `${stderr} ${elsewhere}\n` });
    const root = join(import.meta.dirname, '..', '..');
    const inCheckout = spawnSync(process.execPath, [`--import=${preload}`, join(root, 'scripts', 'voice.mjs')]);
    expect(String(inCheckout.stderr)).toBe(`${stderr}\n`);
  });

  test('suggests a command for a misspelled one', async () => {
    const voice = voiceProgram();
    expect((await voice.run('vocies')).stderr).toContain('(Did you mean voices?)');
    expect((await voice.run('tts --fromat wav')).stderr).toContain('(Did you mean --format?)');
  });

  test.each([
    [['nonsense'], /unknown command/],
    [['tts', '--nope'], /unknown option '--nope'\nvoice --help/],
    [
      ['tts', '-5 degrees'],
      /unknown option '-5 degrees'\nA text .* before it: voice tts -o speech\.wav -- "-5 degrees"\n/,
    ],
    [['curl', '-5 degrees'], /unknown option '-5 degrees'\nA text .* before it: voice curl -- "-5 degrees"\n/],
    [['tts', '-$5'], /unknown option/],
    [['config', 'set', 'api_key', '-5 abc'], /unknown option '-5 abc'\nvoice --help/],
    [['play'], /missing required argument/],
    [[], /Usage: voice/],
  ])('ends with 2 for %j', async (args, message) => {
    const { code, stderr, stdout } = await voiceProgram().run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('the description of voice', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reference', 'voice.md'), 'utf8');
  const commands = createProgram('0').commands;

  test.each(commands.map((command) => [command.name(), command] as const))(
    'shows %s with an example',
    (name, command) => {
      expect(text).toMatch(new RegExp(`^\\| \`${name}\\b.*\`.*voice ${name}|\\$\\(voice ${name}`, 'm'));
      for (const child of command.commands) expect(text).toContain(`voice config ${child.name()}`);
    },
  );

  test('shows every flag of tts and curl', () => {
    const flags = commands
      .filter((command) => ['tts', 'curl'].includes(command.name()))
      .flatMap(({ options }) => options);
    expect(flags.map(({ long }) => long).filter((long) => !text.includes(`\`${long}\``))).toEqual([]);
  });
});
