import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { speakParts } from '../../src/cli/speech/speak-parts.ts';
import { EXIT } from '../../src/cli/terminal/exit.ts';
import { createSpeechClient } from '../../src/speech/client/client.ts';
import { SpeechError } from '../../src/speech/errors.ts';
import { type Service, startService } from './service.ts';
import { voiceProgram } from './voice-program.ts';

/* Billed audio that cannot be delivered. */

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const ARIA = ['-v', 'aria', '-m', 'gpro'];
const hasFull = existsSync('/dev/full');

/** The program under a shell, for redirections that pipes of a test cannot be. */
async function inShell(redirected: string) {
  const voice = voiceProgram(await service.env());
  const shell = spawn('sh', ['-c', redirected], {
    cwd: voice.home,
    env: { PATH: voice.path, HOME: voice.home, ...voice.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([text(shell.stderr), once(shell, 'close')]);
  return { code, stderr, home: voice.home };
}

describe.runIf(hasFull)('a full disk', () => {
  test('below stdout is told in a line, with 1', async () => {
    for (const command of ['voice voices', 'voice key', 'voice credits --json', 'voice --help']) {
      const { code, stderr } = await inShell(`${command} >/dev/full`);
      expect([command, code]).toEqual([command, 1]);
      expect(stderr).toBe('error: Standard output cannot be written to (ENOSPC).\n');
    }
  });

  test.each([
    ['-o - >/dev/full', 'standard output'],
    ['-o /dev/full', '/dev/full'],
  ])('in the way of the audio: tts %s says what was spent and where the audio is', async (output, where) => {
    const { code, stderr } = await inShell(`voice tts Hello ${ARIA.join(' ')} ${output}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/5 credits were already spent\. The audio is at:\n {2}http:\S+\.wav \(req_/);
    expect(stderr).toContain(`error: The speech was generated, but ${where} cannot be written to (ENOSPC).`);
    expect(stderr).not.toContain('    at ');
  });
});

test('audio without a reader is reported with its credits and address, and is no success', async () => {
  const { code, stderr } = await inShell(
    `{ voice tts Hello ${ARIA.join(' ')} -o -; echo "ended with $?" >&2; } | true`,
  );
  expect(code).toBe(0);
  expect(stderr).toMatch(/5 credits were already spent\. The audio is at:\n {2}http:\S+\.wav \(req_/);
  expect(stderr).toMatch(/standard output cannot be written to \(EPIPE\)\.\nended with 1\n$/);
});

test('messages without a reader do not lose billed audio', async () => {
  const { home } = await inShell(`(voice tts Hello ${ARIA.join(' ')} -o a.wav --verbose) 2>&1 >/dev/null | true`);
  expect(existsSync(join(home, 'a.wav'))).toBe(true);
});

test('a service that goes away after some parts were paid for has no exit code that says nothing was spent', async () => {
  const { VOICE_API_URL, VOICE_API_KEY } = await service.env();
  const client = createSpeechClient({ baseUrl: VOICE_API_URL, apiKey: VOICE_API_KEY, log: pino({ level: 'silent' }) });
  onTestFinished(() => client.close());
  let asked = 0;
  const told = speakParts({
    client: {
      ...client,
      speak: (request, options) =>
        ++asked === 1
          ? client.speak(request, options)
          : Promise.reject(new SpeechError({ kind: 'unavailable', message: 'gone', requestId: 'req_x_1' })),
    },
    request: { voice: { kind: 'name', voice: 'aria', model: 'gpro' } },
    texts: ['One.', 'Two.'],
    allowHttp: true,
    progress: { show: () => {}, clear: () => {} },
    signal: AbortSignal.timeout(60_000),
    verbose: false,
  });
  await expect(told).rejects.toMatchObject({
    exitCode: EXIT.failed,
    message: expect.stringContaining('req_x_1'),
    hint: expect.stringContaining('billed again'),
  });
});

test.each([
  // What the service bills next is known as far as a bill of 60 for 4 characters was rounded up: 14.75 for each or more.
  [147, 1],
  [148, 3],
  // Said by a service that stops at no balance.
  [-1, 3],
])('a balance of %i after the first part of three pays for %i', async (creditsRemaining, spoken) => {
  const { VOICE_API_URL, VOICE_API_KEY } = await service.env();
  const client = createSpeechClient({ baseUrl: VOICE_API_URL, apiKey: VOICE_API_KEY, log: pino({ level: 'silent' }) });
  onTestFinished(() => client.close());
  let asked = 0;
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => stderr.mockRestore());
  const told = speakParts({
    client: {
      ...client,
      speak: async (request, options) => {
        asked += 1;
        return { ...(await client.speak(request, options)), creditsUsed: 15 * request.input.length, creditsRemaining };
      },
    },
    request: { voice: { kind: 'name', voice: 'aria', model: 'gpro' } },
    texts: ['One.', 'Two.', 'Three.'],
    allowHttp: true,
    progress: { show: () => {}, clear: () => {} },
    signal: AbortSignal.timeout(60_000),
    verbose: false,
    keep: async () => 'speech-part.wav',
  });
  if (spoken === 3) await told;
  else {
    await expect(told).rejects.toMatchObject({
      exitCode: EXIT.noCredits,
      message: 'The rest of the text costs 148 credits or more, and 147 are left: it was not sent.',
    });
    expect(stderr.mock.calls.join()).toContain(
      '60 credits were already spent on 1 of 3 requests. The audio of the first part is in speech-part.wav.',
    );
  }
  expect(asked).toBe(spoken);
});
