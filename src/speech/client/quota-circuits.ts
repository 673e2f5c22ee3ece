import { SpeechError } from '../errors.ts';

/** The needed part of pino's interface. */
export type SpeechLog = Readonly<Record<'debug' | 'info' | 'warn', (facts: object, message: string) => void>>;

/** Upstream quotas are renewed after minutes to a day: each further failure doubles the wait, up to the longest. */
export const FIRST_QUOTA_WAIT_MS = 5 * 60_000;
export const LONGEST_QUOTA_WAIT_MS = 6 * 3_600_000;
/** A longer announced delay is treated as a mistake. */
const LONGEST_ANNOUNCED_WAIT_MS = 24 * 3_600_000;

/** The circuit of a model whose quota is used up. */
interface Circuit {
  /** The number of failures in a row. */
  readonly failures: number;
  /** Milliseconds since 1970; from then on calls try whether it is back. */
  readonly retryAtMs: number;
}

/** The error of a call that is not made because the quota for its model is exhausted. */
export function quotaError(retryAfterMs: number): SpeechError {
  return new SpeechError({
    kind: 'quota-exceeded',
    message: 'the quota for this model is used up; not asking again yet',
    retryAfterMs,
  });
}

/**
 * A circuit for each quota, so that a used-up quota never silences a model with another. Its key is a model, or a voice
 * whose model is unknown; it is logged as `circuit`, since fields named key are redacted.
 */
export function createQuotaCircuits(log: SpeechLog) {
  const circuits = new Map<string, Circuit>();

  /** Milliseconds until the key is tried again; undefined when its circuit is not open. */
  function retryAfterMs(key: string): number | undefined {
    const waitMs = (circuits.get(key)?.retryAtMs ?? 0) - Date.now();
    return waitMs > 0 ? waitMs : undefined;
  }

  function open(key: string, error: SpeechError): void {
    const failures = (circuits.get(key)?.failures ?? 0) + 1;
    const retryAfterMs = waitMs(error, failures);
    circuits.set(key, { failures, retryAtMs: Date.now() + retryAfterMs });
    log.warn({ circuit: key, open: true, retryAfterMs }, 'upstream quota exhausted: pausing requests that need it');
  }

  function close(key: string): void {
    if (circuits.delete(key)) log.info({ circuit: key, open: false }, 'upstream quota is available again');
  }

  return {
    retryAfterMs,
    /** Runs `attempt` unless the key's circuit is open; one that ends in 'quota-exceeded' opens it. */
    async run<T>(key: string, attempt: () => Promise<T>): Promise<T> {
      const waitMs = retryAfterMs(key);
      if (waitMs !== undefined) throw quotaError(waitMs);
      const tried = circuits.get(key);
      // Among several calls at once, the first to end decides the state.
      const isFirst = () => circuits.get(key) === tried;
      try {
        const result = await attempt();
        if (isFirst()) close(key);
        return result;
      } catch (error) {
        if (isQuota(error)) {
          if (isFirst()) open(key, error);
          throw error.withRetryAfter(retryAfterMs(key));
        }
        if (isFirst() && !isInconclusive(error)) close(key);
        throw error;
      }
    },
  };
}

const isQuota = (error: unknown): error is SpeechError =>
  error instanceof SpeechError && error.kind === 'quota-exceeded';

/** An aborted call gives no information about the quota: the next one tries again. */
const isInconclusive = (error: unknown): boolean =>
  !(error instanceof SpeechError) ||
  ['aborted', 'timeout', 'network', 'unavailable', 'rate-limited'].includes(error.kind);

function waitMs({ retryAfterMs }: SpeechError, failures: number): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, LONGEST_ANNOUNCED_WAIT_MS);
  return Math.min(FIRST_QUOTA_WAIT_MS * 2 ** (failures - 1), LONGEST_QUOTA_WAIT_MS);
}
