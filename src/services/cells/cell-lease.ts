import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { OperatorError } from '../../errors/operator-error.ts';

/** The shards of a cell, both ends included; undefined stands for all there are. */
export interface ShardRange {
  readonly first: number;
  readonly last: number;
  /** The number of shards in all processes. */
  readonly count: number;
}

/** Whether a server is of these shards: https://docs.discord.com/developers/events/gateway#sharding-sharding-formula */
export function isOfShards(guildId: string, shards: ShardRange | undefined): boolean {
  if (!shards) return true;
  const shard = Number((BigInt(guildId) >> 22n) % BigInt(shards.count));
  return shard >= shards.first && shard <= shards.last;
}

interface CellLeaseOptions {
  /** A pool for a prepared database. The caller closes it. */
  readonly pool: pg.Pool;
  /** For people: where the process runs. */
  readonly name: string;
  readonly shards: ShardRange | undefined;
  /** The lease is over: nothing may be spoken, billed or answered any more. Called once; not after close(). */
  readonly onLost: (error: OperatorError) => void;
  /** Ends the wait for the lease of a predecessor. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly leaseMs?: number;
}

/** The sole right of this process to speak, bill and answer for its shards. */
export interface CellLease {
  /** Grows with every lease that is given: the epoch. */
  readonly id: number;
  /** Whether it lasts: decided without a query, and over here before it is over in the database. */
  holds(): boolean;
  /** This process is about to stop: a successor waits for it instead of refusing to start. */
  ending(): Promise<void>;
  /** Releases the lease to the process that waits for it. Idempotent. */
  close(): Promise<void>;
}

/**
 * Long enough for a restart of PostgreSQL; a channel of a cell that died is silent for this long, until its successor may
 * speak.
 */
const LEASE_MS = 20_000;
/** Clocks of two machines run differently fast, by far less than this share of a lease. */
const CAUTION = 0.05;
const RENEWALS = 5;
/** How often a lease is asked for that another process has: its channels are silent when it has ended. */
const ASK_EVERY_MS = 500;

/**
 * Waits until no other cell has one of these shards, for as long as the lease of one that died lasts. Throws an OperatorError
 * where the other one lives: of two that overlap, only one speaks.
 */
export async function openCellLease(options: CellLeaseOptions): Promise<CellLease> {
  const { pool, onLost, log, leaseMs = LEASE_MS } = options;
  const renewMs = leaseMs / RENEWALS;
  const { id, since } = await claim(options, leaseMs);
  let renewedAt = since;
  let isOver = false;
  let closing: Promise<void> | undefined;
  let watch: NodeJS.Timeout | undefined;

  const leftMs = () => leaseMs * (1 - CAUTION) - elapsedMs(renewedAt);

  function lose(why: string, cause?: unknown): void {
    if (isOver) return;
    end();
    onLost(
      new OperatorError(`the lease of this process on its shards is over (${why})`, {
        remedy: 'it is silent now, and has to be started again',
        cause,
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
      log.warn({ err: error, leftMs: Math.round(leftMs()) }, 'The lease could not be renewed yet');
    }
  }

  /** The clocks decide, not the timer, which may come early. */
  function look(): void {
    if (leftMs() <= 0) lose('PostgreSQL did not answer in time');
    else watch = setTimeout(look, leftMs()).unref();
  }

  const renewals = setInterval(() => void renew(), renewMs).unref();
  look();

  return {
    id,
    holds: () => !isOver && leftMs() > 0,
    async ending() {
      await pool.query('UPDATE crier.cells SET ending = true WHERE id = $1', [id]);
    },
    close() {
      closing ??= (async () => {
        const wasOver = isOver;
        end();
        if (!wasOver) await pool.query('UPDATE crier.cells SET lease_until = clock_timestamp() WHERE id = $1', [id]);
      })();
      return closing;
    },
  };
}

interface Claim {
  readonly id: number;
  /** When it was asked for. */
  readonly since: Moment;
}

interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

const moment = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() });

/** The monotonic clock stops while the machine is suspended, and the other one may be put back. */
const elapsedMs = ({ monotonicMs, wallMs }: Moment) => Math.max(performance.now() - monotonicMs, Date.now() - wallMs);

async function claim({ pool, name, shards, signal, log }: CellLeaseOptions, leaseMs: number): Promise<Claim> {
  let rival: { readonly id: unknown; readonly leftMs: number } | undefined;
  for (;;) {
    const since = moment();
    const { rows } = await pool.query('SELECT * FROM crier.claim_shards($1, $2, $3, $4, make_interval(secs => $5))', [
      ...[name, shards?.first ?? 0, shards?.last, shards?.count, leaseMs / 1000],
    ]);
    const found = rows[0];
    if (found.claimed !== null) return { id: Number(found.claimed), since };
    const leftMs = Number(found.rival_left_ms);
    // A rival that is about to stop does not renew its lease.
    if (!found.rival_ending && rival?.id === found.rival && leftMs > (rival?.leftMs ?? 0)) {
      throw new OperatorError(`another process speaks for ${rangeOf(shards)} (${found.rival_name})`, {
        remedy: 'end that one first, or give each its own range with SHARDS and the same SHARD_COUNT',
      });
    }
    if (rival?.id !== found.rival)
      log.info({ leftMs, name: found.rival_name }, 'Waiting for the lease of another process');
    rival = { id: found.rival, leftMs };
    await sleep(Math.min(leftMs, ASK_EVERY_MS), undefined, { signal });
  }
}

const rangeOf = (shards: ShardRange | undefined): string => {
  if (!shards) return 'this bot';
  return shards.first === shards.last ? `shard ${shards.first}` : `shards ${shards.first} to ${shards.last}`;
};
