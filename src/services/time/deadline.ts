export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * What `work` resolves with, unless it takes longer than `timeoutMs` or the signal aborts: then the returned promise
 * rejects at once (with a DeadlineError or the signal's reason). The work itself is not stopped by this.
 */
export function withDeadline<Value>(
  work: Promise<Value>,
  options: { readonly timeoutMs: number; readonly what: string; readonly signal?: AbortSignal },
): Promise<Value> {
  const { timeoutMs, what, signal } = options;
  if (signal?.aborted) {
    work.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      act();
    };
    const onAbort = () => settle(() => reject(signal?.reason));
    const timer = setTimeout(
      () => settle(() => reject(new DeadlineError(`${what} took longer than ${timeoutMs} ms`))),
      timeoutMs,
    );
    signal?.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

/** Lets one of those who wait for the same work give up: rejects with the signal's reason. The work goes on. */
export function abortable<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
