import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT, inWords } from '../../src/cli/terminal/terminal.ts';
import { readJson, requestIdOf } from '../../src/speech/client/transport.ts';
import type { SpeechError } from '../../src/speech/errors.ts';
import { serverThat } from '../loopback-server.ts';
import { ARIA, KEY, startService } from './service.ts';
import { voiceProgram } from './voice-program.ts';

const service = await startService();

const LONG = Array.from({ length: 40 }, (_, index) => `This is sentence number ${index} of a long text.`).join(' ');
const ESCAPE = '\u001b';
const SPEAK = `tts Hello ${ARIA} -o a.wav`;

describe('on a terminal', () => {
  test('shows progress on one line that is gone in the end', async () => {
    service.faults.latencyMs = 300;
    const { code, raw, screen: seen } = await voiceProgram(service.env).inTerminal(SPEAK);
    expect(code).toBe(0);
    expect(raw).toMatch(/\r.*Generating speech … \d\.\d s.*\r.*Generating speech … \d\.\d s/s);
    expect(seen).toMatch(/^Saved 0\.\d s of WAV to a\.wav; 5 credits used, [\d,]+ left\.\n$/);
  });

  test('shows nothing that moves, and no colors, in a dumb terminal, and no colors where NO_COLOR is set', async () => {
    const voice = voiceProgram(service.env);
    const { raw } = await voice.inTerminal(SPEAK, { env: { TERM: 'dumb' } });
    expect(raw).not.toContain(ESCAPE);
    expect(raw).toMatch(/^Saved /);
    expect((await voice.inTerminal('voices', { env: { NO_COLOR: '1' } })).raw).not.toContain(ESCAPE);
  });

  test('asks before overwriting: no leaves the file, yes replaces it, Ctrl-C ends the program', async () => {
    const voice = voiceProgram(service.env);
    const path = join(voice.home, 'a.wav');
    writeFileSync(path, 'mine');
    const asked = (answer: string) => voice.inTerminal(SPEAK, { steps: [[/Overwrite it\? \[y\/N\] /, answer]] });
    const no = await asked('\r');
    expect(no.code).toBe(1);
    expect(no.screen).toMatch(/^a\.wav already exists\. Overwrite it\? \[y\/N\]\s+error: Nothing was spoken\.\n$/);
    expect((await asked('\u0003')).code).toBe(130);
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect((await asked('y\r')).code).toBe(0);
    expect(readFileSync(path).subarray(0, 4).toString()).toBe('RIFF');
  });

  test('will not have sound written on it', async () => {
    const { code, screen: seen } = await voiceProgram(service.env).inTerminal(`tts Hello ${ARIA} -o -`);
    expect({ code, seen }).toEqual({ code: 2, seen: expect.stringContaining('send it into a pipe') });
  });
});

describe('Ctrl-C', () => {
  test('stops cleanly, says what was already spent, and leaves what that has made in a file of its own', async () => {
    const voice = voiceProgram(service.env);
    writeFileSync(join(voice.home, 'long.txt'), LONG);
    const { code, screen: seen } = await voice.inTerminal(`tts --file long.txt ${ARIA} -o a.wav`, {
      steps: [
        [/it takes 2 requests/, () => Object.assign(service.faults, { latencyMs: 700 })],
        // Shown a few times: by then the request is under way.
        [/(?:part 2 of 2[\s\S]*?){4}/, '\u0003'],
      ],
    });
    expect(code).toBe(130);
    expect(seen).toMatch(/Stopped\.\nwarning: [\d,]+ credits were already spent on 1 of 2 requests\./);
    expect(seen).toContain('The audio of the first part is in a-part.wav.\n');
    expect(seen).toMatch(/in progress may have been billed as well/);
    expect(readdirSync(voice.home)).toEqual(['a-part.wav', 'long.txt']);
    expect(readFileSync(join(voice.home, 'a-part.wav')).subarray(0, 4).toString()).toBe('RIFF');
  });

  test('ends the player too', async () => {
    const script = ['trap \'echo ended > "$HOME/ended"; exit 1\' INT TERM', 'touch "$HOME/playing"', 'sleep 9 & wait'];
    const voice = voiceProgram(service.env);
    writeFileSync(join(voice.home, 'afplay'), ['#!/bin/sh', ...script, ''].join('\n'), { mode: 0o755 });
    const { code } = await voice.inTerminal(`tts Hello ${ARIA}`, {
      env: { PATH: `${voice.home}:${voice.path}` },
      steps: [
        [/Playing/, () => expect.poll(() => existsSync(join(voice.home, 'playing'))).toBe(true)],
        [/^/, '\u0003'],
      ],
    });
    expect(code).toBe(130);
    expect(existsSync(join(voice.home, 'ended'))).toBe(true);
  });
});

