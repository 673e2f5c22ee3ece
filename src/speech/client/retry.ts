import type { SpeechError } from '../errors.ts';

/** The progress of an attempt. Only one that was certainly not sent, or was answered, may be repeated for a POST. */
export type RetryProgress = 'not-sent' | 'sent' | 'answered';

export interface FailedAttempt {
  readonly error: Pick<SpeechError, 'kind' | 'status' | 'retryAfterMs' | 'creditsMayBeSpent'>;
  readonly progress: RetryProgress;
  /** A failure that no retry fixes, such as an untrusted certificate. */
  readonly permanent?: boolean;
}

export interface RetryState {
  readonly method: 'GET' | 'POST';
  /** Attempts made so far, at least 1. */
  readonly attempts: number;
  /** The remainder of the call's total deadline. */
  readonly remainingMs: number;
  /** 0 ≤ n < 1. */
  readonly random: number;
}

type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | {
      readonly retry: false;
      readonly why: 'not-retryable' | 'may-be-billed' | 'attempts-used-up' | 'deadline';
    };

export const MAX_ATTEMPTS = 6;
/** A GET with a bad answer, and a refused connection, seldom recover at once, and the requester is waiting. */
export const MAX_ATTEMPTS_ON_TROUBLE = 4;
/** Full jitter (AWS, "Exponential Backoff And Jitter"): a random share of a ceiling that doubles with each attempt. */
export const BACKOFF_BASE_MS = 500;
export const BACKOFF_CEILING_MS = 15_000;

export function fullJitterMs(attempts: number, random: number): number {
  return Math.round(random * Math.min(BACKOFF_CEILING_MS, BACKOFF_BASE_MS * 2 ** (attempts - 1)));
}

/** Whether to try again, and when. Pure: all its input is in its arguments. */
export function decideRetry(failed: FailedAttempt, state: RetryState): RetryDecision {
  const { error, progress } = failed;
  if (error.kind === 'aborted' || error.kind === 'timeout' || error.kind === 'quota-exceeded' || failed.permanent) {
    return { retry: false, why: 'not-retryable' };
  }
  if (state.method === 'POST' && (progress === 'sent' || error.creditsMayBeSpent)) {
    return { retry: false, why: 'may-be-billed' };
  }
  const limited = error.kind === 'rate-limited';
  if (!limited && error.status !== 503 && !isTrouble(failed, state.method)) {
    return { retry: false, why: 'not-retryable' };
  }
  const most = limited || error.status === 503 ? MAX_ATTEMPTS : MAX_ATTEMPTS_ON_TROUBLE;
  if (state.attempts >= most) return { retry: false, why: 'attempts-used-up' };
  const jitterMs = fullJitterMs(state.attempts, state.random);
  // An announced delay is used once: a limit announced as lifted already (clocks differ) must not be hit again at once.
  const leastMs = limited && state.attempts === 1 ? 0 : jitterMs;
  const delayMs = error.retryAfterMs === undefined ? jitterMs : Math.max(error.retryAfterMs, leastMs);
  return delayMs >= state.remainingMs ? { retry: false, why: 'deadline' } : { retry: true, delayMs };
}

/** Worth a few more attempts: nothing was sent, or it was only a query. */
function isTrouble({ error, progress }: FailedAttempt, method: 'GET' | 'POST'): boolean {
  if (error.kind === 'network' && progress === 'not-sent') return true;
  if (method === 'POST') return false;
  return error.kind === 'network' || error.kind === 'server-error';
}
