import { SpeechError } from '../errors.ts';

/** Upstream quotas are renewed after minutes to a day: each failed trial doubles the wait, up to the longest. */
export const FIRST_QUOTA_WAIT_MS = 5 * 60_000;
export const LONGEST_QUOTA_WAIT_MS = 6 * 3_600_000;
/** A longer announced delay is treated as a mistake. */
const LONGEST_ANNOUNCED_WAIT_MS = 24 * 3_600_000;

interface QuotaChange {
  /** The circuit's model or models, or its voice when the model is unknown. Logged, so not named a key: those are redacted. */
  readonly circuit: string;
  readonly open: boolean;
  readonly retryAfterMs?: number;
}

/** Of a model whose quota is used up. */
interface Circuit {
  /** Trials that failed, and the failure that opened it. */
  readonly failures: number;
  /** Milliseconds since 1970. */
  readonly retryAtMs: number;
  /** Resolves when the one call is over that tries whether the quota is back. */
  trial?: Promise<void>;
}

/** The error of a call that is not made because the quota for its model is exhausted. */
export function quotaError(retryAfterMs: number): SpeechError {
  return new SpeechError({
    kind: 'quota-exceeded',
    message: 'the quota for this model is used up; not asking again yet',
    retryAfterMs,
  });
}

/** One circuit for each quota, so that a used-up one never silences a model with another. */
export function createQuotaCircuits(onChange: (change: QuotaChange) => void) {
  const circuits = new Map<string, Circuit>();

  /** Milliseconds until the key is tried again; undefined when its circuit is not open. */
  function retryAfterMs(key: string): number | undefined {
    const waitMs = (circuits.get(key)?.retryAtMs ?? 0) - Date.now();
    return waitMs > 0 ? waitMs : undefined;
  }

  function open(key: string, error: SpeechError, tried?: Circuit): void {
    const failures = (tried?.failures ?? 0) + 1;
    const retryAfterMs = waitMs(error, failures);
    circuits.set(key, { failures, retryAtMs: Date.now() + retryAfterMs });
    onChange({ circuit: key, open: true, retryAfterMs });
  }

  function close(key: string): void {
    circuits.delete(key);
    onChange({ circuit: key, open: false });
  }

  /** `tried`: the circuit that this call is the trial of. Of other calls, several may fail at once: the first opens it. */
  async function watched<T>(key: string, attempt: () => Promise<T>, tried?: Circuit): Promise<T> {
    try {
      const result = await attempt();
      if (tried) close(key);
      return result;
    } catch (error) {
      if (isQuota(error)) {
        if (tried || !circuits.has(key)) open(key, error, tried);
        throw error.withRetryAfter(retryAfterMs(key));
      }
      if (tried && !isInconclusive(error)) close(key);
      throw error;
    }
  }

  return {
    retryAfterMs,
    /** Runs `attempt` unless the key's circuit is open; one that ends in 'quota-exceeded' opens it. */
    async run<T>(key: string, attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
      signal.throwIfAborted();
      for (let circuit = circuits.get(key); circuit; circuit = circuits.get(key)) {
        const waitMs = retryAfterMs(key);
        if (waitMs !== undefined) throw quotaError(waitMs);
        if (!circuit.trial) {
          const { promise, resolve } = Promise.withResolvers<void>();
          const tried = circuit;
          tried.trial = promise;
          return watched(key, attempt, tried).finally(() => {
            delete tried.trial;
            resolve();
          });
        }
        await unlessAborted(circuit.trial, signal);
      }
      return watched(key, attempt);
    },
  };
}

export type QuotaCircuits = ReturnType<typeof createQuotaCircuits>;

const isQuota = (error: unknown): error is SpeechError =>
  error instanceof SpeechError && error.kind === 'quota-exceeded';

/** An aborted trial gives no information about the quota: the next call tries again. */
const isInconclusive = (error: unknown): boolean =>
  !(error instanceof SpeechError) ||
  ['aborted', 'timeout', 'network', 'unavailable', 'rate-limited'].includes(error.kind);

function waitMs({ retryAfterMs }: SpeechError, failures: number): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, LONGEST_ANNOUNCED_WAIT_MS);
  return Math.min(FIRST_QUOTA_WAIT_MS * 2 ** (failures - 1), LONGEST_QUOTA_WAIT_MS);
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
