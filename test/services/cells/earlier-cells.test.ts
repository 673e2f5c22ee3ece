import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { openCellLease, type ShardRange } from '../../../src/services/cells/cell-lease.ts';
import { openEarlierCells } from '../../../src/services/cells/earlier-cells.ts';
import { createLeftPlaces } from '../../../src/services/cells/left-places.ts';
import { openPool } from '../../../src/services/storage/postgres/connections.ts';
import { isPostgresMissing } from '../storage/postgres/postgres-server.ts';
import { sharePostgres } from '../storage/postgres/shared-server.ts';

const log = pino({ level: 'silent' });
const LEASE_MS = 1_500;
const shard = (number: number, count = 2): ShardRange => ({ first: number, last: number, count });
/** Of shard 0 and of shard 1 of two; of three, both are others. */
const [EVEN, ODD] = [String(2n << 22n), String(3n << 22n)];
const { signal } = new AbortController();

describe.skipIf(isPostgresMissing)('a set of cells that is started beside another one', () => {
  const postgres = sharePostgres();

  async function open(shards: ShardRange | undefined, generation: number) {
    const pool = openPool({ url: postgres.url, log, connections: 2 });
    postgres.closeLater(() => (pool.ended ? undefined : pool.end()));
    const lease = await openCellLease({
      ...{ pool, name: 'a test', shards, generation, signal, log, leaseMs: LEASE_MS },
      onLost: () => undefined,
    });
    postgres.closeLater(() => (pool.ended ? undefined : lease.close().catch(() => undefined)));
    const places = createLeftPlaces({ pool, cellId: lease.id, shards });
    return { pool, lease, places, earlier: await openEarlierCells({ pool, cellId: lease.id, log }) };
  }

  it('speaks for a server once the cell before has ended, with whichever number of shards', async () => {
    const [first, second] = [await open(shard(0), 0), await open(shard(1), 0)];
    const { earlier, places } = await open({ first: 0, last: 2, count: 3 }, 1);
    const heard = () => [EVEN, ODD, undefined].map((guildId) => earlier.speakFor(guildId));
    expect([first.earlier.areLeft, earlier.areLeft, heard()]).toEqual([false, true, [true, true, true]]);
    const fallen: boolean[][] = [];
    const outliving = earlier.outlive((hasFallen) => fallen.push([EVEN, ODD].map(hasFallen)), signal);

    await second.places.leave([ODD, EVEN].map((guildId) => ({ guildId, channelId: '1', readsChat: false })));
    await second.lease.close();
    await expect.poll(() => fallen).toEqual([[false, true]]);
    expect(heard()).toEqual([true, false, true]);
    expect((await places.take()).map(({ guildId }) => guildId)).toEqual([ODD]);
    await first.lease.close();
    await outliving;
    expect(fallen).toEqual([
      [false, true],
      [true, false],
    ]);
    expect([earlier.areLeft, heard()]).toEqual([false, [false, false, false]]);
    expect((await places.take()).map(({ guildId }) => guildId)).toEqual([EVEN]);
  });

  it('waits for the lease of a cell that died, and lets none of those before begin again', async () => {
    const { pool } = await open(undefined, 3);
    await pool.end();
    const sinceMs = performance.now();
    const { earlier, lease } = await open(shard(0), 4);
    expect([earlier.speakFor(EVEN), earlier.speakFor(ODD)]).toEqual([true, true]);
    await expect(open(undefined, 3)).rejects.toThrow('a process of a later GENERATION takes over from this one');
    await earlier.outlive(() => undefined, signal);
    expect(performance.now() - sinceMs).toBeGreaterThan(LEASE_MS * 0.8);
    await expect(open(undefined, 3)).rejects.toThrow('end that one first, or start this one with a greater GENERATION');
    await lease.close();
    await expect(open(undefined, 3)).resolves.toBeDefined();
  });

  it('stays mute where PostgreSQL does not say who has ended', async () => {
    const first = await open(undefined, 0);
    const { earlier } = await open(undefined, 1);
    const over = earlier.outlive(() => undefined, signal);
    await first.lease.close();
    postgres.server.pause();
    try {
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(earlier.speakFor(EVEN)).toBe(true);
    } finally {
      postgres.server.resume();
    }
    await over;
    expect(earlier.speakFor(EVEN)).toBe(false);
  });
});
