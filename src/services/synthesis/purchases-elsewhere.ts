import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { ValueCipher } from '../storage/value-cipher.ts';
import { openPurchase, type PaidSound } from './purchase-journal.ts';

interface BoughtElsewhere extends PaidSound {
  /** Long enough ago for its audio to have come: an address that has none now has none any more. */
  readonly hasArrived: boolean;
}

/** What other processes of the bot buy: a sound is paid for once, whichever of them needs it. */
export interface PurchasesElsewhere {
  /**
   * What another process has paid for a sound a short while ago, or is paying for now: that is waited for. Undefined where
   * there is none: then this one may buy it, and over() has to be called. Rejects with the signal's reason only.
   */
  find(key: string, signal: AbortSignal): Promise<BoughtElsewhere | undefined>;
  /** It was bought here, or not. */
  over(key: string): void;
}

interface PurchasesElsewhereOptions {
  /** Of a database that is prepared; stays open. */
  readonly pool: pg.Pool;
  readonly cellId: number;
  readonly seal: ValueCipher;
  /** Resolves when what was noted of a purchase is there for the others. */
  readonly written: () => Promise<void>;
  /** How long what was paid for can be downloaded. */
  readonly keptMs: number;
  readonly log: Logger;
  readonly waitMs?: number;
}

/** Then this one buys it as well: a listener waits, and the other one may never get it. */
const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 100;
const ARRIVES_WITHIN_MS = 60_000;
/** Longer than a request with all its attempts; a process that dies gives it up sooner, with its lease. */
const HELD_FOR_S = 150;

export function createPurchasesElsewhere(options: PurchasesElsewhereOptions): PurchasesElsewhere {
  const { pool, cellId, seal, written, keptMs, log, waitMs = WAIT_MS } = options;
  const held = new Set<string>();

  async function enter(key: string): Promise<BoughtElsewhere | 'mine' | 'another'> {
    const { rows } = await pool.query('SELECT * FROM crier.enter_flight($1, $2, $3, make_interval(secs => $4))', [
      ...[key, cellId, Date.now() - keptMs, HELD_FOR_S],
    ]);
    const { mine, paid, paid_at_ms: paidAtMs } = rows[0] ?? {};
    const bought = paid ? openPurchase(seal, key, paid) : undefined;
    if (bought) return { ...bought, hasArrived: Date.now() - Number(paidAtMs) > ARRIVES_WITHIN_MS };
    if (mine !== true) return 'another';
    held.add(key);
    return 'mine';
  }

  async function leave(key: string): Promise<void> {
    // The others look for what was paid as soon as it is free.
    await written();
    await pool.query('DELETE FROM crier.flights WHERE key = $1 AND cell = $2', [key, cellId]);
  }

  function over(key: string): void {
    if (!held.delete(key)) return;
    leave(key).catch((error: unknown) =>
      log.warn({ err: error }, 'Other processes that need the same sound wait until a purchase counts as given up'),
    );
  }

  return {
    async find(key, signal) {
      const untilMs = performance.now() + waitMs;
      try {
        for (;;) {
          const found = await enter(key);
          if (signal.aborted) over(key);
          signal.throwIfAborted();
          if (typeof found === 'object') return found;
          if (found === 'mine' || performance.now() >= untilMs) return undefined;
          await sleep(LOOK_EVERY_MS, undefined, { signal });
        }
      } catch (error) {
        signal.throwIfAborted();
        // Without the database nothing is reserved, and so nothing paid.
        log.warn({ err: error }, 'Whether another process buys the same sound is not known');
        return undefined;
      }
    },
    over,
  };
}
