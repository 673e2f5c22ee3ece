import type { SpeechError } from '../errors.ts';

export interface FailedAttempt {
  readonly error: SpeechError;
  readonly method: 'GET' | 'POST';
  readonly attempts: number;
  /** The wait before this attempt, 0 before the first. */
  readonly previousDelayMs: number;
  /** The remainder of the time in which the call may be repeated. */
  readonly remainingMs: number;
  readonly random: number;
}

type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | {
      readonly retry: false;
      readonly why: 'not-retryable' | 'may-be-billed' | 'attempts-used-up' | 'deadline';
    };

/**
 * The limit if nothing listens (a wrong address, a stopped service), and for a GET with a bad answer: a few seconds. A
 * service that answers with 503 or a rate limit is retried for as long as the call may take.
 */
export const MAX_ATTEMPTS_ON_TROUBLE = 4;
export const BACKOFF_BASE_MS = 500;
export const BACKOFF_CEILING_MS = 10_000;

/**
 * Equal jitter (AWS, "Exponential Backoff And Jitter"): half of a ceiling that doubles with each attempt, and a random share
 * of the other half, so that callers that failed together do not come back together, and none of them at once.
 */
export function equalJitterMs(attempts: number, random: number): number {
  const halfMs = Math.min(BACKOFF_CEILING_MS, BACKOFF_BASE_MS * 2 ** (attempts - 1)) / 2;
  return Math.round(halfMs + random * halfMs);
}

/** Whether to try again, and when. Pure: all its input is in its argument. */
export function decideRetry({
  error,
  method,
  attempts,
  previousDelayMs,
  remainingMs,
  random,
}: FailedAttempt): RetryDecision {
  if (error.creditsMayBeSpent) return { retry: false, why: 'may-be-billed' };
  const isLimited = error.kind === 'rate-limited';
  if (!isLimited && error.status !== 503) {
    // Nothing was sent, or it was only a query.
    const isTrouble =
      error.retryable && (error.kind === 'network' || (error.kind === 'server-error' && method === 'GET'));
    if (!isTrouble) return { retry: false, why: 'not-retryable' };
    if (attempts >= MAX_ATTEMPTS_ON_TROUBLE) return { retry: false, why: 'attempts-used-up' };
  }
  // Waits never shrink, save after an announced one that was longer than any of ours.
  const backoffMs = Math.max(Math.min(previousDelayMs, BACKOFF_CEILING_MS), equalJitterMs(attempts, random));
  // An announced delay is used once: a limit announced as lifted already (clocks differ) must not be hit again at once.
  const leastMs = isLimited && attempts === 1 ? 0 : backoffMs;
  const delayMs = error.retryAfterMs === undefined ? backoffMs : Math.max(error.retryAfterMs, leastMs);
  return delayMs >= remainingMs ? { retry: false, why: 'deadline' } : { retry: true, delayMs };
}
