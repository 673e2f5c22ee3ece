import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readJson, requestIdOf } from '../../../src/speech/client/transport.ts';
import { SpeechError } from '../../../src/speech/errors.ts';

const REQUEST_ID = `req_test_${'ab'.repeat(16)}`;
function errorFrom(status: number, body: unknown, given: Record<string, string> = {}, method: 'GET' | 'POST' = 'POST') {
  const headers = { 'request-id': REQUEST_ID, ...given };
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  try {
    readJson({ method, path: '/api/v1/speech', status, headers, requestId: requestIdOf(headers), body: text });
  } catch (error) {
    if (error instanceof SpeechError) return error;
    throw error;
  }
  throw new Error('no error');
}
const coded = (code: string, type = 'invalid_request_error') => ({ error: { message: 'm', type, param: null, code } });

describe('an answer becomes an error by its code first', () => {
  it.each([
    [400, 'invalid_request', 'invalid-request'],
    [400, 'input_too_long', 'input-too-long'],
    [400, 'unsupported_response_format', 'unsupported-format'],
    [400, 'unsupported_language', 'unsupported-language'],
    [400, 'model_not_found', 'voice-not-found'],
    [400, 'unsupported_parameter', 'invalid-request'],
    [401, 'invalid_api_key', 'invalid-api-key'],
    [402, 'insufficient_credits', 'insufficient-credits'],
    [404, 'voice_not_found', 'voice-not-found'],
    [422, 'content_policy_violation', 'content-policy'],
    [429, 'rate_limit_exceeded', 'rate-limited'],
    [429, 'provider_quota_exceeded', 'quota-exceeded'],
    [500, 'server_error', 'server-error'],
    [503, 'provider_unavailable', 'unavailable'],
    [503, 'server_error', 'unavailable'],
    [503, 'provider_quota_exceeded', 'unavailable'],
    [503, 'something_new', 'unavailable'],
    [403, 'insufficient_credits', 'insufficient-credits'],
  ] as const)('%d %s is %s', (status, code, kind) => {
    expect(errorFrom(status, coded(code))).toMatchObject({
      kind,
      code,
      status,
      requestId: REQUEST_ID,
      creditsMayBeSpent: false,
    });
  });
});

describe('then by its status, when the code says nothing', () => {
  it.each([
    [400, 'invalid-request'],
    [401, 'invalid-api-key'],
    [402, 'insufficient-credits'],
    [403, 'invalid-api-key'],
    [413, 'input-too-long'],
    [418, 'invalid-request'],
    [429, 'rate-limited'],
    [500, 'server-error'],
    [502, 'server-error'],
    [503, 'unavailable'],
    [504, 'server-error'],
    [302, 'bad-response'],
    [404, 'bad-response'],
  ] as const)('%d is %s', (status, kind) => {
    expect(errorFrom(status, '<html>no</html>').kind).toBe(kind);
    expect(errorFrom(status, coded('of_next_year')).status).toBe(status);
  });

  it.each([
    [400, 'authentication_error', 'invalid-api-key'],
    [402, 'permission_error', 'insufficient-credits'],
    [400, 'not_found_error', 'voice-not-found'],
    [400, 'rate_limit_error', 'rate-limited'],
    [403, 'rate_limit_error', 'rate-limited'],
    [400, 'server_error', 'server-error'],
    [401, 'invalid_request_error', 'invalid-api-key'],
    [413, 'invalid_request_error', 'input-too-long'],
    [400, 'type_of_next_year', 'invalid-request'],
    [503, 'rate_limit_error', 'unavailable'],
    [502, 'rate_limit_error', 'server-error'],
    [400, 'constructor', 'invalid-request'],
  ] as const)('%d %s with a code of next year, or none, is %s', (status, type, kind) => {
    expect(errorFrom(status, coded('of_next_year', type))).toMatchObject({ kind, type, code: 'of_next_year' });
    expect(errorFrom(status, { error: { message: 'm', type } })).toMatchObject({ kind, type });
  });

  it('which the type does not mend where the status was good: it may have been billed', () => {
    const error = errorFrom(200, coded('of_next_year', 'rate_limit_error'));
    expect(error).toMatchObject({ kind: 'bad-response', creditsMayBeSpent: true });
  });
});

