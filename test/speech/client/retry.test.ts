import { describe, expect, it, test } from 'vitest';
import {
  BACKOFF_CEILING_MS,
  decideRetry,
  type FailedAttempt,
  MAX_ATTEMPTS_ON_TROUBLE,
} from '../../../src/speech/client/client.ts';
import { SpeechError, type SpeechErrorKind } from '../../../src/speech/errors.ts';

type Facts = Partial<FailedAttempt> & Partial<SpeechError>;

function failed(kind: SpeechErrorKind, facts: Facts): FailedAttempt {
  const { status, retryAfterMs, creditsMayBeSpent, retryable, ...attempt } = facts;
  return {
    error: new SpeechError({ kind, message: 'no', status, retryAfterMs, creditsMayBeSpent, retryable }),
    method: 'POST',
    attempts: 1,
    previousDelayMs: 0,
    remainingMs: 120_000,
    random: 0.5,
    ...attempt,
  };
}

const GET = { method: 'GET' } as const;
const SAFE = { retryable: true } as const;
const MANY = { attempts: MAX_ATTEMPTS_ON_TROUBLE };
const SPENT = { creditsMayBeSpent: true } as const;

/** The wait until the next attempt in milliseconds, or why there is none. */
test.each<[string, SpeechErrorKind, Facts, number | string]>([
  ['any 503', 'unavailable', { status: 503 }, 375],
  ['a 503 at the third attempt', 'unavailable', { status: 503, attempts: 3 }, 1500],
  ['a 503 with Retry-After', 'unavailable', { status: 503, retryAfterMs: 3000 }, 3000],
  ['a 503 after a longer wait', 'unavailable', { status: 503, attempts: 6, previousDelayMs: 8000, random: 0 }, 8000],
  ['a 503 after an announced wait', 'unavailable', { status: 503, attempts: 2, previousDelayMs: 30_000 }, 10_000],
  ['a 503 with a short Retry-After', 'unavailable', { status: 503, retryAfterMs: 100, attempts: 3 }, 1500],
  ['a 503 with no time left', 'unavailable', { status: 503, remainingMs: 250 }, 'deadline'],
  ['a refused connection', 'network', SAFE, 375],
  ['a connection refused too often', 'network', { ...SAFE, ...MANY }, 'attempts-used-up'],
  ['an untrusted certificate', 'network', {}, 'not-retryable'],
  ['a POST whose answer was lost', 'network', SPENT, 'may-be-billed'],
  ['a POST that a gateway answered 502', 'server-error', { status: 502, ...SPENT }, 'may-be-billed'],
  ['a 500 to a POST: the caller chooses', 'server-error', { status: 500, ...SAFE }, 'not-retryable'],
  ['a 500 to a GET', 'server-error', { status: 500, ...SAFE, ...GET }, 375],
  ['a rate limit with the announced time', 'rate-limited', { status: 429, retryAfterMs: 7000 }, 7000],
  ['a rate limit lifted now', 'rate-limited', { status: 429, retryAfterMs: 0 }, 0],
  ['a rate limit without a time', 'rate-limited', { status: 429 }, 375],
  ['a rate limit beyond the deadline', 'rate-limited', { status: 429, retryAfterMs: 120_000 }, 'deadline'],
  ['a used-up upstream quota', 'quota-exceeded', { status: 429, retryAfterMs: 1000 }, 'not-retryable'],
  ['a wrong key', 'invalid-api-key', { status: 401, ...GET }, 'not-retryable'],
])('after %s', (_, kind, facts, decision) => {
  expect(decideRetry(failed(kind, facts))).toEqual(
    typeof decision === 'number' ? { retry: true, delayMs: decision } : { retry: false, why: decision },
  );
});

describe('the waits', () => {
  const waits = (random: number) => {
    let previousDelayMs = 0;
    return Array.from({ length: 12 }, (_, index) => {
      const facts = { status: 503, attempts: index + 1, previousDelayMs, random };
      const decision = decideRetry(failed('unavailable', facts));
      previousDelayMs = decision.retry ? decision.delayMs : Number.NaN;
      return previousDelayMs;
    });
  };

  it('are half of a ceiling that doubles and then stays, and a random share of the other half', () => {
    expect(waits(0)).toEqual([250, 500, 1000, 2000, 4000, ...new Array(7).fill(5000)]);
    expect(waits(1)).toEqual([500, 1000, 2000, 4000, 8000, ...new Array(7).fill(BACKOFF_CEILING_MS)]);
  });
});
