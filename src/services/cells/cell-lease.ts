import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { OperatorError } from '../../errors/operator-error.ts';

/** The Discord shards that a process runs, first and last included. Undefined instead of a range means all. */
export interface ShardRange {
  readonly first: number;
  readonly last: number;
  /** The total number of Discord shards in all processes. */
  readonly count: number;
}

interface CellLeaseOptions {
  /** Connections to the database, which must already have the bot's tables. The caller closes the pool. */
  readonly pool: pg.Pool;
  /** Names this process and its machine in other processes' logs and error messages. */
  readonly name: string;
  readonly shards: ShardRange | undefined;
  /** Called once if the lease is lost before close(): the process must not speak, bill or answer any more. */
  readonly onLost: (error: OperatorError) => void;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly leaseMs?: number;
}

/** The duration of a lease: enough for a restart of PostgreSQL. If a process crashes, its voice channels stay silent up to this long. */
const LEASE_MS = 20_000;
/** The share of a lease by which it is given up early. The clocks of two machines differ in speed by far less. */
const CAUTION = 0.05;
const RENEWALS = 5;
/** The pause between attempts to take over another process's lease, whose voice channels may be silent meanwhile. */
const ASK_EVERY_MS = 500;

/**
 * Takes a lease: the exclusive right of this process to speak, bill and answer for its shards. Waits while another
 * process has a lease on them. Throws an OperatorError if the other process is running and not about to end.
 */
export async function openCellLease(options: CellLeaseOptions) {
  const { pool, onLost, log, leaseMs = LEASE_MS } = options;
  const { id, since } = await claim(options, leaseMs);
  let renewedAt = since;
  let isOver = false;
  let watch: NodeJS.Timeout | undefined;

  const leftMs = () => leaseMs * (1 - CAUTION) - elapsedMs(renewedAt);

  function lose(why: string): void {
    if (isOver) return;
    end();
    onLost(
      new OperatorError(`the lease of this process on its shards is over (${why})`, {
        remedy: 'it is silent now, and has to be started again',
      }),
    );
  }

  function end(): void {
    isOver = true;
    clearInterval(renewals);
    clearTimeout(watch);
  }

  async function renew(): Promise<void> {
    const askedAt = moment();
    try {
      const { rowCount } = await pool.query(
        `UPDATE crier.cells SET lease_until = clock_timestamp() + make_interval(secs => $2)
         WHERE id = $1 AND lease_until > clock_timestamp()`,
        [id, leaseMs / 1000],
      );
      if (isOver) return;
      if (rowCount !== 1) return lose('it was not renewed in time');
      renewedAt = askedAt;
    } catch (error) {
      log.warn(
        { err: error, leaseEndsInMs: Math.round(leftMs()) },
        'Could not renew the shard lease: this process may end',
      );
    }
  }

  /** Gives up the lease when its time is over. If the lease was renewed meanwhile, checks again at its new end. */
  function look(): void {
    if (leftMs() <= 0) lose('PostgreSQL did not answer in time');
    else watch = setTimeout(look, leftMs()).unref();
  }

  const renewals = setInterval(() => void renew(), leaseMs / RENEWALS).unref();
  look();

  return {
    id,
    /** True while this process has the lease; false shortly before it ends in the database, so that two processes never have it at once. */
    holds: () => !isOver && leftMs() > 0,
    async ending(): Promise<void> {
      await pool.query('UPDATE crier.cells SET ending = true WHERE id = $1', [id]);
    },
    /** Ends the lease in the database, so that a waiting process gets it. Rejects with PostgreSQL's error. */
    async close(): Promise<void> {
      if (isOver) return;
      end();
      await pool.query('UPDATE crier.cells SET lease_until = clock_timestamp() WHERE id = $1', [id]);
    },
  };
}

const moment = () => ({ monotonicMs: performance.now(), wallMs: Date.now() });

/** The elapsed time, by the clock that shows more: the monotonic clock stops during sleep, the wall clock may be set back. */
const elapsedMs = ({ monotonicMs, wallMs }: ReturnType<typeof moment>) =>
  Math.max(performance.now() - monotonicMs, Date.now() - wallMs);

async function claim({ pool, name, shards, signal, log }: CellLeaseOptions, leaseMs: number) {
  let rival: { readonly id: unknown; readonly leftMs: number } | undefined;
  for (;;) {
    // The lease is timed from before the request, because PostgreSQL may begin the lease at the very moment of the request.
    const since = moment();
    const { rows } = await pool.query('SELECT * FROM crier.claim_shards($1, $2, $3, $4, make_interval(secs => $5))', [
      ...[name, shards?.first ?? 0, shards?.last, shards?.count, leaseMs / 1000],
    ]);
    const found = rows[0];
    if (found.claimed !== null) return { id: Number(found.claimed), since };
    const leftMs = Number(found.rival_left_ms);
    // A dead process renews no lease. A lease that is renewed without the mark `ending` belongs to a process that runs on.
    if (!found.rival_ending && rival?.id === found.rival && leftMs > (rival?.leftMs ?? 0)) {
      throw new OperatorError(`another process speaks for ${rangeOf(shards)} (${found.rival_name})`, {
        remedy: 'end that one first, or give each its own range with SHARDS and the same SHARD_COUNT',
      });
    }
    if (rival?.id !== found.rival)
      log.info(
        { itsLeaseEndsInMs: leftMs, itsName: found.rival_name },
        'Another process runs the same shards: waiting until it ends',
      );
    rival = { id: found.rival, leftMs };
    await sleep(Math.min(leftMs, ASK_EVERY_MS), undefined, { signal });
  }
}

const rangeOf = (shards: ShardRange | undefined): string => {
  if (!shards) return 'this bot';
  return shards.first === shards.last ? `shard ${shards.first}` : `shards ${shards.first} to ${shards.last}`;
};
