import type { SpeechError } from '../errors.ts';

/** How far an attempt got. Only what was certainly not sent, or was answered, may ever be repeated for a POST. */
export type RetryProgress = 'not-sent' | 'sent' | 'answered';

export interface FailedAttempt {
  readonly error: Pick<SpeechError, 'kind' | 'status' | 'retryAfterMs' | 'creditsMayBeSpent'>;
  readonly progress: RetryProgress;
  /** A failure no repetition cures, such as a certificate that is not trusted. */
  readonly permanent?: boolean;
}

export interface RetryState {
  readonly method: 'GET' | 'POST';
  /** Attempts made so far, at least 1. */
  readonly attempts: number;
  /** What is left of the call's total deadline. */
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
/** A GET that is answered badly, and a connection that is refused, seldom get better: people wait for this answer. */
export const MAX_ATTEMPTS_ON_TROUBLE = 4;
/** Full jitter (AWS, "Exponential Backoff And Jitter"): a random share of a ceiling that doubles with each attempt. */
export const BACKOFF_BASE_MS = 500;
export const BACKOFF_CEILING_MS = 15_000;

export function fullJitterMs(attempts: number, random: number): number {
  return Math.round(random * Math.min(BACKOFF_CEILING_MS, BACKOFF_BASE_MS * 2 ** (attempts - 1)));
}

/** Whether to try again, and when. Pure: everything it needs is in its arguments. */
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
  // An announced time is believed once: a limit said to be lifted already (clocks differ) must not be run into again at once.
  const leastMs = limited && state.attempts === 1 ? 0 : jitterMs;
  const delayMs = error.retryAfterMs === undefined ? jitterMs : Math.max(error.retryAfterMs, leastMs);
  return delayMs >= state.remainingMs ? { retry: false, why: 'deadline' } : { retry: true, delayMs };
}

/** Worth a few more attempts: nothing was sent, or it was only a question. */
function isTrouble({ error, progress }: FailedAttempt, method: 'GET' | 'POST'): boolean {
  if (error.kind === 'network' && progress === 'not-sent') return true;
  if (method === 'POST') return false;
  return error.kind === 'network' || error.kind === 'server-error';
}
