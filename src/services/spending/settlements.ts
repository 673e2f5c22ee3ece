import type { Logger } from 'pino';

interface Settlement {
  readonly what: string;
  readonly write: () => Promise<unknown>;
}

/** Before the first repetition; doubles with each round that ends in a failure. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Writes down what became of reserved credits. What the store does not write, as while its file is locked or the disk full,
 * is repeated until it does: the reserved amount is counted until then.
 */
export function createSettlements(log: Logger) {
  const waiting: Settlement[] = [];
  let failedRounds = 0;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  /** In turn, until one fails: a locked file costs each statement its time, and the event loop with it. */
  async function writeAll(): Promise<void> {
    for (let next = waiting[0]; next; next = waiting[0]) {
      try {
        await next.write();
      } catch (error) {
        // The last one of the next round, should the failure be its own.
        waiting.push(...waiting.splice(0, 1));
        failedRounds += 1;
        log.error(
          { err: error, waiting: waiting.length },
          `The store could not ${next.what}: the reservation stays counted until it can`,
        );
        return;
      }
      waiting.shift();
    }
    if (failedRounds > 0) log.info('What became of reserved credits is written down now');
    failedRounds = 0;
  }

  function startRound(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    round ??= writeAll().finally(() => {
      round = undefined;
      if (waiting.length === 0 || closing) return;
      // 0: one that came as the round ended.
      const pauseMs = failedRounds === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failedRounds - 1));
      timer = setTimeout(startRound, pauseMs).unref();
    });
    return round;
  }

  async function writeLast(): Promise<void> {
    await startRound();
    if (waiting.length === 0) return;
    log.error({ left: waiting.length }, 'Reserved credits stay counted as billed until the end of their day (UTC)');
  }

  return {
    /** Resolves when it was tried once, or waits behind one that failed. Never rejects. */
    async add(what: string, write: () => Promise<unknown>): Promise<void> {
      waiting.push({ what, write });
      // Not ahead of its time.
      if (timer === undefined) await startRound();
    },
    /** Repeats at once what failed. Never rejects. */
    retryNow: startRound,
    /** Tries for the last time, and says what is left. Idempotent. */
    close() {
      closing ??= writeLast();
      return closing;
    },
  };
}
