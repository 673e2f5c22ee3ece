import { expect, test } from 'vitest';
import { inWords } from '../../src/cli/terminal/terminal.ts';
import { readJson, requestIdOf } from '../../src/speech/client/transport.ts';
import type { SpeechError } from '../../src/speech/errors.ts';

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
] as const)(
  'a page of HTML in place of an answer to a %s is told with its status: %i',
  (method, status, message, hint, exitCode) => {
    const error = { message, hint: expect.stringContaining(hint), exitCode };
    expect(told(method, status, '<h1>Bad Gateway</h1>')).toMatchObject(error);
  },
);

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
