import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serverThat } from '../loopback-server.ts';
import { runProgram } from '../program-environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const doctorFile = join(import.meta.dirname, '../..', 'src', 'doctor', 'main.ts');
const token = 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token-of-a-test';

const discord = () =>
  serverThat(({ url, headers }, response) => {
    response.statusCode = url === '/api/v10/gateway' && headers.authorization === undefined ? 200 : 500;
    response.end('{"url":"wss://gateway.example"}');
  });

async function doctor(env: Record<string, string>, args: string[] = [], cwd = temporaryFolder()) {
  const { code: status, ...said } = await runProgram([doctorFile, ...args], {
    cwd,
    env: { DISCORD_API_URL: `${await discord()}/api`, ...env },
  });
  return { status, ...said, cwd };
}

describe('npm run doctor', () => {
  test('says that DAVE is missing for this machine, once and to the end', async () => {
    const hide = new URL('../without-package.mjs?@snazzah/davey-', import.meta.url).href;
    const missing = { NODE_OPTIONS: `--import ${hide}` };
    const { status, stdout, stderr } = await doctor({ DISCORD_TOKEN: token, ...missing });
    expect(stdout).toMatch(/^✘ DAVE .*@snazzah\/davey does not work[\s\S]*npm ci without --omit=optional/m);
    expect(stdout.trim().split('\n').at(-1)).toBe('Crier cannot run yet: one problem (✘).');
    expect([status, stderr]).toEqual([1, '']);
  });

  test('ends with 0 where the bot can run, shows Discord no token, and leaves nothing behind', async () => {
    const { status, stdout, stderr, cwd } = await doctor({ DISCORD_TOKEN: token });
    expect(stdout).toMatch(/^✔ Node\b/);
    expect(stdout).toMatch(/^✔ DAVE +protocol version 1/m);
    expect(stdout).toMatch(/Opus encoder +(@discordjs\/opus|libopus-wasm)/);
    expect(stdout).toMatch(/^✔ speech +the built-in voice \(espeak-ng/m);
    expect(stdout).toMatch(/^✔ Discord +answers in/m);
    expect(stdout.trim().split('\n').at(-1)).toBe('Crier can run here.');
    expect({ status, stderr, files: readdirSync(cwd) }).toEqual({ status: 0, stderr: '', files: [] });
  });

  test('ends with 1 when something is missing, says where to get it, and still looks at everything else', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '.env'), '\ufeffREAD_MESSAGE=on\nCOLOR=red\nLOG_LEVEL=info\n', { mode: 0o644 });
    const speech = { SPEECH_TIMEOUT_MS: 'soon', SPEECH_ENGINE_URL: '127.0.0.1:1', VOICE_API_KEY: 'abcdefgh' };
    const { status, stdout } = await doctor({ DISCORD_TOKEN: '', DATA_DIR: doctorFile, ...speech }, ['--live'], cwd);
    expect(status).toBe(1);
    expect(stdout).toMatch(/✘ DISCORD_TOKEN +is missing\n +→ .*discord\.com\/developers/);
    expect(stdout).toMatch(/✘ SPEECH_TIMEOUT_MS +must be a whole number/);
    expect(stdout).toMatch(/✘ SPEECH_ENGINE_URL +must be a web address/);
    expect(stdout).toMatch(/✘ VOICE_API_URL +and VOICE_API_KEY go together: only VOICE_API_KEY is set/);
    expect(stdout).toMatch(/✘ DATA_DIR +is a file, not a folder: .*doctor\/main\.ts\n +→ A folder that the bot can/);
    expect(stdout).toMatch(/! --live +asks Discord with the token of the bot, but DISCORD_TOKEN is missing/);
    expect(stdout).toMatch(/! READ_MESSAGE +is not a setting of Crier\n.*\n +→ The nearest one is READ_MESSAGES\./);
    expect(stdout).toMatch(/! COLOR +is not a setting/);
    expect(stdout).toMatch(/! \.env +readable by others\n.*\n +→ chmod 600 \.env/);
    expect(stdout).not.toMatch(/^. (store|speech)/m);
    expect(stdout).toMatch(/^✔ DAVE/m);
  });

  test('asks the configured speech service, and shows neither key nor token, in one line of JSON', async () => {
    const key = 'key-that-nobody-may-see';
    const seen: unknown[] = [];
    const url = await serverThat((request, response) => {
      seen.push([request.method, request.url, request.headers.authorization]);
      response.setHeader('content-type', 'application/json');
      response.end('{"data":[{"id":"ext","name":"Ext","max_input_length":500,"supported_formats":["wav"]}]}');
    });
    const service = { DISCORD_TOKEN: token, VOICE_API_URL: url, VOICE_API_KEY: key };
    const { status, stdout, stderr } = await doctor(service, ['--json']);
    expect(seen).toEqual([['GET', '/api/v1/models', `Bearer ${key}`]]);
    expect(stdout.trimEnd()).not.toContain('\n');
    expect(JSON.parse(stdout)).toMatchObject({ canRun: true });
    expect(stdout).toContain(url);
    for (const secret of [key, token]) expect(`${stdout}${stderr}`).not.toContain(secret);
    expect(status).toBe(0);
  });

  test('does not know other options', async () => {
    const { status, stdout, stderr } = await doctor({}, ['--fix']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('--fix');
  });
});
