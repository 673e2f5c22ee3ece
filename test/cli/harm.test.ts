import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { playFile } from '../../src/cli/actions/play.ts';
import { withoutVoiceVariables } from '../../src/process/child-environment.ts';
import { voiceProgram, withSettings } from './voice-program.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'voice-harm-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

describe('a key over plain http://', () => {
  const KEY = { VOICE_API_KEY: 'the-key' };

  test.each([
    [['credits']],
    [['voices']],
    [['tts', 'Hello', '-o', 'a.wav']],
    [['curl', 'Hello', '-v', 'aria', '-m', 'gpro']],
    [['login', '--no-browser', '--with-key']],
  ])('is not sent to another machine: %j', async (args) => {
    const voice = voiceProgram(KEY);
    const { code, stdout, stderr } = await voice.run([...args, '--api-url', 'http://192.0.2.1:8640'], {
      input: 'the-key\n',
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/192\.0\.2\.1:8640 is reached over plain http:\/\/.*--allow-http, or VOICE_ALLOW_HTTP=192/s);
  });

  test('goes there where that is allowed, for that host only, and to this machine always', async () => {
    const voice = voiceProgram(KEY);
    const ARGS = ['curl', 'Hello', '-v', 'aria', '-m', 'gpro', '--api-url'];
    const codeFor = async (url: string, flags: string[] = [], env = {}) =>
      (await voice.run([...ARGS, url, ...flags], { env })).code;
    expect(await codeFor('http://speech.lan', ['--allow-http'])).toBe(0);
    expect(await codeFor('http://speech.lan:80', [], { VOICE_ALLOW_HTTP: 'a.lan, speech.lan' })).toBe(0);
    expect(await codeFor('http://speech.lan.evil.example', [], { VOICE_ALLOW_HTTP: 'speech.lan' })).toBe(2);
    for (const host of ['localhost:1', '127.0.0.1:1', '127.9.9.9', '[::1]:1'])
      expect(await codeFor(`http://${host}`)).toBe(0);
    for (const host of ['127.0.0.1.evil.example', 'localhost.evil.example', '0x7f.evil.example'])
      expect(await codeFor(`http://${host}`)).toBe(2);
  });
});

describe.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])('an environment %s', (name) => {
  test.each(['', '[env.other]\napi_key = "other"\n'])('is one like any other, after %j', async (text) => {
    const { voice } = withSettings(text);
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await voice.run(args);
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    };
    await run('config', 'set', 'api_key', 'secret', '--env', name);
    expect(({} as Record<string, unknown>).api_key).toBeUndefined();
    await run('config', 'set', 'api_url', 'https://a.example', '--env', name);
    expect(await run('key', '--env', name)).toBe('secret');
    await run('config', 'use', name);
    expect(await run('key')).toBe('secret');
    expect(await run('config', 'list')).toMatch(new RegExp(`^\\* +${name} `, 'm'));
    await run('config', 'rm', name, '--force');
    expect((await voice.run(['key', '--env', name])).code).toBe(2);
    if (text !== '') expect(await run('key', '--env', 'other')).toBe('other');
  });

  test('that is not there is none', async () => {
    const { voice } = withSettings('');
    expect((await voice.run(['key', '--env', name])).stderr).toContain(`There is no environment "${name}"`);
    expect((await voice.run(['config', 'rm', name, '--force'])).code).toBe(2);
  });
});

describe('programs that the command line starts', () => {
  test('get no VOICE_ variable: a player, and a library that opens the browser', async () => {
    const place = folder();
    const player = join(place, 'player');
    writeFileSync(player, `#!/bin/sh\nenv >"${place}/of-player"\n`, { mode: 0o755 });
    vi.stubEnv('VOICE_API_KEY', 'secret');
    vi.stubEnv('VOICE_OTHER', 'secret');
    vi.stubEnv('PULSE_SERVER', 'kept');
    onTestFinished(() => void vi.unstubAllEnvs());
    const known = { name: 'player', path: player, formats: ['wav'], arguments: (file: string) => [file] } as const;
    await playFile(known, 'x.wav', new AbortController().signal);
    const seen = await withoutVoiceVariables(async () => Object.keys(process.env).join());
    expect(process.env.VOICE_API_KEY).toBe('secret');
    expect(seen).not.toContain('VOICE_');

    const text = readFileSync(join(place, 'of-player'), 'utf8');
    expect(text).toMatch(/^PATH=/m);
    expect(text).not.toMatch(/^VOICE_/m);
    expect(text).toContain('PULSE_SERVER=kept');
  });
});
