const WAIT_MS = 30_000;

export interface Deadline {
  /** How many milliseconds a wait may take before it rejects; 30,000 by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Rejects with `late()` at the deadline. `begin` returns the function that stops watching when the wait is over. */
export function waitWithin<T>(
  { timeoutMs = WAIT_MS, signal }: Deadline,
  late: (timeoutMs: number) => Error,
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(late(timeoutMs)), timeoutMs);
  const aborted = () => reject(signal?.reason);
  signal?.addEventListener('abort', aborted);
  if (signal?.aborted) aborted();
  const stop = begin(resolve, reject);
  return promise.finally(() => {
    stop();
    clearTimeout(timer);
    signal?.removeEventListener('abort', aborted);
  });
}