test.each([
  ['SIGTERM', EXIT.terminated, 'voices'],
  ['SIGTERM', EXIT.terminated, 'tts Hello -o never.wav'],
  ['SIGINT', EXIT.interrupted, 'models'],
] as const)('%s during a request ends with %i: %s', async (signal, code, line) => {
  const VOICE_API_URL = await serverThat(() => process.emit(signal, signal));
  const ended = await voiceProgram({ VOICE_API_URL, VOICE_API_KEY: 'a-key' }).run(line);
  expect(ended).toMatchObject({ code, stdout: '', stderr: '' });
});

test('a key typed on a terminal is not shown, is tried, and is saved', async () => {
  const voice = voiceProgram();
  const { code, screen: seen } = await voice.inTerminal(`login --with-key --api-url ${service.url}`, {
    steps: [[/API key \(not shown\): /, `${KEY}\r`]],
  });
  expect(code).toBe(0);
  expect(seen).not.toContain(KEY);
  expect(seen).toMatch(/Logged in to 127\.0\.0\.1:\d+: the key is saved in ~\/\.voice\/voice\.toml\.\n$/);
  expect((await voice.run('key')).stdout).toBe(KEY);
});

const NOT_THE_SERVICE = 'The error is not one of a speech service: a proxy before it may have answered.';

/** What the command line says of a complete answer. */
function told(method: 'GET' | 'POST', status: number, body: string, headers = {}) {
  try {
    readJson({ method, path: '/', status, headers, requestId: requestIdOf(headers), body });
  } catch (error) {
    return inWords(error as SpeechError);
  }
  throw new Error('the answer was taken');
}

test.each([
  ['GET', 503, `${NOT_THE_SERVICE} (HTTP 503)`, 'check the address', 5],
  ['POST', 502, `${NOT_THE_SERVICE} (HTTP 502)`, 'may have been billed', 1],
  ['GET', 404, 'The response is not from a speech service. (HTTP 404)', 'voice config show', 1],
] as const)('a page of HTML answering a %s is told with its status: %i', (method, status, message, hint, code) => {
  const error = { message, hint: expect.stringContaining(hint), exitCode: code };
  expect(told(method, status, '<h1>Bad Gateway</h1>')).toMatchObject(error);
});

test.each([
  [429, '30', 'Try again in 30 s.'],
  [503, '5400', 'Try again in 1 h 30 min.'],
  [503, '', 'Try again later.'],
])('%i with a wait of %j s is told with it', (status, wait, hint) => {
  const headers = { 'request-id': 'req_1', 'retry-after': wait };
  expect(told('POST', status, '{"error":{"code":"busy"}}', headers)).toMatchObject({ hint, exitCode: 5 });
});

test.each([
  [400, 'invalid_request', 1],
  [422, 'content_policy_violation', 1],
  [422, 'unsupported_language', 2],
])('a text that is rejected with %i %s cost nothing, and ends with %i', (status, code, exitCode) => {
  expect(told('POST', status, JSON.stringify({ error: { code } }))).toMatchObject({
    message: expect.stringMatching(/; nothing was spent on it\. \(/),
    exitCode,
  });
});

test('no credits have an exit code of their own, with the service’s words and the request id', () => {
  const body = '{"error":{"code":"insufficient_credits","type":"permission_error","message":"Top up."}}';
  expect(told('POST', 402, body, { 'request-id': 'req_x_0123' })).toMatchObject({
    exitCode: 4,
    message: 'There are not enough credits left. The service says: Top up. (insufficient_credits, req_x_0123)',
  });
});
