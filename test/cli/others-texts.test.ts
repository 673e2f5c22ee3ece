import { expect, test, vi } from 'vitest';
import { DownloadError, tellSpent } from '../../src/cli/speech/speak-parts.ts';
import { tableLines } from '../../src/cli/terminal/table.ts';
import { report } from '../../src/cli/terminal/terminal.ts';
import { SpeechError } from '../../src/speech/errors.ts';
import { speechResult } from '../speech/speech-result.ts';

/* A service's texts go to the user's terminal: they must not steer it, nor imitate other output. */

const HOSTILE = 'evil\u001b[2J\u009b31m\r\nforged\trow\u2028\u202eback';
const TAMED = 'evil[2J31m forged row back';

/** The output of `tell` on stderr. */
async function told(tell: () => unknown): Promise<string> {
  let text = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  await tell();
  return text;
}

test('a name cannot forge a row of a table', () => {
  expect(tableLines([HOSTILE, 'good'], [{ heading: 'NAME', cell: (name) => name }])).toEqual(['NAME', TAMED, 'good']);
});

test('a failure with its message, code and request id takes one line', async () => {
  const theirs = { serverMessage: HOSTILE, code: HOSTILE, requestId: HOSTILE };
  const error = new SpeechError({ kind: 'server-error', message: 'failed', ...theirs });
  const lines = (await told(() => report(error, false))).trimEnd().split('\n');
  expect(lines).toEqual([
    `error: The service failed. The service says: evil[2J31m  (${TAMED}, ${TAMED})`,
    expect.stringContaining('Try again'),
  ]);
});

/** What is told of a credit that was spent on audio before this error. */
const spent = (requestId: string | undefined, error: Error) => {
  const part = { ...speechResult({ creditsUsed: 1, requestId }), url: 'http://a.example/x' };
  return told(() => tellSpent([part], { requests: 1, error }));
};

test('spent credits are reported in lines of our own', async () => {
  expect(await spent(HOSTILE, new Error('lost'))).toBe(
    `warning: 1 credit was already spent. The audio is at:\n  http://a.example/x (${TAMED})\n`,
  );
});

test('an address at which there is no audio is not said to have it', async () => {
  const error = new DownloadError('the host answered 404', { isGone: true });
  expect(await spent(undefined, error)).toBe('warning: 1 credit was already spent.\n');
  expect(await spent('req_1', error)).toBe(
    "warning: 1 credit was already spent.\nThe request id of the audio that is gone, for the service's support: req_1\n",
  );
});
