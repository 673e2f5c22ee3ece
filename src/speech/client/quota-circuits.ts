import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  type FailureReason,
  handleWhen,
  type IBackoff,
  type IHalfOpenAfterBackoffContext,
} from 'cockatiel';
import { SpeechError } from '../errors.ts';

/** Upstream quotas are renewed after minutes to a day: each failed trial doubles the wait, up to the longest. */
export const FIRST_QUOTA_WAIT_MS = 5 * 60_000;
export const LONGEST_QUOTA_WAIT_MS = 6 * 3_600_000;
/** A longer announced delay is treated as a mistake. */
const LONGEST_ANNOUNCED_WAIT_MS = 24 * 3_600_000;

interface QuotaChange {
  /** The circuit's model, or its voice when the model is unknown. Logged, so not named a key: those are redacted. */
  readonly circuit: string;
  readonly open: boolean;
  readonly retryAfterMs?: number;
}

/** One circuit per model, so that a used-up quota of one never silences another. */
export interface QuotaCircuits {
  /** Runs `attempt` unless the key's circuit is open; one that ends in 'quota-exceeded' opens it. */
  run<T>(key: string, attempt: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Milliseconds until the key is tried again; undefined when its circuit is not open. */
  retryAfterMs(key: string): number | undefined;
}

interface Circuit {
  readonly breaker: CircuitBreakerPolicy;
  quotaFailures: number;
  /** Milliseconds since 1970; by Date.now(), which the breaker measures with. */
  retryAtMs: number;
}

/** The error of a call that is not made because its model's quota is exhausted. */
export function quotaError(retryAfterMs: number): SpeechError {
  return new SpeechError({
    kind: 'quota-exceeded',
    message: 'the quota of this model is used up; not asking again yet',
    retryAfterMs,
  });
}

export function createQuotaCircuits(onChange: (change: QuotaChange) => void): QuotaCircuits {
  const circuits = new Map<string, Circuit>();

  function createCircuit(key: string): Circuit {
    const opensCircuit = (error: unknown) =>
      isQuota(error) || (circuit.breaker.state === CircuitState.HalfOpen && isInconclusive(error));
    const breaker = circuitBreaker(handleWhen(opensCircuit), {
      breaker: new ConsecutiveBreaker(1),
      halfOpenAfter: { next: (context) => waitBeforeTrial(circuit, context) },
    });
    const circuit: Circuit = { breaker, quotaFailures: 0, retryAtMs: 0 };
    breaker.onBreak(() => {
      circuits.set(key, circuit);
      onChange({ circuit: key, open: true, retryAfterMs: Math.max(0, circuit.retryAtMs - Date.now()) });
    });
    breaker.onReset(() => onChange({ circuit: key, open: false }));
    return circuit;
  }

  function retryAfterMs(key: string): number | undefined {
    const circuit = circuits.get(key);
    if (circuit?.breaker.state !== CircuitState.Open) return undefined;
    const waitMs = circuit.retryAtMs - Date.now();
    return waitMs > 0 ? waitMs : undefined;
  }

  return {
    retryAfterMs,
    async run(key, attempt, signal) {
      const circuit = circuits.get(key) ?? createCircuit(key);
      circuits.set(key, circuit);
      try {
        return await executeUnlessAborted(circuit.breaker, attempt, signal);
      } catch (error) {
        if (error instanceof BrokenCircuitError) throw quotaError(retryAfterMs(key) ?? 0);
        throw isQuota(error) ? error.withRetryAfter(retryAfterMs(key)) : error;
      } finally {
        // Models and voice ids come and go: only an open circuit holds state worth keeping.
        if (circuit.breaker.state === CircuitState.Closed && circuits.get(key) === circuit) circuits.delete(key);
      }
    },
  };
}

const isQuota = (error: unknown): error is SpeechError =>
  error instanceof SpeechError && error.kind === 'quota-exceeded';

/** An aborted trial gives no information about the quota: the next call tries again. */
const isInconclusive = (error: unknown): boolean =>
  !(error instanceof SpeechError) ||
  ['aborted', 'timeout', 'network', 'unavailable', 'rate-limited'].includes(error.kind);

type Trial = IHalfOpenAfterBackoffContext;

function waitBeforeTrial(circuit: Circuit, { result }: Trial): IBackoff<Trial> {
  const duration = waitMs(circuit, result);
  circuit.retryAtMs = Date.now() + duration;
  return { duration, next: (context) => waitBeforeTrial(circuit, context) };
}

function waitMs(circuit: Circuit, result: FailureReason<unknown>): number {
  const error = 'error' in result ? result.error : undefined;
  if (!isQuota(error)) return 0;
  circuit.quotaFailures++;
  if (error.retryAfterMs !== undefined) return Math.min(error.retryAfterMs, LONGEST_ANNOUNCED_WAIT_MS);
  return Math.min(FIRST_QUOTA_WAIT_MS * 2 ** (circuit.quotaFailures - 1), LONGEST_QUOTA_WAIT_MS);
}

/**
 * While one call tests the quota, the breaker makes the others wait for its outcome and ignores their signals. A call
 * that has begun ends by itself: it knows how far it got.
 */
async function executeUnlessAborted<T>(
  breaker: CircuitBreakerPolicy,
  attempt: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  signal.throwIfAborted();
  const gaveUp = Promise.withResolvers<never>();
  let begun = false;
  const onAbort = () => {
    if (!begun) gaveUp.reject(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const outcome = breaker.execute(() => {
      signal.throwIfAborted();
      begun = true;
      return attempt();
    }, signal);
    return await Promise.race([outcome, gaveUp.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
