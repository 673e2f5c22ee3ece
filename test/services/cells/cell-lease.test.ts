import { afterEach, describe, expect, it, vi } from 'vitest';
import { openCellLease, type ShardRange } from '../../../src/services/cells/cell-lease.ts';
import { openPool } from '../../../src/services/storage/postgres/connections.ts';
import { silentLog as log } from '../../silent-log.ts';
import { isPostgresMissing } from '../storage/postgres/postgres-server.ts';
import { sharePostgres } from '../storage/postgres/shared-server.ts';

const LEASE_MS = 1_500;
/** Whoever waits for its end fails. */
const ENDLESS_MS = 3_600_000;
const range = (first: number, last: number, count = 8): ShardRange => ({ first, last, count });

describe.skipIf(isPostgresMissing)('the lease of a cell', () => {
  const postgres = sharePostgres();
  afterEach(() => void vi.restoreAllMocks());

  /** As another process has it. */
  async function open(shards: ShardRange | undefined, leaseMs = LEASE_MS, signal = new AbortController().signal) {
    const pool = openPool({ url: postgres.url, log, connections: 1 });
    // As a crash would: it renews nothing, and gives nothing back.
    const die = async () => {
      if (!pool.ending) await pool.end();
    };
    postgres.closeLater(die);
    const lost: Error[] = [];
    const lease = await openCellLease({
      ...{ pool, name: 'a test', shards, signal, log, leaseMs },
      onLost: (error) => lost.push(error),
    });
    postgres.closeLater(() => lease.close().catch(() => undefined));
    return { lease, lost, die };
  }

  /** Resolves when a lease was renewed later than that, by the clock of the machine. */
  async function renewedAt(atMs: number): Promise<void> {
    const pool = openPool({ url: postgres.url, log, connections: 1 });
    const query =
      'SELECT extract(epoch FROM max(lease_until)) AS seconds FROM crier.cells WHERE lease_until > clock_timestamp()';
    const endSeconds = async () => Number((await pool.query(query)).rows[0]?.seconds ?? 0);
    const before = await endSeconds();
    await expect.poll(async () => Date.now() > atMs && (await endSeconds()) > before, { interval: 20 }).toBe(true);
    await pool.end();
  }

  it('is for one process only, and for as long as that lives', async () => {
    const { lease, lost } = await open(range(0, 3));
    await expect(open(range(3, 5))).rejects.toThrow(
      'another process speaks for shards 3 to 5 (a test): end that one first',
    );
    await expect(open(undefined)).rejects.toThrow('another process speaks for this bot');
    // Of another number of shards, each has other servers.
    await expect(open(range(7, 7, 16))).rejects.toThrow('another process speaks for shard 7');
    await expect(open(range(4, 7))).resolves.toBeDefined();
    expect([lease.holds(), lost]).toEqual([true, []]);
  });

  it('goes to a successor at once when it is given back, under a greater epoch', async () => {
    const { lease } = await open(range(0, 3), ENDLESS_MS);
    await lease.close();
    await lease.close();
    expect(lease.holds()).toBe(false);
    const { lease: next } = await open(range(0, 3));
    expect(next.id).toBeGreaterThan(lease.id);
  });

  it('is waited for where its process was told to stop, however long that takes, and goes over at once', async () => {
    const { lease } = await open(range(0, 3));
    await lease.ending();
    const waiting = open(range(0, 3));
    const isOver = vi.fn();
    void waiting.finally(isOver);
    await renewedAt(Date.now() + LEASE_MS);
    expect(isOver).not.toHaveBeenCalled();
    expect(lease.holds()).toBe(true);
    await lease.close();
    expect((await waiting).lease.holds()).toBe(true);
  });

  it('goes to a successor of one that died when it is over, and not before', async () => {
    const { lease, die } = await open(range(0, 3));
    await die();
    const { lease: next } = await open(range(0, 3));
    expect([lease.holds(), next.holds()]).toEqual([false, true]);
  });

  it('is over here before it is over there, when PostgreSQL answers no longer', async () => {
    const { lease, lost } = await open(range(0, 3));
    postgres.server.pause();
    try {
      await expect.poll(() => lost.length, { interval: 10 }).toBe(1);
      expect(lease.holds()).toBe(false);
      expect(lost[0]?.message).toContain('the lease of this process on its shards is over');
    } finally {
      postgres.server.resume();
    }
  });

  it('outlasts a restart of PostgreSQL', async () => {
    const { lease, lost } = await open(range(0, 3), 10 * LEASE_MS);
    await postgres.server.restart();
    await renewedAt(Date.now());
    expect([lease.holds(), lost]).toEqual([true, []]);
  });

  it('is over for a process that stood still for longer, and stays over', async () => {
    const { lease, lost } = await open(range(0, 3));
    // Timers stand still with the thread.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LEASE_MS * 1.2);
    expect(lease.holds()).toBe(false);
    await expect.poll(() => lost.length).toBe(1);
    expect(lease.holds()).toBe(false);
  });

  it('is over where the machine was suspended, which stops the monotonic clock', async () => {
    const { lease } = await open(range(0, 3));
    const now = Date.now();
    vi.spyOn(Date, 'now').mockReturnValue(now + LEASE_MS);
    expect(lease.holds()).toBe(false);
  });

  it('is given up though a timer came before its time', async () => {
    const { lost, die } = await open(range(0, 3));
    const [monotonicMs, wallMs] = [performance.now(), Date.now()];
    const clock = performance.now.bind(performance);
    const passedMs = () => (clock() - monotonicMs) * 0.8;
    vi.spyOn(performance, 'now').mockImplementation(() => monotonicMs + passedMs());
    vi.spyOn(Date, 'now').mockImplementation(() => wallMs + passedMs());
    await die();
    await expect.poll(() => lost.length).toBe(1);
  });

  it('is waited for until the process is told to stop', async () => {
    await open(range(0, 3));
    const stopping = new AbortController();
    const waiting = open(range(0, 3), LEASE_MS, stopping.signal);
    stopping.abort(new Error('Told to stop'));
    await expect(waiting).rejects.toThrow();
  });
});
