import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import {
  addTable,
  parseConfig,
  removeTable,
  resolveSettings,
  setInText,
  type VoiceConfig,
} from '../../src/cli/config/config-file.ts';
import { voiceProgram, withSettings } from './voice-program.ts';

const config: VoiceConfig = {
  api_key: 'top-key',
  api_url: 'https://top.example',
  env: {
    work: { api_key: 'work-key', api_url: 'https://work.example', auth_header_prefix: 'Token' },
    bare: {},
    other: { api_url: 'https://o.example' },
  },
};
const environment = { VOICE_API_KEY: 'env-key', VOICE_API_URL: 'https://env.example', VOICE_AUTH_HEADER_PREFIX: 'Env' };
const values = (...args: Parameters<typeof resolveSettings>) => {
  const { url, key, prefix } = resolveSettings(...args);
  return [url?.value, key?.value, prefix.value];
};

describe('which settings are in effect', () => {
  const work = { ...config, default_env: 'work' };
  const bare = { ...config, default_env: 'bare' };
  const flag = { apiUrl: 'https://flag.example' };
  const ofTop = ['https://top.example', 'top-key', 'Bearer'];
  const ofWork = ['https://work.example', 'work-key', 'Token'];
  const full = 'https://work.example/api/v1/speech';
  const variable = { VOICE_API_URL: environment.VOICE_API_URL };

  test.each<[string, Parameters<typeof resolveSettings>, (string | undefined)[]]>([
    ['the top level alone', [{}, {}, config], ofTop],
    ['the chosen environment before the top level', [{}, {}, work], ofWork],
    ['variables before the file', [{}, environment, work], [variable.VOICE_API_URL, 'env-key', 'Env']],
    ['no saved key for a variable’s address', [{}, variable, work], [variable.VOICE_API_URL, undefined, 'Token']],
    ['nor for a flag’s, with --env', [{ env: 'work', ...flag }, {}, config], [flag.apiUrl, undefined, 'Token']],
    ['a saved key for the full speech URL', [{ env: 'work', apiUrl: full }, {}, config], [full, 'work-key', 'Token']],
    ['no key saved without an address', [flag, {}, { api_key: 'k', env: {} }], [flag.apiUrl, undefined, 'Bearer']],
    ['a flag before variables', [flag, environment, config], [flag.apiUrl, 'env-key', 'Env']],
    ['an empty variable as none', [{}, { VOICE_API_KEY: '', VOICE_API_URL: ' ' }, config], ofTop],
    ['--env: key and address together, no variable between them', [{ env: 'work' }, environment, config], ofWork],
    ['--env: no key of others', [{ env: 'other' }, environment, config], ['https://o.example', undefined, 'Bearer']],
    ['--env: nothing at all of others', [{ env: 'bare' }, environment, config], [undefined, undefined, 'Bearer']],
    ['a variable’s key if it has none', [{}, { VOICE_API_KEY: 'env-key' }, bare], [undefined, 'env-key', 'Bearer']],
  ])('%s', (_name, args, expected) => {
    expect(values(...args)).toEqual(expected);
  });

  test('an environment that is not there is an error, given or chosen', () => {
    expect(() => resolveSettings({ env: 'nope' }, {}, config)).toThrow('There is no environment "nope"');
    expect(() => resolveSettings({}, {}, { ...config, default_env: 'gone' })).toThrow('default_env in the file names');
  });
});

describe('changes to the file', () => {
  const BEFORE =
    'api_url = "https://a.example"\ncolor = "red"\n[env.work]\napi_key = "k1"\n[env."home two"]\napi_key = \'k2\'\n';

  test('keep all other settings, also those that are not known', () => {
    const before = parse(BEFORE) as { env: Record<string, object> };
    const key = 'api_key';
    const work = { env: { ...before.env, work: { api_key: 'k"3\\' } } };
    expect(parse(setInText(BEFORE, { env: 'work', key }, 'k"3\\'))).toEqual({ ...before, ...work });
    expect(parse(setInText(BEFORE, { env: undefined, key }, 'top'))).toEqual({ ...before, api_key: 'top' });
    const home = { env: { ...before.env, 'home two': {} } };
    expect(parse(setInText(BEFORE, { env: 'home two', key }, undefined))).toEqual({ ...before, ...home });
    const { work: _, ...others } = before.env;
    expect(parse(removeTable(BEFORE, 'work'))).toEqual({ ...before, env: others });
    expect(parse(addTable(BEFORE, 'new'))).toEqual({ ...before, env: { ...before.env, new: {} } });
  });

  test('to a setting that is no text, or is misspelled, are named', () => {
    const problem = (text: string) => expect(() => parseConfig(text, 'voice.toml'));
    problem('a = 1\n[env.b]\napi_key = 5\n').toThrow('voice.toml: [env.b] api_key must be text');
    problem('api_ulr = "x"\n').toThrow('voice.toml: api_ulr is not a setting: did you mean api_url?');
    expect(parseConfig('color = "red"\n', 'voice.toml')).toEqual({ env: {} });
  });
});

