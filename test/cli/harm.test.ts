import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LockedError, takeLock } from '../../src/cli/config/file-lock.ts';
import { playFile } from '../../src/cli/sound/player.ts';
import { withoutVoiceVariables } from '../../src/process/child-environment.ts';
import { voiceInside, withSettings } from './inside.ts';

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
    const voice = await voiceInside(KEY);
    const { code, stdout, stderr } = await voice.run([...args, '--api-url', 'http://192.0.2.1:8640'], {
      input: 'the-key\n',
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/192\.0\.2\.1:8640 is reached over plain http:\/\/.*--allow-http, or VOICE_ALLOW_HTTP=192/s);
  });

  test('goes there where that is allowed, for that host only, and to this machine always', async () => {
    const voice = await voiceInside(KEY);
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
    const { voice } = await withSettings(text);
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
    const { voice } = await withSettings('');
    expect((await voice.run(['key', '--env', name])).stderr).toContain(`There is no environment "${name}"`);
    expect((await voice.run(['config', 'rm', name, '--force'])).code).toBe(2);
  });
});

describe('programs that the command line starts', () => {
  test('get no VOICE_ variable: a player, an editor, and a library that opens the browser', async () => {
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

    const voice = await voiceInside({ VOICE_API_KEY: 'secret', VISUAL: `env >"${place}/of-editor"; true` });
    await voice.run(['config', 'edit']);
    for (const file of ['of-player', 'of-editor']) {
      const text = readFileSync(join(place, file), 'utf8');
      expect(text).toMatch(/^PATH=/m);
      expect(text).not.toMatch(/^VOICE_/m);
    }
    expect(readFileSync(join(place, 'of-player'), 'utf8')).toContain('PULSE_SERVER=kept');
  });
});

describe('a lock', () => {
  const deadPid = () => spawnSync(process.execPath, ['-e', '0']).pid;
  const lockOf = (pid: number, host = hostname()) => JSON.stringify({ pid, host, id: 'of-another-one' });

  test('of a process that died is taken over at once, and released', async () => {
    const lock = join(folder(), 'lock');
    writeFileSync(lock, lockOf(deadPid()));
    const release = await takeLock(lock, 0);
    expect(readFileSync(lock, 'utf8')).toContain(`"pid":${process.pid}`);
    expect(statSync(lock).mode & 0o777).toBe(0o600);
    await release();
    expect(readdirSync(join(lock, '..'))).toEqual([]);
  });

  test('of a running process, or of another machine, is waited for', async () => {
    const lock = join(folder(), 'lock');
    for (const text of [lockOf(process.pid), lockOf(1), lockOf(deadPid(), 'elsewhere'), '']) {
      writeFileSync(lock, text);
      await expect(takeLock(lock, 100)).rejects.toThrow(LockedError);
      expect(readFileSync(lock, 'utf8')).toBe(text);
    }
  });

  test('without an owner is taken over once no command can be about to write into it', async () => {
    const lock = join(folder(), 'lock');
    writeFileSync(lock, '');
    const longAgo = Date.now() / 1_000 - 120;
    utimesSync(lock, longAgo, longAgo);
    await (await takeLock(lock, 0))();
    expect(existsSync(lock)).toBe(false);
  });

  test('is not released by a command that no longer holds it', async () => {
    const lock = join(folder(), 'lock');
    const release = await takeLock(lock);
    writeFileSync(lock, lockOf(process.pid));
    await release();
    expect(existsSync(lock)).toBe(true);
  });

  test('left behind is taken over by one of many at a time, and no change is lost', { timeout: 60_000 }, async () => {
    const place = folder();
    const [lock, counter] = [join(place, 'lock'), join(place, 'counter')];
    writeFileSync(counter, '0');
    const module = new URL('../../src/cli/config/file-lock.ts', import.meta.url).href;
    // Each dies now and then with the lock in its hands, before it has changed anything.
    const script = `
      import { readFileSync, writeFileSync } from 'node:fs';
      import { takeLock } from ${JSON.stringify(module)};
      for (let turn = 0; turn < 20; turn++) {
        const release = await takeLock(${JSON.stringify(lock)}, 40_000);
        if (turn === 10 && process.argv[1] === 'dies') process.kill(process.pid, 'SIGKILL');
        const before = Number(readFileSync(${JSON.stringify(counter)}, 'utf8'));
        await new Promise((done) => setTimeout(done, 2));
        writeFileSync(${JSON.stringify(counter)}, String(before + 1));
        await release();
      }`;
    const ended = ['dies', 'lives', 'dies', 'lives'].map(
      (kind) =>
        new Promise<number | null>((done) => {
          const args = ['--input-type=module', '-e', script, kind];
          spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }).on('exit', done);
        }),
    );
    expect(await Promise.all(ended)).toEqual([null, 0, null, 0]);
    expect(readFileSync(counter, 'utf8')).toBe('60');
    // The last one may have died with it.
    await (await takeLock(lock))();
    expect(readdirSync(place)).toEqual(['counter']);
  });
});
