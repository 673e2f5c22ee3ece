import type { Logger } from 'pino';
import { withDeadline } from './services/deadline.ts';

/** What was opened, to be closed in reverse order. */
export interface Closing {
  /** Closes this, too, and before everything that was named earlier. */
  readonly later: (what: string, close: () => Promise<void> | void) => void;
  /** Waits for this for as long as one thing has to close. Never rejects: a failure is logged. */
  readonly inTime: (what: string, close: () => Promise<void> | void) => Promise<void>;
  /** Closes all, the last one first, each with a deadline. Never rejects. */
  readonly all: () => Promise<void>;
}

/** Each thing has this long to close, so that all together stay within the 10 s that supervisors wait. */
const CLOSE_DEADLINE_MS = 2_500;

export function createClosing(log: Logger): Closing {
  const closers: { readonly what: string; readonly close: () => Promise<void> | void }[] = [];

  async function inTime(what: string, close: () => Promise<void> | void): Promise<void> {
    const work = Promise.resolve().then(close);
    await withDeadline(work, { timeoutMs: CLOSE_DEADLINE_MS, what: `Closing ${what}` }).catch((error: unknown) => {
      log.warn({ err: error }, `Closing ${what} failed`);
    });
  }

  return {
    later: (what, close) => void closers.push({ what, close }),
    inTime,
    async all() {
      // One by one: what is still being opened meanwhile is closed too.
      for (let last = closers.pop(); last; last = closers.pop()) await inTime(last.what, last.close);
    },
  };
}
