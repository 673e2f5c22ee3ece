import { DeadlineError } from './deadline.ts';

interface Options {
  readonly timeoutMs: number;
  /** What answers. */
  readonly what: string;
  /** How much of the work that is done one after the other has been answered: the deadline begins anew with each answer. */
  readonly answers?: () => number;
}

/** Of a deadline. */
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
