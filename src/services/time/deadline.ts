export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * What `work` resolves with, unless it takes longer than `timeoutMs` or the signal aborts: then the returned promise
 * rejects at once (with a DeadlineError or the signal's reason). The work itself is not stopped by this.
 */
export async function withDeadline<Value>(
  work: Promise<Value>,
  { timeoutMs, what, signal }: { readonly timeoutMs: number; readonly what: string; readonly signal?: AbortSignal },
): Promise<Value> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DeadlineError(`${what} took longer than ${timeoutMs} ms`)), timeoutMs);
  try {
    return await abortable(work, signal ? AbortSignal.any([signal, late.signal]) : late.signal);
  } finally {
    clearTimeout(timer);
  }
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
