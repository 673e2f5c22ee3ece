import { describe, expect, it } from 'vitest';
import {
  BACKOFF_BASE_MS,
  BACKOFF_CEILING_MS,
  decideRetry,
  equalJitterMs,
  type FailedAttempt,
  MAX_ATTEMPTS_ON_TROUBLE,
  type RetryState,
} from '../../../src/speech/client/retry.ts';

const post: RetryState = { method: 'POST', attempts: 1, previousDelayMs: 0, remainingMs: 120_000, random: 0.5 };
const get: RetryState = { ...post, method: 'GET' };

function failed(
  kind: FailedAttempt['error']['kind'],
  rest: Partial<FailedAttempt['error']> & Partial<Omit<FailedAttempt, 'error'>> = {},
): FailedAttempt {
  const { progress = 'answered', permanent = false, ...error } = rest;
  return { error: { kind, creditsMayBeSpent: false, ...error }, progress, permanent };
}

describe.each<[string, FailedAttempt, RetryState, ReturnType<typeof decideRetry>]>([
  ['any 503', failed('unavailable', { status: 503 }), post, { retry: true, delayMs: 375 }],
  ['any 503 of a GET', failed('unavailable', { status: 503 }), get, { retry: true, delayMs: 375 }],
  [
    'a 503 at the third attempt',
    failed('unavailable', { status: 503 }),
    { ...post, attempts: 3 },
    { retry: true, delayMs: 1500 },
  ],
  [
    'a 503 with bad luck',
    failed('unavailable', { status: 503 }),
    { ...post, random: 0 },
    { retry: true, delayMs: 250 },
  ],
  [
    'a 503 with Retry-After',
    failed('unavailable', { status: 503, retryAfterMs: 3000 }),
    post,
    { retry: true, delayMs: 3000 },
  ],
  [
    'a 503 at the hundredth attempt',
    failed('unavailable', { status: 503 }),
    { ...post, attempts: 100 },
    { retry: true, delayMs: 7500 },
  ],
  [
    'a 503 with bad luck after a longer wait',
    failed('unavailable', { status: 503 }),
    { ...post, attempts: 6, previousDelayMs: 8000, random: 0 },
    { retry: true, delayMs: 8000 },
  ],
  [
    'a 503 after an announced wait',
    failed('unavailable', { status: 503 }),
    { ...post, attempts: 2, previousDelayMs: 30_000 },
    { retry: true, delayMs: 10_000 },
  ],
  [
    'a 503 with a short Retry-After at the third attempt',
    failed('unavailable', { status: 503, retryAfterMs: 100 }),
    { ...post, attempts: 3 },
    { retry: true, delayMs: 1500 },
  ],
  [
    'a 503 with no time left',
    failed('unavailable', { status: 503 }),
    { ...post, remainingMs: 250 },
    { retry: false, why: 'deadline' },
  ],
  [
    'a connection refused before anything was sent',
    failed('network', { progress: 'not-sent' }),
    post,
    { retry: true, delayMs: 375 },
  ],
  [
    'a connection refused too often',
    failed('network', { progress: 'not-sent' }),
    { ...post, attempts: MAX_ATTEMPTS_ON_TROUBLE },
    { retry: false, why: 'attempts-used-up' },
  ],
  [
    'a certificate that is not trusted',
    failed('network', { progress: 'not-sent', permanent: true }),
    post,
    { retry: false, why: 'not-retryable' },
  ],
  [
    'a POST whose answer was lost',
    failed('network', { progress: 'sent', creditsMayBeSpent: true }),
    post,
    { retry: false, why: 'may-be-billed' },
  ],
  [
    'a POST that a gateway answered 502',
    failed('server-error', { status: 502, creditsMayBeSpent: true }),
    post,
    { retry: false, why: 'may-be-billed' },
  ],
  ['a GET whose answer was lost', failed('network', { progress: 'sent' }), get, { retry: true, delayMs: 375 }],
  [
    'a 500 to a POST: the caller chooses',
    failed('server-error', { status: 500 }),
    post,
    { retry: false, why: 'not-retryable' },
  ],
  ['a 500 to a GET', failed('server-error', { status: 500 }), get, { retry: true, delayMs: 375 }],
  [
    'rate limit with the announced time',
    failed('rate-limited', { status: 429, retryAfterMs: 7000 }),
    post,
    { retry: true, delayMs: 7000 },
  ],
  [
    'rate limit lifted now',
    failed('rate-limited', { status: 429, retryAfterMs: 0 }),
    post,
    { retry: true, delayMs: 0 },
  ],
  [
    'rate limit said to be lifted now, at the third attempt',
    failed('rate-limited', { status: 429, retryAfterMs: 0 }),
    { ...post, attempts: 3 },
    { retry: true, delayMs: 1500 },
  ],
  ['rate limit without a time', failed('rate-limited', { status: 429 }), post, { retry: true, delayMs: 375 }],
  [
    'rate limit beyond the deadline',
    failed('rate-limited', { status: 429, retryAfterMs: 120_000 }),
    post,
    { retry: false, why: 'deadline' },
  ],
  [
    'a used-up upstream quota',
    failed('quota-exceeded', { status: 429, retryAfterMs: 1000 }),
    post,
    { retry: false, why: 'not-retryable' },
  ],
  ['a wrong key', failed('invalid-api-key', { status: 401 }), get, { retry: false, why: 'not-retryable' }],
  ['a bad request', failed('invalid-request', { status: 400 }), post, { retry: false, why: 'not-retryable' }],
  ['no credits', failed('insufficient-credits', { status: 402 }), post, { retry: false, why: 'not-retryable' }],
  [
    'a good answer that makes no sense',
    failed('bad-response', { status: 200, creditsMayBeSpent: true }),
    post,
    { retry: false, why: 'may-be-billed' },
  ],
  ['an abort', failed('aborted', { progress: 'not-sent' }), get, { retry: false, why: 'not-retryable' }],
  ['a deadline that passed', failed('timeout', { progress: 'not-sent' }), get, { retry: false, why: 'not-retryable' }],
])('after %s', (_, attempt, state, decision) => {
  it(decision.retry ? `tries again in ${decision.delayMs} ms` : `gives up: ${decision.why}`, () => {
    expect(decideRetry(attempt, state)).toEqual(decision);
  });
});

describe('the waits', () => {
  const waits = (random: () => number) => {
    let previousDelayMs = 0;
    return Array.from({ length: 12 }, (_, index) => {
      const state = { ...post, attempts: index + 1, previousDelayMs, random: random() };
      const decision = decideRetry(failed('unavailable', { status: 503 }), state);
      previousDelayMs = decision.retry ? decision.delayMs : Number.NaN;
      return previousDelayMs;
    });
  };

  it('are half of a ceiling that doubles and then stays, and a random share of the other half', () => {
    expect(waits(() => 0)).toEqual([250, 500, 1000, 2000, 4000, ...new Array(7).fill(5000)]);
    expect(waits(() => 1)).toEqual([500, 1000, 2000, 4000, 8000, ...new Array(7).fill(BACKOFF_CEILING_MS)]);
    expect(equalJitterMs(1, 1)).toBe(BACKOFF_BASE_MS);
    expect(equalJitterMs(4, 0.25)).toBe(2500);
  });

  it('never shrink, whatever the chance', () => {
    for (let run = 0; run < 100; run++) {
      const made = waits(Math.random);
      expect(made).toEqual(made.toSorted((a, b) => a - b));
    }
  });
});
