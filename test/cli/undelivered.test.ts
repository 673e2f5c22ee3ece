import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { speakParts } from '../../src/cli/speech/speak-parts.ts';
import { EXIT } from '../../src/cli/terminal/terminal.ts';
import { createSpeechClient, type SpeechClient } from '../../src/speech/client/client.ts';
import { SpeechError } from '../../src/speech/errors.ts';
import { silentLog } from '../silent-log.ts';
import { KEY, startService } from './service.ts';
import { inShell, voiceProgram } from './voice-program.ts';

/* Billed audio that cannot be delivered. */

const service = await startService();
const SPEAK = 'voice tts Hello -v aria -m gpro';
const hasFull = existsSync('/dev/full');

/** The program under a shell, for redirections that pipes of a test cannot be. */
const redirected = (command: string) => inShell(voiceProgram(service.env), command);

describe.runIf(hasFull)('a full disk', () => {
  test('below stdout is told in a line, with 1', async () => {
    for (const command of ['voice voices', 'voice key', 'voice credits --json', 'voice --help']) {
      const { code, stderr } = await redirected(`${command} >/dev/full`);
      expect([command, code]).toEqual([command, 1]);
      expect(stderr).toBe('error: Standard output cannot be written to (ENOSPC).\n');
    }
  });

  test.each([
    ['-o - >/dev/full', 'standard output'],
    ['-o /dev/full', '/dev/full'],
  ])('in the way of the audio: tts %s says what was spent and where the audio is', async (output, where) => {
    const { code, stderr } = await redirected(`${SPEAK} ${output}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/5 credits were already spent\. The audio is at:\n {2}http:\S+\.wav \(req_/);
    expect(stderr).toContain(`error: The speech was generated, but ${where} cannot be written to (ENOSPC).`);
    expect(stderr).not.toContain('    at ');
  });
});

test('audio without a reader is reported with its credits and address, and is no success', async () => {
  const { code, stderr } = await redirected(`{ ${SPEAK} -o -; echo "ended with $?" >&2; } | true`);
  expect(code).toBe(0);
  expect(stderr).toMatch(/5 credits were already spent\. The audio is at:\n {2}http:\S+\.wav \(req_/);
  expect(stderr).toMatch(/standard output cannot be written to \(EPIPE\)\.\nended with 1\n$/);
});

test('messages without a reader do not lose billed audio', async () => {
  const voice = voiceProgram(service.env);
  await inShell(voice, `(${SPEAK} -o a.wav --verbose) 2>&1 >/dev/null | true`);
  expect(existsSync(join(voice.home, 'a.wav'))).toBe(true);
});

/** Speaks texts in parts, of which the service answers each in its own way. */
async function speakingParts(texts: readonly string[], answer: (client: SpeechClient) => SpeechClient['speak']) {
  const client = createSpeechClient({ baseUrl: service.url, apiKey: KEY, log: silentLog });
  onTestFinished(() => client.close());
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => stderr.mockRestore());
  const speak = vi.fn(answer(client));
  const spoken = speakParts({
    client: { ...client, speak },
    request: { voice: { kind: 'name', voice: 'aria', model: 'gpro' } },
    texts,
    allowHttp: true,
    signal: AbortSignal.timeout(60_000),
    verbose: false,
    keep: async () => 'speech-part.wav',
  });
  const failure = await spoken.then(() => undefined).catch((error: unknown) => error);
  return { failure, asked: speak.mock.calls.length, told: stderr.mock.calls.join() };
}

test('a service that goes away after some parts were paid for has no exit code that says nothing was spent', async () => {
  const gone = new SpeechError({ kind: 'unavailable', message: 'gone', requestId: 'req_x_1' });
  const { failure } = await speakingParts(['One.', 'Two.'], ({ speak }) => {
    return (request, options) => (request.input === 'One.' ? speak(request, options) : Promise.reject(gone));
  });
  expect(failure).toMatchObject({
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
  const { failure, asked, told } = await speakingParts(['One.', 'Two.', 'Three.'], ({ speak }) => {
    return async (request, options) => ({
      ...(await speak(request, options)),
      creditsUsed: 15 * request.input.length,
      creditsRemaining,
    });
  });
  expect(asked).toBe(spoken);
  if (spoken === 3) return expect(failure).toBeUndefined();
  expect(failure).toMatchObject({
    exitCode: EXIT.noCredits,
    message: 'The rest of the text costs 148 credits or more, and 147 are left: it was not sent.',
  });
  expect(told).toContain(
    '60 credits were already spent on 1 of 3 requests. The audio of the first part is in speech-part.wav.',
  );
});
