// A process that reserves and ends, until it has done so often enough or is killed. Tells each step on stdout before it is taken.
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { type CellLease, openCellLease } from '../../../src/services/cells/cell-lease.ts';
import { openPostgresLedger } from '../../../src/services/spending/postgres-ledger.ts';
import { openPool } from '../../../src/services/storage/postgres/connections.ts';
import { randomBelow } from './random-below.ts';

export interface SpenderOptions {
  readonly url: string;
  readonly shard: number;
  readonly attempts: number;
  readonly leaseMs: number;
  readonly day: string;
  /** Thousandths of credits. */
  readonly limits: { readonly total: number; readonly server: number; readonly member: number };
}

/** 'attempt': asks; 'late': got no answer in time; 'settle': the bill of a reservation is about to be written down. */
export type SpenderStep =
  | { readonly step: 'attempt' }
  | { readonly step: 'refused' }
  | { readonly step: 'late' }
  | { readonly step: 'settle'; readonly id: number; readonly millicredits: number };

const { url, shard, attempts, leaseMs, day, limits } = JSON.parse(process.argv[2] ?? '') as SpenderOptions;
const log = pino({ level: 'silent' });
const random = randomBelow(shard);
const pool = openPool({ url, log });
const { signal } = new AbortController();
const shards = { first: shard, last: shard, count: 1_000 };
const lease = await claim();
const { ledger, close } = openPostgresLedger({ pool, cellId: lease.id, log });
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Written when it returns, whatever happens to the process then. */
function tell(step: SpenderStep): void {
  for (;;) {
    try {
      writeSync(1, `${JSON.stringify(step)}\n`);
      return;
    } catch (error) {
      // The reader is behind.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 5);
    }
  }
}

/** On a busy machine a statement may take longer than it is given: as in the bot, it is repeated until it is written. */
async function untilWritten(write: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await write();
      return;
    } catch {
      tell({ step: 'late' });
      await sleep(100);
    }
  }
}

/** As a supervisor starts it anew when PostgreSQL is not there yet. */
async function claim(): Promise<CellLease> {
  for (;;) {
    try {
      return await openCellLease({
        ...{ pool, name: 'spender', shards, signal, log, leaseMs },
        onLost: () => process.exit(1),
      });
    } catch {
      await sleep(100);
    }
  }
}

async function spendOnce(): Promise<void> {
  // Some are busier than others, and reach their own limits first.
  const [guildId, userId] = [String(random(7) % 5), String(random(24) % 20)];
  const caps = [
    { guildId: '', userId, millicredits: limits.member },
    { guildId, userId: '', millicredits: limits.server },
    { guildId: '', userId: '', millicredits: limits.total },
  ];
  const millicredits = 1_000 * (1 + random(100));
  tell({ step: 'attempt' });
  const entry = { guildId, userId, day, model: 'gpro', characters: 1, millicredits, keptUntil: '9999-12-31' };
  const asked = ledger.reserve(entry, caps, random(2) * 1_000);
  const attempt = await asked.catch(() => undefined);
  if (!attempt?.made) {
    tell({ step: attempt ? 'refused' : 'late' });
    if (!attempt) await sleep(100);
    return;
  }
  const { id } = attempt;
  const end = random(10);
  if (end === 0) await untilWritten(() => ledger.release(id));
  else {
    await untilWritten(() => ledger.confirm(id));
    if (end === 1) await untilWritten(() => ledger.lose(id));
    else {
      // One bill in ten is higher than what was reserved.
      const billed = end === 2 ? Math.ceil(millicredits * 1.3) : random(millicredits + 1);
      tell({ step: 'settle', id, millicredits: billed });
      await untilWritten(() => ledger.settle(id, billed));
    }
  }
}

async function spendOften(): Promise<void> {
  for (let done = 0; done < attempts / 2; done += 1) await spendOnce();
}

// Two at a time, as different servers of one process.
await Promise.all([spendOften(), spendOften()]);
await close();
await lease.close();
await pool.end();
