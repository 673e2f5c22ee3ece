import { SpeechError } from '../errors.ts';

/** The needed part of pino's interface. */
export type SpeechLog = Readonly<Record<'debug' | 'info' | 'warn', (facts: object, message: string) => void>>;

/** Upstream quotas are renewed after minutes to a day: each further failure doubles the wait, up to the longest. */
export const FIRST_QUOTA_WAIT_MS = 5 * 60_000;
export const MAX_QUOTA_WAIT_MS = 6 * 3_600_000;
/** A longer announced delay is treated as a mistake. */
const MAX_ANNOUNCED_WAIT_MS = 24 * 3_600_000;

/**
 * A circuit for each quota, so that a used-up quota never silences a model with another. Its key is a model, or a voice
 * whose model is unknown; it is logged as `circuit`, since fields named key are redacted.
 */
export function createQuotas(log: SpeechLog) {
  /** The quotas that are used up, until a call succeeds. Calls try again once `retryAtMs` (since 1970) has passed. */
  const circuits = new Map<string, { readonly failures: number; readonly retryAtMs: number }>();

  function retryAfterMs(key: string): number | undefined {
    const waitMs = (circuits.get(key)?.retryAtMs ?? 0) - Date.now();
    return waitMs > 0 ? waitMs : undefined;
  }

  return {
    retryAfterMs,
    check(key: string): void {
      const waitMs = retryAfterMs(key);
      if (waitMs === undefined) return;
      const message = 'the quota for this model is used up; not asking again yet';
      throw new SpeechError({ kind: 'quota-exceeded', message, retryAfterMs: waitMs });
    },
    /** Opens it, unless another call of the same moment has; the error says when it is tried again. */
    open(key: string, error: SpeechError): SpeechError {
      if (retryAfterMs(key) === undefined) {
        const failures = (circuits.get(key)?.failures ?? 0) + 1;
        const waitMs =
          error.retryAfterMs === undefined
            ? Math.min(FIRST_QUOTA_WAIT_MS * 2 ** (failures - 1), MAX_QUOTA_WAIT_MS)
            : Math.min(error.retryAfterMs, MAX_ANNOUNCED_WAIT_MS);
        circuits.set(key, { failures, retryAtMs: Date.now() + waitMs });
        const facts = { circuit: key, open: true, retryAfterMs: waitMs };
        log.warn(facts, 'upstream quota exhausted: pausing requests that need it');
      }
      return error.withRetryAfter(retryAfterMs(key));
    },
    close(key: string): void {
      if (circuits.delete(key)) log.info({ circuit: key, open: false }, 'upstream quota is available again');
    },
  };
}