describe('an error survives', () => {
  it.each([
    ['an HTML page', '<html><body>Bad gateway</body></html>'],
    ['nothing at all', ''],
    ['truncated JSON', '{"error":{"code":"inv'],
    ['an error that is plain text', { error: 'nope' }],
    ['an error without fields', { error: {} }],
    ['fields of other types', { error: { code: 7, type: [], message: null, param: {} } }],
    ['no error in it', { detail: 'x' }],
    ['a list', []],
    ['null', 'null'],
  ])('%s', (_, body) => {
    expect(errorFrom(400, body)).toMatchObject({ kind: 'invalid-request', status: 400, requestId: REQUEST_ID });
  });

  it('no request id, or one that is not', () => {
    expect(errorFrom(400, '', { 'request-id': '' }).requestId).toBeUndefined();
    expect(errorFrom(400, '', { 'request-id': 'a b' }).requestId).toBeUndefined();
  });

  it('a good status with an error inside', () => {
    expect(errorFrom(200, coded('insufficient_credits'))).toMatchObject({ kind: 'insufficient-credits' });
    expect(errorFrom(200, { error: 'odd' })).toMatchObject({ kind: 'bad-response', creditsMayBeSpent: true });
    expect(errorFrom(200, '<html>')).toMatchObject({ kind: 'bad-response', creditsMayBeSpent: true });
  });
});

describe('what now', () => {
  it('says when the rate limit is lifted, and nothing of the quota from the same header', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
    onTestFinished(() => void vi.useRealTimers());
    const headers = { 'x-ratelimit-reset-requests': '2026-01-01T00:00:09Z' };
    expect(errorFrom(429, coded('rate_limit_exceeded'), headers).retryAfterMs).toBe(9000);
    expect(errorFrom(429, undefined, { ...headers, 'retry-after': '30' }).retryAfterMs).toBe(30_000);
    expect(errorFrom(429, coded('rate_limit_exceeded'), { ...headers, 'retry-after': '0' }).retryAfterMs).toBe(9000);
    expect(errorFrom(429, coded('provider_quota_exceeded'), headers).retryAfterMs).toBeUndefined();
    expect(errorFrom(429, coded('provider_quota_exceeded'), { 'retry-after': '3600' }).retryAfterMs).toBe(3_600_000);
  });

  it('knows which failures gave the credits back: not those of a gateway', () => {
    expect(errorFrom(500, coded('server_error'))).toMatchObject({ creditsMayBeSpent: false, retryable: true });
    expect(errorFrom(502, '<html>')).toMatchObject({ creditsMayBeSpent: true, retryable: false });
    expect(errorFrom(504, '')).toMatchObject({ creditsMayBeSpent: true });
    const gateways = errorFrom(504, coded('FUNCTION_INVOCATION_TIMEOUT'), { 'request-id': '' });
    expect(gateways).toMatchObject({ kind: 'server-error', creditsMayBeSpent: true, retryable: false });
    expect(errorFrom(500, coded('of_next_year'))).toMatchObject({ creditsMayBeSpent: false, retryable: true });
    expect(errorFrom(503, '<html>')).toMatchObject({ creditsMayBeSpent: false, retryable: true });
    expect(errorFrom(502, '', {}, 'GET').creditsMayBeSpent).toBe(false);
  });

  it("keeps the service's own words out of everything that is written somewhere", () => {
    const error = errorFrom(400, { error: { message: 'bad: the spoken text', code: 'invalid_request' } });
    expect(error.serverMessage).toBe('bad: the spoken text');
    expect(error.message).toBe('POST /api/v1/speech: 400 invalid_request');
    expect(JSON.stringify({ ...error })).not.toContain('spoken text');
    expect(error.withRetryAfter(5)).toMatchObject({
      retryAfterMs: 5,
      serverMessage: 'bad: the spoken text',
      requestId: REQUEST_ID,
    });
  });
});
