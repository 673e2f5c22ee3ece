import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { serverThat } from '../loopback-server.ts';
import { runProgram } from '../program-environment.ts';
import { KEY, startEmbeddedSubject } from './embedded-subject.ts';

const PROGRAM = fileURLToPath(new URL('../../src/conformance/main.ts', import.meta.url));

const run = (args: readonly string[], env: Record<string, string> = {}) => runProgram([PROGRAM, ...args], { env });

async function runningService() {
  const embedded = await startEmbeddedSubject();
  onTestFinished(() => embedded[Symbol.asyncDispose]());
  return embedded.subject.apiOrigin;
}

it('prints a table of the rules and spends nothing unless asked', async () => {
  const url = await runningService();
  const { code, stdout } = await run(['--url', `${url}/api/v1/speech`, '--only', 'voice/'], { VOICE_API_KEY: KEY });
  expect(stdout).toMatch(/^\nVoice\n {2}pass +voice\/id /);
  expect(stdout).toMatch(/ n\/a +voice\/id\/usable .*would spend credits/);
  expect(stdout).toMatch(/13 rules: 11 pass, 0 fail, 2 not applicable/);
  expect(stdout).not.toContain(KEY);
  expect(code).toBe(0);
});

it('ends with 1 when a rule does not hold', async () => {
  const url = await serverThat((_request, response) => response.end('{}'));
  const { code, stdout } = await run(['--url', url, '--key', KEY, '--only', 'billing/']);
  expect(stdout).toMatch(/FAIL +billing\/creditsLeft /);
  expect(code).toBe(1);
});

it('ends before any rule with a key that is refused', async () => {
  const ended = await run(['--url', await runningService(), '--key', 'not-a-key']);
  expect(ended).toEqual({
    code: 2,
    stdout: '',
    stderr: 'The service does not accept the key (401 invalid_api_key): no rule was looked at.\n',
  });
});

it('ends before any rule where nothing answers, and says so once', async () => {
  expect(await run(['--url', 'http://127.0.0.1:1/api/v1/speech', '--key', KEY])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Nothing answers at http://127.0.0.1:1 (ECONNREFUSED): no rule was looked at.\n',
  });
});

/** The program, killed with the test if it has not ended, and what it writes to stderr. */
function started(url: string) {
  const child = spawn(process.execPath, [PROGRAM, '--url', url, '--key', KEY], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, stdout: child.stdout.setEncoding('utf8'), stderr: text(child.stderr) };
}

it('ends without a word when its reader wants no more, as head does', async () => {
  const { child, stdout, stderr } = started(await runningService());
  stdout.once('data', () => stdout.destroy());
  expect([await once(child, 'close'), await stderr]).toEqual([[141, null], '']);
});

it('ends with 2, without having asked anybody, for values that cannot be right', async () => {
  const at = ['--url', 'http://127.0.0.1:1'];
  for (const [args, env, complaint] of [
    [[], {}, '--url is missing.'],
    [at, {}, 'There is no key: set VOICE_API_KEY'],
    [['--url', 'nonsense'], { VOICE_API_KEY: KEY }, 'the speech service address must begin with https:// or http://.'],
    [at, { VOICE_API_KEY: 'two words' }, 'the speech service key or its prefix holds white space'],
    [[...at, '--only', 'no-such-rule'], { VOICE_API_KEY: KEY }, 'No rule\'s id contains "no-such-rule".'],
  ] as const) {
    const { code, stdout, stderr } = await run(args, env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.startsWith(complaint)).toBe(true);
    expect(stderr).toContain('Usage:');
    expect(stderr).not.toContain('two words');
  }
});

it('interrupted, it ends at once and blames no rule for it', async () => {
  const { child, stdout, stderr } = started(await runningService());
  let printed = '';
  // More rules than requests a minute: the run cannot have ended when this line comes.
  stdout.on('data', (chunk: string) => {
    if (!printed.includes('voice/id ') && (printed + chunk).includes('voice/id ')) child.kill('SIGINT');
    printed += chunk;
  });
  expect(await once(child, 'close')).toEqual([130, null]);
  expect(printed).toMatch(/ pass, 0 fail, /);
  expect(await stderr).toMatch(/^Interrupted: \d+ rules were not looked at\.\n$/);
}, 10_000);
