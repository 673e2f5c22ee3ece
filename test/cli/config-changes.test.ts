import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { startCallbackServer } from '../../src/cli/actions/login.ts';
import { addTable } from '../../src/cli/config/config-file.ts';
import { serverThat } from '../loopback-server.ts';
import { voiceProgram, withSettings } from './voice-program.ts';

const valuesIn = (file: string) => parse(readFileSync(file, 'utf8'));

/** What a command ends with: its code, and a part of what it says. */
const ends = (code: number, stderr = /(?:)/) => ({ code, stderr: expect.stringMatching(stderr) });

describe('changes to the settings', () => {
  test('made while login waits for a key are not taken back by it', async () => {
    const { voice, file } = withSettings('api_url = "http://127.0.0.1:9"\n');
    const { code } = await voice.inTerminal('login --with-key', {
      steps: [
        [/API key.*: /, () => writeFileSync(file, addTable(readFileSync(file, 'utf8'), 'meanwhile'))],
        [/^/, 'a-key\r'],
      ],
    });
    expect(code).toBe(0);
    expect(valuesIn(file)).toMatchObject({ api_key: 'a-key', env: { meanwhile: {} } });
  });

  test('of an address would send the saved key to another service are not made', async () => {
    const { voice } = withSettings('api_url = "https://a.example"\napi_key = "k"\n[env.work]\n');
    const set = (address: string) => voice.run(`config set api_url ${address}`);
    const refused = /^error: Nothing was changed: the key [\s\S]*To remove it first: voice logout\. /;
    expect(await set('https://b.example')).toMatchObject(ends(1, refused));
    expect(await set('https://a.example/api/v1/speech')).toMatchObject(ends(0));
    expect(await set('https://c.example --env work')).toMatchObject(ends(0));
    expect((await voice.run('logout')).code).toBe(0);
    expect(await set('https://b.example')).toMatchObject(ends(0));
  });

  test('of a key that would lose another one are not made without a terminal, but with --force', async () => {
    const { voice, file } = withSettings('api_key = "old"\n[env.work]\n');
    const set = (input: string, flags = '') => voice.run(`config set api_key ${flags}`, { input });
    const lost = /saved at the top level, and would be lost\.\n--env NAME saves the new one beside it; --force/;
    expect(await set('new')).toMatchObject(ends(1, lost));
    expect(valuesIn(file)).toMatchObject({ api_key: 'old' });
    expect(await set('old')).toMatchObject(ends(0));
    expect(await set('new', '--env work')).toMatchObject(ends(0));
    expect(await set('newer', '--env work')).toMatchObject(ends(1, /saved in \[env\.work\], and/));
    expect(await set('new', '--force')).toMatchObject(ends(0));
    expect(valuesIn(file)).toMatchObject({ api_key: 'new' });
  });

  test('of a key that would lose another one are made on a terminal after a yes', async () => {
    const { voice, file } = withSettings('api_key = "old"\n');
    for (const [answer, code, key] of [
      ['\r', 1, 'old'],
      ['y\r', 0, 'new'],
    ] as const) {
      const set = await voice.inTerminal('config set api_key', {
        steps: [
          [/api_key: /, 'new\r'],
          [/Another key is saved at the top level[\s\S]*Replace it\? \[y\/N\] /, answer],
        ],
      });
      expect([set.code, valuesIn(file)]).toEqual([code, { api_key: key }]);
    }
  });

  test('are made in the environment that is used, and read there', async () => {
    const { voice } = withSettings('api_key = "top"\n[env.local]\napi_url = "https://a.example"\n');
    await voice.run('config use local');
    const set = await voice.run('config set api_key', { input: 'crier_sk_of_local\n' });
    expect(set).toMatchObject(ends(0, /^Set api_key in \[env\.local\] to crie/));
    expect((await voice.run('key')).stdout).toBe('crier_sk_of_local');
    await voice.run('config use --none');
    expect((await voice.run('key')).stdout).toBe('top');
  });

  test('by a login that would lose another key for the same service are not made without a terminal, but with --force', async () => {
    const url = await serverThat((_, response) => response.end('{"data":[]}'));
    const { voice, file } = withSettings(`api_url = "${url}"\napi_key = "old"\n`);
    const login = (input: string, flags = '') => voice.run(`login --with-key ${flags}`, { input });
    const refused = /^error: Nothing was changed: .*\n.* at the top level, and would be lost\.\n--env NAME/;
    expect(await login('new')).toMatchObject(ends(1, refused));
    expect(valuesIn(file)).toMatchObject({ api_key: 'old' });
    expect(await login('old')).toMatchObject(ends(0));
    expect(await login('new', `--env work --api-url ${url}`)).toMatchObject(ends(0));
    expect(await login('new', '--force')).toMatchObject(ends(0));
    expect(valuesIn(file)).toMatchObject({ api_key: 'new' });
    writeFileSync(file, 'api_key = "without an address"\n');
    expect(await login('new', `--api-url ${url}`)).toMatchObject(ends(1));
  });

  test.each([
    [200, '<html>'],
    [405, ''],
  ])('by a login at what is no speech service (%d) are not made', async (status, body) => {
    const url = await serverThat((_, response) => response.writeHead(status).end(body));
    const voice = voiceProgram();
    const refused = /^error: [^\n]+\. \(HTTP \d+\) Nothing was saved\.\nCorrect the address/;
    expect(await voice.run(`login --with-key --api-url ${url}`, { input: 'k' })).toMatchObject(ends(1, refused));
    expect(existsSync(voice.settingsFile)).toBe(false);
  });
});

