import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';

interface EarlierCellsOptions {
  /** Of a database that is prepared; stays open. */
  readonly pool: pg.Pool;
  /** Whose lease this process has. */
  readonly cellId: number;
  readonly log: Logger;
}

/** Processes of an earlier GENERATION, as long as their leases last: each speaks for its servers, and this one is mute there. */
export interface EarlierCells {
  readonly areLeft: boolean;
  /** Without a server: direct messages. */
  speakFor(guildId: string | undefined): boolean;
  /**
   * Resolves when none is left, and tells of the servers that have fallen to this process whenever there are some. Rejects with the
   * reason of the signal only.
   */
  outlive(onFallen: (hasFallen: (guildId: string) => boolean) => void, signal: AbortSignal): Promise<void>;
}

/** A lease in the way: without a count it is that of the whole bot, without a last shard it has all further ones. */
interface Lease {
  readonly first: number;
  readonly last: number | null;
  readonly count: number | null;
}

/** A server is without the bot until this process has seen that the one before has ended. */
const ASK_EVERY_MS = 250;

/**
 * None begins once this process has its lease (claim_shards in tables.ts), and none that is over comes back: what has fallen to this
 * process stays with it. What PostgreSQL does not say counts as before, so that at no time two speak.
 */
export async function openEarlierCells({ pool, cellId, log }: EarlierCellsOptions): Promise<EarlierCells> {
  async function read(): Promise<readonly Lease[]> {
    const { rows } = await pool.query<Lease>(
      `SELECT first_shard AS first, last_shard AS last, shard_count AS count FROM crier.earlier_cells($1) ORDER BY id`,
      [cellId],
    );
    return rows;
  }

  let leases = await read();
  let isFailing = false;

  async function readAgain(): Promise<readonly Lease[]> {
    try {
      const found = await read();
      isFailing = false;
      return found;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'Whether the processes before this one have ended is not known yet');
      isFailing = true;
      return leases;
    }
  }

  return {
    get areLeft() {
      return leases.length > 0;
    },
    speakFor: (guildId) => isOfOne(leases, guildId),
    async outlive(onFallen, signal) {
      while (leases.length > 0) {
        await sleep(ASK_EVERY_MS, undefined, { signal });
        const before = leases;
        const now = await readAgain();
        if (now.length === before.length) continue;
        leases = now;
        onFallen((guildId) => isOfOne(before, guildId) && !isOfOne(now, guildId));
      }
    },
  };
}

/** https://docs.discord.com/developers/events/gateway#sharding: the first shard has the direct messages. */
function isOfOne(leases: readonly Lease[], guildId: string | undefined): boolean {
  return leases.some(({ first, last, count }) => {
    if (count === null) return true;
    const shard = guildId === undefined ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(count));
    return shard >= first && shard <= (last ?? count - 1);
  });
}
