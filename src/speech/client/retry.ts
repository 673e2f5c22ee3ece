import type { SpeechError } from '../errors.ts';

export interface FailedAttempt {
  readonly error: SpeechError;
  readonly method: 'GET' | 'POST';
  readonly attempts: number;
  /** Milliseconds that the call waited before the failed attempt; 0 before the first attempt. */
  readonly previousDelayMs: number;
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
 * Attempts if nothing listens at the address or a GET gets a server error. They take a few seconds in total. Answers of
 * 503 and rate limits are retried as long as the call's time allows.
 */
export const MAX_ATTEMPTS_ON_TROUBLE = 4;
const BACKOFF_BASE_MS = 500;
export const BACKOFF_CEILING_MS = 10_000;

/** Equal jitter (AWS, "Exponential Backoff And Jitter") spreads callers that failed together; none retries at once. */
function equalJitterMs(attempts: number, random: number): number {
  const halfMs = Math.min(BACKOFF_CEILING_MS, BACKOFF_BASE_MS * 2 ** (attempts - 1)) / 2;
  return Math.round(halfMs + random * halfMs);
}

export function decideRetry(failed: FailedAttempt): RetryDecision {
  const { error, method, attempts, previousDelayMs, remainingMs, random } = failed;
  if (error.creditsMayBeSpent) return { retry: false, why: 'may-be-billed' };
  const isLimited = error.kind === 'rate-limited';
  if (!isLimited && error.status !== 503) {
    // Only a query, or a request that was never sent, can be repeated without a second charge.
    const isTrouble =
      error.retryable && (error.kind === 'network' || (error.kind === 'server-error' && method === 'GET'));
    if (!isTrouble) return { retry: false, why: 'not-retryable' };
    if (attempts >= MAX_ATTEMPTS_ON_TROUBLE) return { retry: false, why: 'attempts-used-up' };
  }
  // Pauses between attempts never get shorter, except after an announced delay of more than `BACKOFF_CEILING_MS`.
  const backoffMs = Math.max(Math.min(previousDelayMs, BACKOFF_CEILING_MS), equalJitterMs(attempts, random));
  // The first announced delay is taken as it is. Clocks differ, so a second one of zero could hit the limit again.
  const leastMs = isLimited && attempts === 1 ? 0 : backoffMs;
  const delayMs = error.retryAfterMs === undefined ? backoffMs : Math.max(error.retryAfterMs, leastMs);
  return delayMs >= remainingMs ? { retry: false, why: 'deadline' } : { retry: true, delayMs };
}
