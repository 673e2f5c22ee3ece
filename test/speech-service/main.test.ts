import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readServiceOptions, UsageError } from '../../src/speech-service/options.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { audit } from './audit.ts';
import { bearer, MAIN, program, start } from './program.ts';
import { runningService, send } from './running-service.ts';

const KEY = 'a-key-given-by-the-environment';

describe('the program', () => {
  test('with --json prints exactly one line, with a key on the first start only, and ends on SIGTERM', async () => {
    const dataDir = temporaryFolder();
    const first = await start(dataDir);
    expect(Object.keys(first.addresses).sort()).toEqual(['apiKey', 'audioUrl', 'dashboardUrl', 'url']);
    const { url = '', apiKey = '', dashboardUrl = '' } = first.addresses;
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect((await send('GET', `${url}/api/v1/models`, bearer(apiKey))).status).toBe(200);
    expect((await send('GET', dashboardUrl, {})).body).toContain('API Keys');
    first.child.kill('SIGTERM');
    expect(await first.exit).toEqual({ code: 0, signal: null });
    expect(first.stdout().trim().split('\n')).toHaveLength(1);
    expect(first.stderr()).not.toContain(apiKey);

    const second = await start(dataDir);
    expect(Object.keys(second.addresses).sort()).toEqual(['audioUrl', 'dashboardUrl', 'url']);
    expect((await send('GET', `${second.addresses.url}/api/v1/models`, bearer(apiKey))).status).toBe(200);
  });

  test('without --json tells people where it is, and last the key with how to make another', async () => {
    const running = program(['--port', '0', '--data', temporaryFolder()]);
    const all =
      /^Speech API http:.*\nAudio .*\nDashboard .*#token=.{32}\n.*\nAPI key .*crier_sk_.*\n.*Another key: .*\n$/;
    await expect.poll(running.stdout).toMatch(all);
  });

  test('never writes a spoken text to its log', async () => {
    const running = await start(temporaryFolder(), [], { SPEECH_SERVICE_KEY: KEY, LOG_LEVEL: 'trace' });
    const body = { input: 'a very private sentence', voice: 'aria', model: 'gpro' };
    const reply = await send('POST', `${running.addresses.url}/api/v1/speech`, bearer(KEY), body);
    await send('GET', `${running.addresses.url}/private-path?private=1`, bearer(KEY));
    running.child.kill('SIGTERM');
    await running.exit;
    expect(running.stderr()).toContain(String(reply.headers['request-id']));
    expect(running.addresses.apiKey).toBeUndefined();
    expect(running.stdout() + running.stderr()).not.toContain(KEY);
    expect(running.stderr()).not.toContain('private');
    expect(running.stderr()).toMatch(/"time":"\d{4}-\d\d-\d\dT[\d:.]+Z"/);
  });

  test('--exit-with-parent: ends when its standard input closes', async () => {
    const running = await start(temporaryFolder(), ['--exit-with-parent']);
    running.child.stdin?.end();
    // By itself, so that nothing in Node's own end can keep it: nobody would be there to end it.
    expect(await running.exit).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('ends on SIGTERM in the middle of work, giving the credits back', async () => {
    const dataDir = temporaryFolder();
    const { pending, child, exit } = await working(dataDir, 10);
    child.kill('SIGTERM');
    expect(await exit).toEqual({ code: 0, signal: null });
    await pending;
    const { balance, topUps, settled, open } = audit(dataDir);
    expect({ open, balance }).toEqual({ open: 0, balance: topUps - settled });
  });

  test('killed with -9 in the middle of work: the next start refunds open requests, and the sums are right', async () => {
    const dataDir = temporaryFolder();
    const { pending, child, exit } = await working(dataDir, 20);
    child.kill('SIGKILL');
    await exit;
    const answers = await pending;
    const crashed = audit(dataDir);
    expect(crashed.open).toBeGreaterThan(0);
    expect(crashed.balance).toBe(crashed.topUps - crashed.settled - crashed.open);

    const next = await runningService({ dataDir });
    const { balance, topUps, settled, open } = audit(dataDir);
    expect({ open, balance }).toEqual({ open: 0, balance: topUps - settled });
    expect(balance).toBe(next.ledger.account().creditsLeft);
    // Every answered request was billed.
    expect(settled).toBeGreaterThanOrEqual(answers.reduce((sum, credits) => sum + credits, 0));
  });

  test('--top-up adds credits, also while the service runs, and makes no account where there is none', async () => {
    const dataDir = temporaryFolder();
    const running = await start(dataDir, [], { SPEECH_SERVICE_KEY: KEY });
    const topUp = program(['--top-up', '500', '--data', dataDir]);
    expect(await topUp.firstLine).toBe(`Added 500 credits to the account in ${dataDir}; 100,000,500 are left.`);
    const billing = await send('GET', `${running.addresses.url}/api/v1/billing`, bearer(KEY));
    expect(billing.body).toMatchObject({ creditsLeft: 100_000_500, lastBillingTransaction: { amount: 500 } });

    const elsewhere = join(dataDir, 'misspelled');
    const wrong = program(['--top-up', '500', '--data', elsewhere]);
    expect(await wrong.exit).toMatchObject({ code: 1 });
    expect(wrong.stderr()).toContain(`There is no speech service in ${elsewhere}`);
    expect(existsSync(elsewhere)).toBe(false);
  });

  test.each([
    ['speech-service.sqlite', /Move it away, and the service starts with a new account and new keys; or put a backup/],
    ['speech-service.lock', /Nothing is kept in it: delete it/],
  ])('with a damaged %s it ends at once, naming it and what to do, and leaves it as it is', async (name, remedy) => {
    const file = join(temporaryFolder(), name);
    const rubbish = 'rubbish '.repeat(999);
    writeFileSync(file, rubbish);
    // As the bot starts it: its standard input stays open.
    const running = program(['--port', '0', '--data', dirname(file), '--json', '--exit-with-parent']);
    expect(await running.exit).toEqual({ code: 1, signal: null });
    expect(running.stderr().trim().split('\n')).toHaveLength(1);
    expect(running.stderr()).toContain(`${file} is damaged`);
    expect(running.stderr()).toMatch(remedy);
    expect(running.stderr()).not.toContain('already running');
    expect(readFileSync(file, 'utf8')).toBe(rubbish);
  });

  test('with a file as its folder it says that this must be a folder, and ends', async () => {
    const running = program(['--port', '0', '--data', MAIN, '--exit-with-parent']);
    expect(await running.exit).toEqual({ code: 1, signal: null });
    expect(running.stderr()).toContain(`${MAIN} must be a folder`);
  });

  test('a port that is taken is said in words, and the key is shown by the first start that works', async () => {
    const first = await start(temporaryFolder());
    const { port } = new URL(first.addresses.url ?? '');
    const dataDir = temporaryFolder();
    // The ports that follow may be taken as well.
    const second = program(['--port', port, '--audio-port', '0', '--dashboard-port', '0', '--data', dataDir]);
    expect((await second.exit).code).toBe(1);
    expect(second.stderr()).toMatch(new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is in use \\(EADDRINUSE\\): .*\n$`));
    expect((await start(dataDir)).addresses.apiKey).toMatch(/^crier_sk_/);
  });
});

describe('options', () => {
  test.each([
    [[], { host: '127.0.0.1', port: 8640, audioPort: 8641, dashboardPort: 8642, faultsOverHttp: false }],
    // A port that was chosen brings its neighbor for the audio; the dashboard takes any free one.
    [['--port', '9000'], { port: 9_000, audioPort: 9_001, dashboardPort: 0 }],
  ])('%j means %j', (args, service) => {
    expect(readServiceOptions(args, {})).toMatchObject({ service, json: false, engines: undefined });
  });

  test.each([
    ['openai', 'http://127.0.0.1:9000/v1'],
    ['wyoming', 'tcp://127.0.0.1:10200'],
  ])('one free engine of the kind %s is named by its address', (kind, url) => {
    expect(readServiceOptions([], { SPEECH_ENGINE_URL: url }).engines).toMatchObject([{ name: 'server', kind, url }]);
  });

  test('a server has half of what clients wait, and a minute at least, until its first audio', () => {
    const deadline = (given?: string) => readServiceOptions([], { SPEECH_TIMEOUT_MS: given }).engineDeadlineMs;
    expect([undefined, '', '120000', '300001'].map(deadline)).toEqual([60_000, 60_000, 60_000, 150_001]);
    for (const wrong of ['5 min', '9999999999', '0x1D4C0']) {
      expect(() => deadline(wrong)).toThrow(
        'SPEECH_TIMEOUT_MS must be a whole number of milliseconds from 1000 to 600000.',
      );
    }
  });

  test.each<[args: string[], env?: Record<string, string>]>([
    [['--port', '70000']],
    [['--nonsense']],
    [['--no-dashboard', '--faults']],
    [['--audio-base-url', 'ftp://x']],
    [[], { SPEECH_SERVICE_KEY: 'with space' }],
    [[], { SPEECH_ENGINES: 'deploy/natural-voice/engines.toml', SPEECH_ENGINE_URL: 'http://x' }],
    [[], { LOG_LEVEL: 'loud' }],
  ])('%j with %j is a usage error', (args, env = {}) => {
    expect(() => readServiceOptions(args, env)).toThrow(UsageError);
  });

  test.each(['-5', '1,000'])('%s is told to be no top-up', (amount) => {
    expect(() => readServiceOptions(['--top-up', amount], {})).toThrow(
      /^--top-up must be a whole number from 1 to \d+, without separators: credits are only added\.$/,
    );
  });
});

/** A service on so many requests that take a while each: every word is sung. `pending`: the credits of those that were answered. */
async function working(dataDir: string, count: number) {
  const { child, exit, addresses } = await start(dataDir, [], { SPEECH_SERVICE_KEY: KEY });
  const body = { input: `<singing>${'la '.repeat(300)}</singing>`, voice: 'ash', model: 'ext' };
  const creditsUsed = () =>
    send('POST', `${addresses.url}/api/v1/speech`, bearer(KEY), body).then(
      (reply) => Number(reply.body.credits_used ?? 0),
      () => 0,
    );
  const pending = Promise.all(Array.from({ length: count }, creditsUsed));
  await expect.poll(() => audit(dataDir).open, { interval: 5 }).toBeGreaterThan(0);
  return { child, exit, pending };
}