describe('voice config', () => {
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

  test('is in the home of the account where HOME is empty, not in the present folder', async () => {
    const voice = voiceProgram({ HOME: '' });
    expect((await voice.run('config path')).stdout).toBe(`${join(userInfo().homedir, '.voice', 'voice.toml')}\n`);
  });

  test('makes, fills, shows, chooses and removes environments', async () => {
    const voice = voiceProgram();
    const config = async (line: string, input = '') => {
      const { code, stdout, stderr } = await voice.run(`config ${line}`, { input });
      return `${code} ${stdout}${stderr}`;
    };
    expect(await config('path')).toBe(`0 ${voice.settingsFile}\n`);
    expect(await config('set api_url https://a.example')).toMatch(/^0/);
    expect([mode(join(voice.home, '.voice')), mode(voice.settingsFile)]).toEqual(['700', '600']);
    expect(await config('add work --api-url https://b.example/api/v1/speech')).toMatch(/^0/);
    expect(await config('set api_key --env work', 'crier_sk_0123456789\n')).toMatch(/^0/);
    expect((await voice.run('key --env work')).stdout).toBe('crier_sk_0123456789');
    expect(await config('use work')).toMatch(/^0/);
    const listed = /\(top level\) +no +https:\/\/a\.example\n\* +work +yes +https:\/\/b\.example/;
    expect(await config('list')).toMatch(listed);
    const shown = await config('show');
    expect(shown).toMatch(/api_key +crie… \(19 characters\) +\[env\.work\] of the file/);
    expect(shown).not.toContain('crier_sk_0123456789');
    const refused = /^1 [\s\S]*The key saved in \[env\.work\] would be lost\.\n--force removes both\.\n$/;
    expect(await config('rm work')).toMatch(refused);
    expect(readFileSync(voice.settingsFile, 'utf8')).toContain('crier_sk_0123456789');
    expect(await config('rm work --force')).toMatch(/^0 [\s\S]*still accepts its key until it is revoked/);
    expect(readFileSync(voice.settingsFile, 'utf8')).not.toMatch(/^(\[env\.work\]|default_env|api_key)/m);
    expect(readdirSync(join(voice.home, '.voice'))).toEqual(['voice.toml']);
  });

  test.each([
    ['set api_url ftp://x', /must begin with https:\/\/ or http:\/\/\./],
    ['set api_url https://api.elevenlabs.io', /ElevenLabs/],
    ['set color red', /There is no setting "color"/],
    ['use nope', /There is no environment "nope"/],
    ['add "a b"', /can only have letters/],
  ])('refuses %s, with 2', async (line, problem) => {
    const voice = voiceProgram();
    expect(await voice.run(`config ${line}`)).toMatchObject({ code: 2, stderr: expect.stringMatching(problem) });
    expect(existsSync(voice.settingsFile)).toBe(false);
  });

  test.each(['add work --api-url', 'set api_url'])('%s warns of an address over plain http', async (line) => {
    const set = `config ${line} http://speech.example`;
    const warning = /^warning: speech\.example is reached over plain http:.*\n.*VOICE_ALLOW_HTTP=speech\.example/;
    expect(await voiceProgram().run(set)).toMatchObject({ code: 0, stderr: expect.stringMatching(warning) });
    const allowed = voiceProgram({ VOICE_ALLOW_HTTP: 'speech.example' });
    expect((await allowed.run(set)).stderr).not.toContain('warning');
  });

  test('leaves a broken file alone and says where it is broken', async () => {
    const broken = 'api_url = "https://a.example"\napi_key = crier_sk_secret\n';
    const { voice, file: path } = withSettings(broken);
    for (const line of ['config set api_key x', 'credits', 'logout', 'key']) {
      const { code, stderr } = await voice.run(line);
      expect({ line, code }).toEqual({ line, code: 2 });
      expect(stderr).toContain('~/.voice/voice.toml:2:11: ');
      expect(stderr).not.toContain('secret');
    }
    expect(readFileSync(path, 'utf8')).toBe(broken);
  });

  test('follows a link, also to a file that is not there yet, and warns when others can read it', async () => {
    const voice = voiceProgram();
    const linked = join(voice.home, 'dotfiles', 'voice.toml');
    mkdirSync(dirname(voice.settingsFile));
    symlinkSync(linked, voice.settingsFile);
    const set = (host: string) => voice.run(`config set api_url https://${host}`);
    expect((await set('a.example')).stderr).toMatch(/cannot be written \(ENOENT\)/);
    mkdirSync(dirname(linked));
    expect((await set('a.example')).code).toBe(0);
    chmodSync(linked, 0o644);
    expect((await voice.run('key')).stderr).toMatch(/can be read by others/);
    expect((await set('b.example')).code).toBe(0);
    expect(readFileSync(linked, 'utf8')).toContain('https://b.example');
    expect([mode(dirname(voice.settingsFile)), mode(linked)]).toEqual(['700', '600']);
  });

  test('logout removes the key of the environment in effect and nothing else', async () => {
    const text =
      'api_key = "top"\ndefault_env = "a"\n\n[env.a]\napi_key = "ka"\napi_url = "https://a.example"\n\n[env.b]\napi_key = "kb"\napi_url = "https://b.example"\n';
    const { voice, file: path } = withSettings(text);
    expect((await voice.run('logout')).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(text.replace('api_key = "ka"\n', ''));
    expect((await voice.run('logout --env b')).code).toBe(0);
    expect((await voice.run('logout --env b')).stderr).toMatch(/nothing to remove/);
    const told = /the environment "b" has no key\.\nvoice login --env b saves one\.\n$/;
    const key = await voice.run('key --env b', { env: { VOICE_API_KEY: 'k' } });
    expect(key).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(told) });
  });
});
