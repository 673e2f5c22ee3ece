import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { programEnv } from '../program-environment.ts';

const MAIN = fileURLToPath(new URL('../../src/playground/main.ts', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-demo-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The playground as a process of its own in an empty folder, fed from a pipe. */
async function playground(
  args: readonly string[],
  lines: readonly string[] = [],
  { nodeFlags = [] }: { readonly nodeFlags?: readonly string[] } = {},
) {
  const child = spawn(process.execPath, [...nodeFlags, MAIN, ...args], { cwd: folder, env: programEnv });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      output[name] += String(chunk);
    });
  }
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [code] = await once(child, 'close');
  return { code: code as number | null, ...output };
}

/** As after `npm ci --omit=dev`. */
const WITHOUT_SELFSIGNED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve: (specifier, context, next) => next(specifier === 'selfsigned' ? 'not-installed' : specifier, context),
  });
`)}`;

describe('npm run playground', () => {
  it('says in one sentence what to install where only the packages of the bot are', async () => {
    const { code, stdout, stderr } = await playground(['--help'], [], { nodeFlags: ['--import', WITHOUT_SELFSIGNED] });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'The playground needs npm packages that are not installed here, such as not-installed: npm ci --include=dev installs them.\n',
    });
  });

  it('--say --json speaks once and prints one line: the replies, the heard audio, credits and request id', async () => {
    const text = 'A text that says voice: in the middle.';
    const { code, stdout, stderr } = await playground(['--say', text, '--json', '--out', 'heard.wav']);
    expect(code, stderr).toBe(0);
    expect(stdout.split('\n')).toHaveLength(2);
    const said = JSON.parse(stdout);
    expect(said.replies).toEqual([expect.stringContaining(text)]);
    expect(said.heard).toMatchObject({ endToEndEncrypted: true, file: 'heard.wav', firstAudioMs: expect.any(Number) });
    expect(said.heard.seconds).toBeGreaterThan(1);
    expect(said.heard.packets).toBeGreaterThan(50);
    expect(said.credits.used).toBeGreaterThan(0);
    expect(said.credits.remaining).toBeGreaterThan(0);
    expect(said.requestId).toMatch(/^req_/);
    const wav = readFileSync(join(folder, 'heard.wav'));
    expect(wav.readUInt32LE(24)).toBe(48_000);
    expect(wav.readUInt32LE(40) / 2 / 48_000).toBeCloseTo(said.heard.seconds, 2);
  });

  it('follows the bot at each LOG_LEVEL, which decides what is written to the log', async () => {
    const said = await playground(['--say', 'Hello', '--json', '--verbose', '--set', 'LOG_LEVEL=Silent']);
    expect(said.code, said.stderr).toBe(0);
    expect(JSON.parse(said.stdout)).toMatchObject({ replies: [expect.stringContaining('“Hello”')] });
    expect(said.stderr).not.toContain('{');
    const logs = readdirSync(join(folder, 'data', 'playground')).filter((name) => name.endsWith('.log'));
    expect(logs.map((name) => readFileSync(join(folder, 'data', 'playground', name), 'utf8'))).toEqual(['']);
  });

  it('--say with a voice that does not exist is silent, and ends with 1', async () => {
    const { code, stdout } = await playground(['--say', 'Hello', '--voice', 'nobody-of-that-name', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ heard: { seconds: 0, packets: 0, firstAudioMs: null, file: null } });
  });

  it('shows a conversation, runs the lines of a pipe, and ends with 1 as one of them failed', async () => {
    const { code, stdout, stderr } = await playground([], ['/credits', '/nothing', 'as alice', '/say Not in voice.']);
    expect(code, stderr).toBe(1);
    expect(stdout).toMatch(/olga in General> \/say text:Hello!/);
    expect(stdout).toMatch(/heard \d\.\d s of speech in \d+ packets, end-to-end encrypted/);
    expect(stdout).toContain('The voice is free');
    expect(stdout).toContain('There is no command /nothing here');
    expect(stdout).toContain('(only you can see this)');
    expect(stdout).toContain('You’re not in a voice channel');
  });

  it('says at the start that credits may be taken, where engines of a file speak', async () => {
    const file = '[[engines]]\nname = "local"\nkind = "embedded"\ncredits_per_character = 1\n';
    writeFileSync(join(folder, 'engines.toml'), file);
    const { code, stdout, stderr } = await playground(['--set', 'SPEECH_ENGINES=engines.toml'], ['quit']);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('  credits         may be taken for what is spoken here, the first text too\n');
    expect(stdout).toMatch(/\d credits used/);
  });

  it('has a page where one is asked for, with an address that opens once', async () => {
    const { code, stdout, stderr } = await playground(['--port', '0'], ['page']);
    expect(code, stderr).toBe(0);
    const [announced, next] = stdout.match(/http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}/g) ?? [];
    expect(announced).toBeDefined();
    expect(next).toBe(announced);
  });

  it('ends with 0 when every line went well', async () => {
    const { code, stderr } = await playground([], ['help', '/voices', 'as bob write Hello', 'read', 'quit', '/never']);
    expect(code, stderr).toBe(0);
  });

  it('--data: settings of servers and members come back in the next run', async () => {
    const first = await playground(
      ['--data', 'mine'],
      ['/voice set voice:basil', 'newcomer zoe', 'as zoe /voice set speed:1.5'],
    );
    expect(first.code, first.stdout).toBe(0);
    const shown = ['as bob /voice show', 'newcomer yan', 'as yan /voice show', 'newcomer zoe', 'as zoe /voice show'];
    const second = await playground(['--data', 'mine'], ['/voice show', ...shown]);
    expect(second.code, second.stdout).toBe(0);
    const settings = [...second.stdout.matchAll(/- voice: (\w+)[\s\S]*?- speed: (.+)/g)];
    expect(settings.map(([, voice, speed]) => [voice, /1\.5/.test(speed ?? '')])).toEqual([
      ['basil', false],
      ['aria', false],
      ['aria', false],
      ['aria', true],
    ]);
  });

  it('says what is wrong with its command line', async () => {
    expect(await playground(['--json'])).toMatchObject({ code: 1, stderr: '--json needs --say TEXT.\n' });
    expect((await playground(['--help'])).stdout).toContain('--say TEXT');
    expect((await playground(['--set', 'loud'])).stderr).toContain('--set loud is not a setting');
    const unknown = await playground(['--set', 'LOG_LEVLE=debug']);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toBe(
      '--set LOG_LEVLE: the bot has no such setting; the nearest name is LOG_LEVEL; .env.example lists all of them.\n',
    );
    const excluded = await playground(['--set', 'ALLOWED_SERVERS=123456789012345678']);
    expect(excluded).toMatchObject({ code: 1, stdout: '' });
    expect(excluded.stderr).toContain('Write --set ALLOWED_SERVERS=Playground');
  });

  it('--set ALLOWED_SERVERS=Playground: the bot leaves every other server, and says why', async () => {
    // While a text is spoken from beginning to end, the bot has said so and left.
    const lines = ['server Other', 'server Playground', '/say text:Still spoken here.', 'server Other', 'read'];
    const { code, stdout, stderr } = await playground(['--set', 'ALLOWED_SERVERS=playground'], lines);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('this isn’t one of them, so the bot is leaving');
    expect(stdout).toContain('“Still spoken here.”');
  });

  it('says before anything is spoken that --out cannot be written', async () => {
    const { code, stdout } = await playground(['--say', 'Hello', '--json', '--out', '/proc/heard.wav']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ replies: [], error: expect.stringContaining('/proc/heard.wav') });
  });

  it('says that --data cannot be made, as below /proc, where Node’s own recursive mkdir does not return', async () => {
    const { code, stderr } = await playground(['--data', '/proc/x']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/--data \/proc\/x cannot be made: ENOENT.*Choose another folder\.\n$/);
  });

  it('ends with the signal it received, without an error message', async () => {
    const child = spawn(process.execPath, [MAIN], { cwd: folder, env: programEnv });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    child.stdout.on('data', (chunk) => {
      if (String(chunk).includes('Spoken in')) child.kill('SIGTERM');
    });
    expect([await once(child, 'close'), stderr]).toEqual([[143, null], '']);
  });

  it('ends without an error message when nobody reads on', async () => {
    const child = spawn(process.execPath, [MAIN], { cwd: folder, env: programEnv });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    child.stdout.once('data', () => child.stdout.destroy());
    child.stdin.end('help\n');
    expect([await once(child, 'close'), stderr]).toEqual([[141, null], '']);
  });

  it('leaves no process behind when it is told to stop while it starts, nor when it is killed', async () => {
    const childrenOf = (pid: number) =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    const gone = (pids: readonly string[]) =>
      vi.waitFor(() => expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]), { timeout: 30_000 });
    for (const signal of ['SIGHUP', 'SIGKILL'] as const) {
      const child = spawn(process.execPath, [MAIN], { cwd: folder, env: programEnv, stdio: 'ignore' });
      const ended = once(child, 'close');
      const bots = await vi.waitUntil(
        () => {
          const found = childrenOf(child.pid ?? 0);
          return found.length > 0 ? found : undefined;
        },
        { timeout: 30_000 },
      );
      child.kill(signal);
      expect(await ended).toEqual(signal === 'SIGHUP' ? [129, null] : [null, 'SIGKILL']);
      await gone(bots);
    }
    // The bot gives itself 10 s to end, and a busy machine takes as long to start it.
  }, 150_000);
});
