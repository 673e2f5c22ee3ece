import { SpeechError } from '../errors.ts';

export type SpeechLog = Readonly<Record<'debug' | 'info' | 'warn', (facts: object, message: string) => void>>;

/** Quotas renew after minutes to a day, so each further failure doubles this wait, up to six hours. */
export const FIRST_QUOTA_WAIT_MS = 5 * 60_000;
export const MAX_QUOTA_WAIT_MS = 6 * 3_600_000;
/** If the service announces a longer wait for a quota than a day, the bot takes that for a mistake and waits a day. */
const MAX_ANNOUNCED_WAIT_MS = 24 * 3_600_000;

/** The key is a model id, or a voice id if the model is unknown. Logs redact `key`, so they call it `quotaOf`. */
export function createQuotas(log: SpeechLog) {
  /** Used-up quotas, until a call succeeds. Calls are rejected until `retryAtMs`, in milliseconds since 1970. */
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
    /** Blocks calls to a used-up quota for a while. The returned error says when the next attempt is allowed. */
    open(key: string, error: SpeechError): SpeechError {
      if (retryAfterMs(key) === undefined) {
        const failures = (circuits.get(key)?.failures ?? 0) + 1;
        const waitMs =
          error.retryAfterMs === undefined
            ? Math.min(FIRST_QUOTA_WAIT_MS * 2 ** (failures - 1), MAX_QUOTA_WAIT_MS)
            : Math.min(error.retryAfterMs, MAX_ANNOUNCED_WAIT_MS);
        circuits.set(key, { failures, retryAtMs: Date.now() + waitMs });
        const facts = { quotaOf: key, isUsedUp: true, retryAfterMs: waitMs };
        log.warn(facts, "Speech provider's quota is used up: refusing its texts meanwhile");
      }
      return error.withRetryAfter(retryAfterMs(key));
    },
    close(key: string): void {
      if (circuits.delete(key))
        log.info(
          { quotaOf: key, isUsedUp: false },
          "Speech provider's quota is available again: resuming its requests",
        );
    },
  };
}
