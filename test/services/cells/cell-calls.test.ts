import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createCellCalls } from '../../../src/services/cells/cell-calls.ts';
import { openCellLease } from '../../../src/services/cells/cell-lease.ts';
import { openPool } from '../../../src/services/storage/postgres/connections.ts';
import { followEntryChanges } from '../../../src/services/storage/postgres/entry-changes.ts';
import { CELL_QUESTIONS } from '../../../src/services/storage/postgres/tables.ts';
import { isPostgresMissing } from '../storage/postgres/postgres-server.ts';
import { sharePostgres } from '../storage/postgres/shared-server.ts';

const log = pino({ level: 'silent' });
const { signal } = new AbortController();

describe.skipIf(isPostgresMissing)('a question to all other cells', () => {
  const postgres = sharePostgres();

  async function openCell(shard: number) {
    const pool = openPool({ url: postgres.url, log });
    postgres.closeLater(() => pool.end());
    const shards = { first: shard, last: shard, count: 4 };
    const lease = await openCellLease({ pool, name: `cell ${shard}`, shards, onLost: () => undefined, signal, log });
    postgres.closeLater(() => lease.close());
    const calls = createCellCalls({ pool, cellId: lease.id, log });
    const listening = Promise.withResolvers<void>();
    const changes = followEntryChanges({
      ...{ url: postgres.url, log },
      onChanged: (table) => void (table === CELL_QUESTIONS && calls.heard()),
      onMissed: listening.resolve,
    });
    postgres.closeLater(() => changes.close());
    await listening.promise;
    return { ...calls, lease, pool };
  }

  it('is answered by each of them, and by none where there is none', async () => {
    const asking = await openCell(0);
    expect(await asking.ask('kept', {})).toEqual({ given: [], silent: [] });
    for (const shard of [1, 2]) {
      const { answer } = await openCell(shard);
      answer('kept', (body) => ({ of: shard, body }));
    }
    asking.answer('kept', () => 'not its own');
    const startedAtMs = performance.now();
    expect(await asking.ask('kept', { userId: '7' })).toEqual({
      given: [
        { cell: 'cell 1', body: { of: 1, body: { userId: '7' } } },
        { cell: 'cell 2', body: { of: 2, body: { userId: '7' } } },
      ],
      silent: [],
    });
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
    const { rows } = await asking.pool.query('SELECT (SELECT count(*) FROM crier.cell_questions) AS left');
    expect(rows[0].left).toBe('0');
  });

  it('is waited for no longer than a member waits: those that failed, or say nothing, are named', async () => {
    const [asking, failing, silent, ended] = await Promise.all([openCell(0), openCell(1), openCell(2), openCell(3)]);
    failing.answer('forget', () => Promise.reject(new Error('It could not')));
    silent.answer('status', () => ({}));
    await ended.lease.close();
    const startedAtMs = performance.now();
    expect(await asking.ask('forget', { userId: '7' })).toEqual({ given: [], silent: ['cell 1', 'cell 2'] });
    expect(performance.now() - startedAtMs).toBeLessThan(2_500);
  });

  it('is answered once by each, however often it is announced', async () => {
    const [asking, other] = await Promise.all([openCell(0), openCell(1)]);
    let times = 0;
    other.answer('forget', async () => {
      times += 1;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return 'done';
    });
    const asked = asking.ask('forget', { userId: '7' });
    await expect.poll(() => times).toBe(1);
    await Promise.all([other.heard(), other.heard()]);
    expect(await asked).toEqual({ given: [{ cell: 'cell 1', body: 'done' }], silent: [] });
    expect(times).toBe(1);
  });
});
