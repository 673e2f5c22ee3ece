import type { Logger } from 'pino';

interface Settlement {
  readonly what: string;
  readonly write: () => Promise<unknown>;
  failures: number;
  timer: NodeJS.Timeout | undefined;
  attempt: Promise<void> | undefined;
}

/** Writes what became of one reservation. Resolves when it was tried once; never rejects. */
export type Settle = (what: string, write: () => Promise<unknown>) => Promise<void>;

/** Before the first repetition; doubles with each one. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Writes down what became of reserved credits. What the store does not write, as while its file is locked or the disk full,
 * is repeated until it does: the reserved amount is counted until then. Each one is repeated by itself, so that one that
 * always fails delays no other.
 */
export function createSettlements(log: Logger) {
  const waiting = new Set<Settlement>();
  let closing: Promise<void> | undefined;

  function attempt(settlement: Settlement): Promise<void> {
    clearTimeout(settlement.timer);
    settlement.attempt ??= write(settlement).finally(() => {
      settlement.attempt = undefined;
    });
    return settlement.attempt;
  }

  async function write(settlement: Settlement): Promise<void> {
    const { what } = settlement;
    try {
      await settlement.write();
      waiting.delete(settlement);
      if (settlement.failures > 0) log.info({ waiting: waiting.size }, `The store could ${what} at last`);
    } catch (error) {
      // A later one has taken its place.
      if (!waiting.has(settlement)) return;
      if (settlement.failures === 0) {
        const left = { err: error, waiting: waiting.size };
        log.error(left, `The store could not ${what}: the reservation stays counted until it can`);
      }
      const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** settlement.failures);
      settlement.failures += 1;
      if (!closing) settlement.timer = setTimeout(() => void attempt(settlement), pauseMs).unref();
    }
  }

  const attemptAll = async () => void (await Promise.all([...waiting].map(attempt)));

  async function writeLast(): Promise<void> {
    await attemptAll();
    if (waiting.size === 0) return;
    log.error({ left: waiting.size }, 'Reserved credits stay counted as billed until the end of their day (UTC)');
  }

  return {
    /** For one reservation, of which only the last write matters: those before it that have failed are given up. */
    ofOne(): Settle {
      let last: Settlement | undefined;
      return (what, write) => {
        if (last) {
          clearTimeout(last.timer);
          waiting.delete(last);
        }
        last = { what, write, failures: 0, timer: undefined, attempt: undefined };
        waiting.add(last);
        return attempt(last);
      };
    },
    /** Repeats at once what failed. Never rejects. */
    retryNow: attemptAll,
    /** Tries for the last time, and says what is left. Idempotent. */
    close() {
      closing ??= writeLast();
      return closing;
    },
  };
}