test.runIf(existsSync('/proc'))('where nothing can be written, login says so before it asks for a key', async () => {
  const voice = voiceProgram({ HOME: '/proc' });
  const stderr = 'error: ~/.voice/voice.toml cannot be written (ENOENT). It was not changed.\n';
  for (const way of ['--no-browser', '--with-key']) {
    const ended = await voice.run(`login --api-url http://127.0.0.1:9 ${way}`, { input: 'key' });
    expect(ended).toMatchObject({ code: 1, stderr });
  }
});

test('a saved key is not sent to the address of a flag or a variable', async () => {
  const { voice } = withSettings('api_url = "http://127.0.0.1:9"\napi_key = "saved"\n');
  const headers: (string | undefined)[] = [];
  const url = await serverThat((request, response) => {
    headers.push(request.headers.authorization);
    response.end('{"data":[]}');
  });
  const withheld = /The saved key is for another address, and is not sent to that of /;
  expect(await voice.run(`models --api-url ${url}`)).toMatchObject(ends(3, withheld));
  expect(await voice.run('models', { env: { VOICE_API_URL: url } })).toMatchObject(ends(3, withheld));
  expect(await voice.run(`key --api-url ${url}`)).toMatchObject({ code: 3, stdout: '' });
  expect(headers).toEqual([]);
  expect(await voice.run(`models --api-url ${url}`, { env: { VOICE_API_KEY: 'mine' } })).toMatchObject(ends(0));
  expect(headers).toEqual(['Bearer mine']);
  const { stdout } = await voice.run('config show', { env: { VOICE_API_URL: url } });
  expect(stdout).toContain('(not used: it is for another address)');
});

test('a browser comes back from the dashboard once', async () => {
  const { port, state, token, close } = await startCallbackServer();
  const back = async (given: string) => {
    const query = new URLSearchParams({ token: given, state });
    return (await fetch(`http://127.0.0.1:${port}/callback?${query}`)).status;
  };
  expect([await back('first'), await back('second')]).toEqual([200, 410]);
  expect(await token).toBe('first');
  close();
});

describe('a key that the dashboard made, and so perhaps replaced another one', () => {
  /** A service with a dashboard that gives every caller a key, for which its API is then asked. */
  const generous = (onCheck: (response: ServerResponse) => unknown) =>
    serverThat((request, response) => {
      if (request.url === '/dashboard') response.end('hello');
      else if (request.url === '/cli-login/redeem') response.end('{"key":"made-just-now"}');
      else onCheck(response);
    });

  const LINK = /port=(\d+)&state=([\w-]+)/;
  const confirm = ([, port, state]: RegExpExecArray) =>
    fetch(`http://127.0.0.1:${port}/callback?token=t&state=${state}`);

  test('is saved although Ctrl-C came before it was tried', async () => {
    const voice = voiceProgram();
    const { promise: checked, resolve } = Promise.withResolvers<void>();
    const url = await generous(() => resolve());
    const { code, screen } = await voice.inTerminal(`login --no-browser --api-url ${url}`, {
      columns: 400,
      steps: [
        [LINK, (shown) => confirm(shown).then(() => checked)],
        [/^/, '\u0003'],
      ],
    });
    expect(screen).toMatch(/Stopped: the key is saved, but was not checked/);
    expect(code).toBe(130);
    expect((await voice.run('key')).stdout).toBe('made-just-now');
  });

  test('is not lost without a word when the file has become unwritable meanwhile', async () => {
    const voice = voiceProgram();
    const folder = dirname(voice.settingsFile);
    const url = await generous((response) => response.end('{"data":[]}'));
    const breakAndConfirm = (shown: RegExpExecArray) => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, '');
      return confirm(shown);
    };
    const login = `login --no-browser --api-url ${url}`;
    const { code, screen } = await voice.inTerminal(login, { columns: 400, steps: [[LINK, breakAndConfirm]] });
    expect(screen).toMatch(/A key was created or replaced, but not saved[\s\S]*cannot be written/);
    expect(code).toBe(1);
  });
});
