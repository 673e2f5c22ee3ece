import { describe, expect, it, vi } from 'vitest';
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
const UNKNOWN = 'of_next_year';

describe('an answer becomes an error', () => {
  it.each([
    [400, 'invalid_request', 'invalid-request'],
    [400, 'input_too_long', 'input-too-long'],
    [400, 'model_not_found', 'voice-not-found'],
    [401, 'invalid_api_key', 'invalid-api-key'],
    [402, 'insufficient_credits', 'insufficient-credits'],
    [404, 'voice_not_found', 'voice-not-found'],
    [422, 'content_policy_violation', 'content-policy'],
    [429, 'rate_limit_exceeded', 'rate-limited'],
    [429, 'provider_quota_exceeded', 'quota-exceeded'],
    [500, 'server_error', 'server-error'],
    [503, 'provider_unavailable', 'unavailable'],
    [503, 'provider_quota_exceeded', 'unavailable'],
  ] as const)('by its code first: %d %s is %s', (status, code, kind) => {
    const facts = { kind, code, status, requestId: REQUEST_ID, creditsMayBeSpent: false };
    expect(errorFrom(status, coded(code))).toMatchObject(facts);
  });

  it.each([
    [400, 'authentication_error', 'invalid-api-key'],
    [402, 'permission_error', 'insufficient-credits'],
    [400, 'not_found_error', 'voice-not-found'],
    [401, 'invalid_request_error', 'invalid-api-key'],
    [400, 'type_of_next_year', 'invalid-request'],
    [502, 'rate_limit_error', 'server-error'],
    [400, 'constructor', 'invalid-request'],
  ] as const)('then by its type: %d %s is %s', (status, type, kind) => {
    expect(errorFrom(status, coded(UNKNOWN, type))).toMatchObject({ kind, type, code: UNKNOWN });
    expect(errorFrom(status, { error: { message: 'm', type } })).toMatchObject({ kind, type });
  });

  it.each([
    [401, 'invalid-api-key'],
    [429, 'rate-limited'],
    [502, 'server-error'],
    [503, 'unavailable'],
    [404, 'bad-response'],
  ] as const)('then by its status: %d is %s', (status, kind) => {
    expect(errorFrom(status, '<html>no</html>').kind).toBe(kind);
  });

  it.each([
    ['nothing at all', ''],
    ['an error that is plain text', { error: 'nope' }],
    ['fields of other types', { error: { code: 7, type: [], message: null, param: {} } }],
  ])('also from %s', (_, body) => {
    expect(errorFrom(400, body)).toMatchObject({ kind: 'invalid-request', status: 400, requestId: REQUEST_ID });
  });

  it.each([
    ['a known code', coded('insufficient_credits'), 'insufficient-credits', false],
    ['a type that does not mend it', coded(UNKNOWN, 'rate_limit_error'), 'bad-response', true],
    ['an error of another form', { error: 'odd' }, 'bad-response', true],
  ] as const)('with a good status and %s: it may have been billed', (_, body, kind, creditsMayBeSpent) => {
    expect(errorFrom(200, body)).toMatchObject({ kind, creditsMayBeSpent });
  });
});

describe('what now', () => {
  it('says when the rate limit is lifted, and nothing of the quota from the same header', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
    const reset = { 'x-ratelimit-reset-requests': '2026-01-01T00:00:09Z' };
    const waitOf = (code: string, headers: Record<string, string>) => errorFrom(429, coded(code), headers).retryAfterMs;
    expect(waitOf('rate_limit_exceeded', reset)).toBe(9000);
    expect(waitOf('rate_limit_exceeded', { ...reset, 'retry-after': '30' })).toBe(30_000);
    expect(waitOf('rate_limit_exceeded', { ...reset, 'retry-after': '0' })).toBe(9000);
    expect(waitOf('provider_quota_exceeded', reset)).toBeUndefined();
    expect(waitOf('provider_quota_exceeded', { 'retry-after': '3600' })).toBe(3_600_000);
  });

  it.each([
    ['the service’s own, with a code of next year', 500, coded(UNKNOWN), REQUEST_ID, false, true],
    ['any 503', 503, '<html>', '', false, true],
    ['those of a gateway', 502, '<html>', REQUEST_ID, true, false],
    ['those of a gateway with codes of its own', 504, coded('FUNCTION_INVOCATION_TIMEOUT'), '', true, false],
  ])('knows which failures gave the credits back: %s', (_, status, body, id, creditsMayBeSpent, retryable) => {
    expect(errorFrom(status, body, { 'request-id': id })).toMatchObject({ creditsMayBeSpent, retryable });
    expect(errorFrom(status, body, { 'request-id': id }, 'GET').creditsMayBeSpent).toBe(false);
  });

  it("keeps the service's own words out of everything that is written somewhere", () => {
    const error = errorFrom(400, { error: { message: 'bad: the spoken text', code: 'invalid_request' } });
    expect(error.message).toBe('POST /api/v1/speech: 400 invalid_request');
    expect(JSON.stringify({ ...error })).not.toContain('spoken text');
    expect(error.serverMessage).toBe('bad: the spoken text');
  });
});
