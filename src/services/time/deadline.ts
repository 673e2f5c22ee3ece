export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** Rejects after `timeoutMs` with a DeadlineError, or with the signal's reason. The work itself goes on. */
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

/** Rejects with the signal's reason when the signal aborts. The work itself goes on for other callers. */
export function abortable<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const TICKS = 10;
/** The maximum total time as a multiple of the deadline: finished steps must not restart it forever. */
const MAX_DEADLINES = 10;

/**
 * Rejects once `answers`, the number of finished steps, has not grown for `timeoutMs`. If this process stalls, however
 * long, only a tenth of `timeoutMs` counts: the work is stalled as well.
 */
export function stallProofDeadline<Value>(
  work: Promise<Value>,
  { timeoutMs, what, answers }: { readonly timeoutMs: number; readonly what: string; readonly answers: () => number },
): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  let answered = answers();
  let ticks = 0;
  let ticksInAll = 0;
  const timer = setInterval(() => {
    ticks = answers() === answered ? ticks + 1 : 0;
    answered = answers();
    ticksInAll += 1;
    if (ticks < TICKS && ticksInAll < TICKS * MAX_DEADLINES) return;
    reject(new DeadlineError(`${what} took longer than ${(ticksInAll / TICKS) * timeoutMs} ms`));
  }, timeoutMs / TICKS);
  work.then(resolve, reject);
  const stop = () => clearInterval(timer);
  promise.then(stop, stop);
  return promise;
}
