import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { selectVoices } from '../../src/cli/actions/voices.ts';
import type { Voice } from '../../src/speech/interface/schemas.ts';
import { languageNamed, voicesThatSpeak } from '../../src/speech/interface/languages.ts';
import { type Service, startService } from './service.ts';
import { voiceProgram } from './voice-program.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('in a pipe', () => {
  test('voices is an aligned table without colors, and nothing in it is shortened', async () => {
    const voice = voiceProgram(await service.env());
    const { stdout, stderr } = await voice.run(['voices']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(1 + 36);
    expect(lines[0]).toMatch(/^NAME {2,}MODEL {2,}LANGUAGE {2,}FORMATS {2,}STYLE {2}VOICE ID$/);
    expect(new Set(lines.map((line) => /[0-9a-f]{8}-[0-9a-f-]{27}$/.test(line)))).toEqual(new Set([false, true]));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colors begin with it
    expect(stdout).not.toMatch(/\u001b/);
    expect(stderr).toBe('');
  });

  test('voices --json lists the matching voices, for any alias', async () => {
    const voice = voiceProgram(await service.env());
    const all = JSON.parse((await voice.run(['voices', '--json'])).stdout);
    expect(all).toHaveLength(36);
    expect(selectVoices(all, { model: 'GROK' })).toHaveLength(8);
    for (const language of ['de', 'German', 'Deutsch', 'en', 'en-gb', 'en_US']) {
      const wanted = languageNamed(language, [...new Set<string>(all.map((one: Voice) => one.language))], 'en') ?? '';
      const bots = voicesThatSpeak(wanted, all);
      expect([language, selectVoices(all, { language })]).toEqual([language, bots]);
    }
    expect(selectVoices(all, { search: 'aria' })).toHaveLength(4);
    expect(selectVoices(all, { search: 'british', model: 'orpheus' })).toHaveLength(2);
    const { stdout } = await voice.run(['voices', '--model', 'grok', '--search', 'ash', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'ash', model: 'ext' }]);
    const none = await voice.run(['voices', '--model', 'orpheus', '--search', 'nobody']);
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'No voice fits.\n' });
  });

  test('voices refuses a model and a language that nobody could have, and names those there are', async () => {
    const voice = voiceProgram(await service.env());
    expect(await voice.run(['voices', '--model', 'nope', '--json'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: No voice has a model "nope"\.\n.*gpro, .*orpheus/),
    });
    expect(await voice.run(['voices', '--language', 'Klingon'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: "Klingon" is not a language\.\n.* such as German or de\. .* English/),
    });
    const silent = await voice.run(['voices', '--language', 'sw']);
    expect(silent).toMatchObject({ code: 0, stdout: '', stderr: 'No voice speaks Swahili.\n' });
  });

  test('voices says by its model whether a voice takes a style, where the list does not', async () => {
    const data = ['gpro', 'orpheus'].map((model) => ({ id: `id-${model}`, name: 'ash', model, formats: ['wav'] }));
    const silent = createServer((_, answer) => answer.end(JSON.stringify({ data }))).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const voice = voiceProgram({ VOICE_API_URL: `http://127.0.0.1:${port}`, VOICE_API_KEY: 'key' });
    const { stdout } = await voice.run(['voices']);
    expect(stdout).toMatch(/ wav +yes +id-gpro$/m);
    expect(stdout).toMatch(/ wav +no +id-orpheus$/m);
    expect(JSON.parse((await voice.run(['voices', '--json'])).stdout)[0]).not.toHaveProperty('supports_style');
  });

  test.each([
    [['voices']],
    [['voices', '--model', 'cloud', '--language', 'de', '--json']],
    [['tts', 'Hello', '-o', 'a.wav']],
    [['tts', 'Hello', '-o', 'a.wav', '-v', 'Nova']],
    [['tts', 'Hello', '-o', 'a.wav', '-m', 'cloud']],
    [['tts', 'Hello', '-o', 'a.wav', '-v', 'Nova', '-m', 'cloud']],
  ])('a service without any voice is an outage: %j', async (command) => {
    const error = { code: 'voice_not_found', message: 'Unknown.', type: 'not_found_error', param: 'voice' };
    const bare = createServer(({ method }, answer) =>
      method === 'GET' ? answer.end('{"data":[]}') : answer.writeHead(404).end(JSON.stringify({ error })),
    ).listen(0, '127.0.0.1');
    onTestFinished(() => void bare.close());
    await once(bare, 'listening');
    const { port } = bare.address() as AddressInfo;
    const voice = voiceProgram({ VOICE_API_URL: `http://127.0.0.1:${port}`, VOICE_API_KEY: 'key' });
    expect(await voice.run(command)).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringMatching(
        /error: The service has no voices at the moment: its engine may be down\.\nTry again later\.\n$/,
      ),
    });
  });

  test('credits, models and openapi are for people and for programs', async () => {
    const voice = voiceProgram(await service.env());
    expect((await voice.run(['credits'])).stdout).toMatch(/^[\d,]+ credits left\n$/);
    expect(JSON.parse((await voice.run(['credits', '--json'])).stdout)).toMatchObject({
      credits_left: expect.any(Number),
    });
    expect((await voice.run(['models'])).stdout).toMatch(/^gpro38 .* wav +1,000$/m);
    expect(JSON.parse((await voice.run(['models', '--json'])).stdout)).toHaveLength(5);
    expect(JSON.parse((await voice.run(['openapi'])).stdout)).toMatchObject({
      openapi: expect.stringMatching(/^3\.1/),
    });
  });

  test('a refused key is said to be that of the variable, where it is: a login would not replace it', async () => {
    const voice = voiceProgram({ ...(await service.env()), VOICE_API_KEY: 'wrong' });
    const { code, stderr } = await voice.run(['credits']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/does not accept the key[\s\S]*variable VOICE_API_KEY[\s\S]*unset it/);
    expect(stderr).not.toContain('voice login');
  });

  test('a reader that has had enough is no error', async () => {
    const voice = voiceProgram(await service.env());
    const { stdout, stderr } = await promisify(execFile)('bash', ['-o', 'pipefail', '-c', 'voice voices | head -1'], {
      env: { ...voice.env, PATH: voice.path, HOME: voice.home },
    });
    expect(stdout).toMatch(/^NAME/);
    expect(stderr).toBe('');
  });

  test('the full speech URL is taken as well as the base address, by flag and by variable', async () => {
    const voice = voiceProgram(await service.env());
    expect((await voice.run(['credits', '--api-url', `${service.url}/api/v1/speech`])).code).toBe(0);
    const env = { VOICE_API_URL: `${service.url}/api/v1/speech/` };
    expect((await voice.run(['credits'], { env })).code).toBe(0);
    expect((await voice.run(['credits'], { env: { VOICE_AUTH_HEADER_PREFIX: 'Token' } })).code).toBe(3);
  });
});

describe('on a terminal', () => {
  test.each([40, 60, 80, 120])('the table of voices fits into %i columns and keeps the ids whole', async (columns) => {
    const voice = voiceProgram(await service.env());
    const { screen } = await voice.inTerminal(['voices', '--model', 'orpheus'], { columns, env: { NO_COLOR: '1' } });
    const lines = screen.trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
    expect(screen).toContain('7973592a-43df-5c9d-90b3-bb55a494c625');
  });
});

describe('voice key', () => {
  test('prints the key alone, without a line end', async () => {
    const voice = voiceProgram(await service.env());
    expect(await voice.run(['key'])).toMatchObject({ code: 0, stdout: voice.env.VOICE_API_KEY, stderr: '' });
    const none = await voice.run(['key'], { env: { VOICE_API_KEY: '' } });
    expect(none).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(/voice login saves one/) });
  });
});
