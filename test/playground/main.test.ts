import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { programEnv } from '../program-environment.ts';

const MAIN = fileURLToPath(new URL('../../src/playground/main.ts', import.meta.url));

let folders: string;
beforeAll(() => {
  folders = mkdtempSync(join(tmpdir(), 'crier-demo-'));
});
afterAll(() => rmSync(folders, { recursive: true, force: true }));

/** The playground as a process of its own in an empty folder. */
function start(args: readonly string[]) {
  const folder = mkdtempSync(join(folders, 'run-'));
  const child = spawn(process.execPath, args, { cwd: folder, env: programEnv });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      output[name] += String(chunk);
    });
  }
  return { child, output, folder };
}

/** Fed from a pipe, to its end. */
async function playground(args: readonly string[], lines: readonly string[] = [], nodeFlags: readonly string[] = []) {
  const { child, output, folder } = start([...nodeFlags, MAIN, ...args]);
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [code] = await once(child, 'close');
  return { code: code as number | null, folder, ...output };
}

/** As after `npm ci --omit=dev`. */
const WITHOUT_SELFSIGNED = new URL('../without-package.mjs?selfsigned', import.meta.url).href;

// Most of their time they wait for speech to be spoken.
describe.concurrent('npm run playground', () => {
  it('says in one sentence what to install where only the packages of the bot are', async () => {
    expect(await playground(['--help'], [], ['--import', WITHOUT_SELFSIGNED])).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'The playground needs npm packages that are not installed here, such as selfsigned: npm ci --include=dev installs them.\n',
    });
  });

  it('--say --json speaks once and prints one line: the replies, the heard audio and request id', async () => {
    const text = 'A text that says voice: in the middle.';
    const { code, stdout, stderr, folder } = await playground(['--say', text, '--json', '--out', 'heard.wav']);
    expect(code, stderr).toBe(0);
    expect(stdout.split('\n')).toHaveLength(2);
    const said = JSON.parse(stdout);
    expect(said.replies).toEqual([expect.stringContaining(text)]);
    expect(said.heard).toMatchObject({ endToEndEncrypted: true, file: 'heard.wav', firstAudioMs: expect.any(Number) });
    expect(said).not.toHaveProperty('credits');
    expect(said.requestId).toMatch(/^req_/);
    const wav = readFileSync(join(folder, 'heard.wav'));
    expect(wav.readUInt32LE(40) / 2 / 48_000).toBeCloseTo(said.heard.seconds, 2);
  });

  it('with nothing configured it speaks, runs the lines of a pipe, has a page, and ends with 1 as one failed', async () => {
    const lines = ['/credits', '/nothing', 'as alice', '/say Not in voice.', 'page'];
    const { code, stdout, stderr, folder } = await playground(['--port', '0', '--data', 'mine'], lines);
    expect(code, stderr).toBe(1);
    expect(stdout).toMatch(/olga in General> \/say text:Hello!/);
    expect(stdout).toMatch(/heard \d\.\d s of speech in \d+ packets, end-to-end encrypted/);
    expect(stdout).toContain('The voice is free');
    expect(stdout).toContain('There is no command /nothing here');
    expect(stdout).toContain('You’re not in a voice channel');
    const [announced, next] = stdout.match(/http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{32}/g) ?? [];
    expect(next).toBe(announced);
    expect(existsSync(join(folder, 'mine'))).toBe(true);
  });

  it('ends with the signal it received, without an error message, and leaves no process behind', async () => {
    const { child, output } = start([MAIN]);
    await vi.waitFor(() => expect(output.stdout).toContain('> /say text:Hello!'), { timeout: 170_000 });
    const bots = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ').filter(Boolean);
    expect(bots).not.toEqual([]);
    child.kill('SIGTERM');
    expect([await once(child, 'close'), output.stderr]).toEqual([[143, null], '']);
    expect(bots.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });
});
