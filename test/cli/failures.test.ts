import { describe, expect, test } from 'vitest';
import { inWords } from '../../src/cli/terminal/failures.ts';
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

describe('a page of HTML', () => {
  test.each([502, 503])('in place of the service’s answer is told with its status: %i', (status) => {
    expect(told('GET', status, '<h1>Bad Gateway</h1>')).toMatchObject({
      message: `${NOT_THE_SERVICE} (HTTP ${status})`,
      hint: expect.stringContaining('check the address'),
      exitCode: 5,
    });
  });

  test('in place of speech may hide a bill', () => {
    expect(told('POST', 502, '<h1>Bad Gateway</h1>')).toMatchObject({
      message: `${NOT_THE_SERVICE} (HTTP 502)`,
      hint: expect.stringContaining('may have been billed'),
      exitCode: 1,
    });
  });

  test('with the status of a page that is missing is no answer of a speech service', () => {
    expect(told('GET', 404, '<h1>Not Found</h1>').message).toBe(
      'The response is not from a speech service. (HTTP 404)',
    );
  });
});

test.each([
  [429, '30', 'Try again in 30 s.'],
  [429, '150', 'Try again in 3 min.'],
  [429, '3600', 'Try again in 1 h.'],
  [503, '5400', 'Try again in 1 h 30 min.'],
  [429, '', 'Try again in a minute.'],
  [503, '', 'Try again later.'],
])('%i with a wait of %j s is told with it', (status, wait, hint) => {
  const headers = { 'request-id': 'req_1', 'retry-after': wait };
  expect(told('POST', status, '{"error":{"code":"busy"}}', headers)).toMatchObject({ hint, exitCode: 5 });
});

test('a failure of the service itself stays one', () => {
  const { message, hint } = told('GET', 500, '{"error":{"code":"server_error"}}', { 'request-id': 'req_1' });
  expect(message).toBe('The service failed. (server_error, req_1)');
  expect(hint).toBe('Try again later; if it keeps failing, tell whoever runs the service.');
});

test.each([
  [400, 'invalid_request', 1],
  [400, 'unsupported_response_format', 1],
  [413, 'input_too_long', 1],
  [422, 'content_policy_violation', 1],
  [422, 'unsupported_language', 2],
])('a text that is rejected with %i %s cost nothing, and ends with %i', (status, code, exitCode) => {
  expect(told('POST', status, JSON.stringify({ error: { code } }))).toMatchObject({
    message: expect.stringMatching(/; nothing was spent on it\. \(/),
    exitCode,
  });
});
