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

interface Options {
  readonly timeoutMs: number;
  readonly what: string;
  /** How many steps of consecutive work have been answered: the deadline restarts with each answer. */
  readonly answers?: () => number;
}

const TICKS = 10;
/** For as many deadlines the work waits behind other work that is answered. */
const MAX_DEADLINES = 10;

/**
 * Like withDeadline, for short times: a stall of this process takes one tick of the deadline, however long it is, as what the
 * work needs of this process waits for it as well.
 */
export function stallProofDeadline<Value>(work: Promise<Value>, options: Options): Promise<Value> {
  const { timeoutMs, what, answers = () => 0 } = options;
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
