import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../src/doctor/finding.ts';
import { programEnv } from '../program-environment.ts';

const doctorFile = join(import.meta.dirname, '../..', 'src', 'doctor', 'main.ts');
const token = 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token-of-a-test';

/** Node 22 and 23 warn of their own SQLite in every program. */
const QUIET = ['--disable-warning=ExperimentalWarning'];

/** A Discord that says where its gateway is, and nothing else. */
const discord = createServer(({ url, headers }, response) => {
  response.statusCode = url === '/api/v10/gateway' && headers.authorization === undefined ? 200 : 500;
  response.end('{"url":"wss://gateway.example"}');
});
let discordUrl = '';
beforeAll(async () => {
  await once(discord.listen(0, '127.0.0.1'), 'listening');
  discordUrl = `http://127.0.0.1:${(discord.address() as AddressInfo).port}/api`;
});
afterAll(() => void discord.close());

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crier-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function doctor(env: Record<string, string>, args: string[] = [], cwd = temporaryFolder()) {
  const child = spawn(process.execPath, [...QUIET, doctorFile, ...args], {
    cwd,
    env: { ...programEnv, DISCORD_API_URL: discordUrl, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: status as number | null, stdout, stderr, cwd };
}

function findingOf(subject: string, stdout: string): Finding | undefined {
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings.find((finding) => finding.subject === subject);
}

describe('npm run doctor', () => {
  test('says that DAVE is missing for this machine, once and to the end', async () => {
    const hide = new URL('../without-package.mjs', import.meta.url).href;
    const missing = { NODE_OPTIONS: `--import ${hide}`, MISSING_PACKAGE: '@snazzah/davey-' };
    const { status, stdout, stderr } = await doctor({ DISCORD_TOKEN: token, ...missing });
    expect(stdout).toMatch(/^✘ DAVE .*@snazzah\/davey does not work[\s\S]*npm ci without --omit=optional/m);
    expect(stdout.trim().split('\n').at(-1)).toBe('Crier cannot run yet: one problem (✘).');
    expect([status, stderr]).toEqual([1, '']);
  });

  test('ends with 0 where the bot can run, and leaves nothing behind', async () => {
    const { status, stdout, stderr, cwd } = await doctor({ DISCORD_TOKEN: token });
    expect(stdout).toMatch(/^✔ Node\b/);
    expect(stdout).toMatch(/^✔ DAVE +protocol version 1/m);
    expect(stdout).toMatch(/^✔ ciphers +aes-256-gcm \(Node\), xchacha20-poly1305/m);
    expect(stdout).toMatch(/Opus encoder +(@discordjs\/opus|libopus-wasm), \d+ µs for a frame/);
    expect(stdout).toMatch(/^✔ speech +the local voice \(espeak-ng/m);
    expect(stdout.trim().split('\n').at(-1)).toBe('Crier can run here.');
    expect({ status, stderr, files: readdirSync(cwd) }).toEqual({ status: 0, stderr: '', files: [] });
  });

  test('ends with 1 when something is missing, says where to get it, and still looks at everything else', async () => {
    const { status, stdout } = await doctor({ DISCORD_TOKEN: '', DATA_DIR: doctorFile, SPEECH_TIMEOUT_MS: 'soon' });
    expect(status).toBe(1);
    expect(stdout).toMatch(/✘ DISCORD_TOKEN +is missing\n +→ .*discord\.com\/developers/);
    expect(stdout).toMatch(/✘ SPEECH_TIMEOUT_MS +must be a whole number/);
    expect(stdout).toMatch(
      /✘ DATA_DIR +is a file, not a folder: .*doctor\/main\.ts\n +→ A folder the bot may write to/,
    );
    expect(stdout).not.toMatch(/^. store/m);
    expect(stdout).toContain('Crier cannot run yet: 3 problems');
    expect(stdout).toMatch(/^✔ DAVE/m);
  });

  test('finds that the folder it takes by itself cannot be one', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'data'), '');
    const { status, stdout } = await doctor({ DISCORD_TOKEN: token }, [], cwd);
    expect(stdout).toMatch(/✘ DATA_DIR +is a file, not a folder: .*data$/m);
    expect(stdout).toContain('Crier cannot run yet: one problem');
    expect(status).toBe(1);
  });

  test.runIf(existsSync('/proc'))('does not wait for ever for a folder where nothing can be made', async () => {
    const { status, stdout } = await doctor({ DISCORD_TOKEN: token, DATA_DIR: '/proc/foo' }, ['--json']);
    expect(findingOf('DATA_DIR', stdout)).toMatchObject({
      verdict: 'blocking',
      found: 'cannot be created: /proc/foo (ENOENT)',
    });
    expect(status).toBe(1);
  });

  test('says nothing of SQLite where the settings are in a PostgreSQL', async () => {
    const { stdout } = await doctor({ DISCORD_TOKEN: token, STORE_URL: 'postgres://crier@127.0.0.1:1/crier' });
    expect(stdout).toMatch(/^✔ DATA_DIR +\S+data will be created$/m);
    expect(stdout).toMatch(/^✘ STORE_URL +database crier at /m);
    expect(stdout).not.toMatch(/SQLite|^. store/m);
  });

  test('names the limits on credits that the limit of all servers together makes void, and no others', async () => {
    const service = { DISCORD_TOKEN: token, VOICE_API_URL: 'http://127.0.0.1:9', VOICE_API_KEY: 'key' };
    const low = await doctor({ ...service, SPENDING_PER_DAY: '500', SPENDING_PER_MEMBER_PER_DAY: '5000' });
    expect(low.stdout).toMatch(
      /^! SPENDING_PER_MEMBER_PER_DAY +5000, more than SPENDING_PER_DAY \(500\)\n +→ .* 500 credits a day, and one person /m,
    );
    // It has its default, which is above that too, but nobody has chosen it.
    expect(low.stdout).not.toContain('SPENDING_PER_SERVER_PER_DAY');
    const high = await doctor({ ...service, SPENDING_PER_SERVER_PER_DAY: '500000' });
    expect(high.stdout).toMatch(/^! SPENDING_PER_SERVER_PER_DAY +500000, more than SPENDING_PER_DAY \(200000, unless/m);
    const fitting = { SPENDING_PER_DAY: '500', SPENDING_PER_SERVER_PER_DAY: '100', SPENDING_PER_MEMBER_PER_DAY: '200' };
    expect((await doctor({ ...service, ...fitting })).stdout).not.toContain('SPENDING_');
  });

  test('prints one line of JSON on stdout when asked to', async () => {
    const { status, stdout } = await doctor({ DISCORD_TOKEN: token }, ['--json']);
    expect(stdout.trimEnd()).not.toContain('\n');
    expect(JSON.parse(stdout)).toMatchObject({ canRun: true });
    expect(status).toBe(0);
  });

  test('says that Discord cannot be reached, with --live or without', async () => {
    const away = { DISCORD_TOKEN: token, DISCORD_API_URL: 'http://127.0.0.1:9' };
    for (const args of [['--json'], ['--json', '--live']]) {
      const { status, stdout } = await doctor(away, args);
      expect({ status, finding: findingOf('Discord', stdout) }).toMatchObject({
        status: 1,
        finding: { verdict: 'blocking', found: 'bad port' },
      });
    }
  });

  test('shows Discord the token only with --live', async () => {
    expect(findingOf('Discord', (await doctor({ DISCORD_TOKEN: token }, ['--json'])).stdout)?.verdict).toBe('good');
    expect(findingOf('Discord', (await doctor({}, ['--json', '--live'])).stdout)?.verdict).toBe('good');
  });

  test('says that --live needs a token', async () => {
    const { stdout } = await doctor({ DISCORD_TOKEN: '' }, ['--json', '--live']);
    expect(findingOf('--live', stdout)).toMatchObject({
      verdict: 'attention',
      found: expect.stringContaining('DISCORD_TOKEN is missing'),
    });
  });

  test('names misspelt settings and unknown ones of .env, and knows a token that cannot be one', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.env'), 'READ_MESSAGE=on\nCOLOUR=red\nLOG_LEVEL=info\nLOG_LEVEL=warn\n', { mode: 0o600 });
    const { status, stdout } = await doctor({ DISCORD_TOKEN: '123456789012345678' }, ['--json'], cwd);
    expect(findingOf('READ_MESSAGE', stdout)?.remedy).toBe('The nearest one is READ_MESSAGES.');
    expect(findingOf('COLOUR', stdout)).toMatchObject({ verdict: 'attention' });
    expect(findingOf('.env', stdout)).toMatchObject({ found: 'line 4 sets LOG_LEVEL again, after line 3' });
    expect(findingOf('DISCORD_TOKEN', stdout)).toMatchObject({ verdict: 'blocking' });
    expect(stdout).not.toContain('123456789012345678');
    expect(status).toBe(1);
  });

  test('does not know other options', async () => {
    const { status, stdout, stderr } = await doctor({}, ['--fix']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('--fix');
  });

  test('asks the configured speech service, and shows neither key nor token', async () => {
    const key = 'key-that-nobody-may-see';
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push([request.method, request.url, request.headers.authorization]);
      response.setHeader('content-type', 'application/json');
      response.end('{"data":[{"id":"ext","name":"Ext","max_input_length":500,"supported_formats":["wav"]}]}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { status, stdout, stderr } = await doctor({ DISCORD_TOKEN: token, VOICE_API_URL: url, VOICE_API_KEY: key }, [
      '--json',
    ]);
    expect(seen).toEqual([['GET', '/api/v1/models', `Bearer ${key}`]]);
    expect(findingOf('speech', stdout)).toMatchObject({ verdict: 'good', found: expect.stringContaining(url) });
    expect(`${stdout}${stderr}`).not.toContain(key);
    expect(`${stdout}${stderr}`).not.toContain(token);
    expect(status).toBe(0);
  });

  test('names the server that speaks for the local voice, and says nothing of one whose address is wrong', async () => {
    const engine = createServer(({ url }, response) => void response.end(url === '/v1/models' ? '["kokoro"]' : '{}'));
    await once(engine.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void engine.close());
    const { port } = engine.address() as AddressInfo;
    const right = {
      SPEECH_ENGINE_URL: `http://127.0.0.1:${port}/v1`,
      SPEECH_ENGINE_KEY: 'key-that-nobody-may-see',
      SPEECH_ENGINE_CREDITS_PER_CHARACTER: '0.00001',
    };
    const { status, stdout, stderr } = await doctor({ DISCORD_TOKEN: token, ...right });
    expect(stdout).toMatch(/^✔ speech +the local voice, spoken by 127\.0\.0\.1:\d+, which answers/m);
    expect(stdout).toMatch(/^! SPEECH_ENGINE_CREDITS_PER_CHARACTER +is 0\.00001 credits a character$/m);
    expect(stdout).toMatch(
      /^! SPEECH_ENGINE_MODEL +is not set, and stands for tts-1, which its server does not list$/m,
    );
    expect(`${stdout}${stderr}`).not.toContain(right.SPEECH_ENGINE_KEY);
    expect(status).toBe(0);
    const mistyped = await doctor({ DISCORD_TOKEN: token, SPEECH_ENGINE_URL: '127.0.0.1:8880' });
    expect(mistyped.stdout).toMatch(/✘ SPEECH_ENGINE_URL +must be a web address/);
    expect(mistyped.stdout).not.toMatch(/^. speech/m);
  });

  test.each([undefined, 'fifteen'])(
    'examines everything else where the price of such a server is %s',
    async (price) => {
      const { status, stdout } = await doctor({
        ...{ DISCORD_TOKEN: token, SPEECH_ENGINE_URL: 'http://127.0.0.1:1/v1', SPEECH_ENGINE_KEY: 'k' },
        ...(price !== undefined && { SPEECH_ENGINE_CREDITS_PER_CHARACTER: price }),
      });
      expect(stdout).toMatch(
        price === undefined
          ? /^✘ SPEECH_ENGINE_KEY +and SPEECH_ENGINE_CREDITS_PER_CHARACTER go together: only SPEECH_ENGINE_KEY is set/m
          : /^✘ SPEECH_ENGINE_CREDITS_PER_CHARACTER +must be a number such as 15 or 0\.5$/m,
      );
      expect(stdout).toMatch(/^✔ DISCORD_TOKEN/m);
      expect(stdout).not.toMatch(/^. speech/m);
      expect(status).toBe(1);
    },
  );

  test('names both settings when only one of the speech service is there', async () => {
    const { status, stdout } = await doctor({ DISCORD_TOKEN: token, VOICE_API_KEY: 'abcdefgh' }, ['--json']);
    expect(status).toBe(1);
    const found = findingOf('VOICE_API_URL', stdout);
    expect(found).toMatchObject({
      verdict: 'blocking',
      found: 'and VOICE_API_KEY go together: only VOICE_API_KEY is set',
    });
    expect(findingOf('speech', stdout)).toBeUndefined();
  });

  test('goes on with the other checks where the address of the speech service is none', async () => {
    const mistyped = { VOICE_API_URL: '127.0.0.1:8640', VOICE_API_KEY: 'abcdefgh' };
    const { status, stdout, stderr } = await doctor({ DISCORD_TOKEN: token, ...mistyped }, ['--json']);
    expect(status).toBe(1);
    expect(stderr).toBe('');
    expect(findingOf('VOICE_API_URL', stdout)).toMatchObject({ verdict: 'blocking' });
    expect(findingOf('store', stdout)).toBeDefined();
    expect(findingOf('speech', stdout)).toBeUndefined();
  });

  test('goes on where a wrong value leaves others alone that need it, or .env cannot be read', async () => {
    const one = { SPEECH_ENGINE_URL: 'http://192.168.1.5:8880', SPEECH_ENGINE_KEY: 'k' };
    const both = await doctor({ DISCORD_TOKEN: token, SPEECH_ENGINES: 'none.toml', ...one }, ['--json']);
    expect(findingOf('SPEECH_ENGINES', both.stdout)?.verdict).toBe('blocking');
    expect(both).toMatchObject({ status: 1, stderr: '' });
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.env'));
    const unread = await doctor({}, ['--json'], cwd);
    expect(findingOf('settings', unread.stdout)?.found).toMatch(/^\.env cannot be read/);
    expect(unread).toMatchObject({ status: 1, stderr: '' });
  });

  test('reads a .env with a byte-order mark, and says of one in UTF-16 what to do', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.env'), `\ufeffDISCORD_TOKEN=${token}\n`, { mode: 0o600 });
    const marked = await doctor({}, [], cwd);
    expect(marked.stdout).toMatch(/^✔ DISCORD_TOKEN +set/m);
    expect(marked.stdout).not.toContain('is not a setting');
    writeFileSync(join(cwd, '.env'), Buffer.from(`\ufeffDISCORD_TOKEN=${token}\n`, 'utf16le'));
    const wide = await doctor({}, [], cwd);
    expect(wide.stdout).toContain('.env is in UTF-16: save it as UTF-8');
    expect(wide.stdout).not.toMatch(/\0|is not a setting/);
    expect(wide.status).toBe(1);
  });

  test('reads .env, and reports other users that can', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.env'), `DISCORD_TOKEN=${token}\n`, { mode: 0o644 });
    const { status, stdout } = await doctor({}, ['--json'], cwd);
    expect(findingOf('DISCORD_TOKEN', stdout)).toMatchObject({ verdict: 'good', found: expect.stringMatching(/^set/) });
    expect(findingOf('.env', stdout)).toMatchObject({ verdict: 'attention', remedy: 'chmod 600 .env' });
    expect(status).toBe(0);
  });
});
