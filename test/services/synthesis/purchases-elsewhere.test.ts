import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { openCellLease } from '../../../src/services/cells/cell-lease.ts';
import { openPool } from '../../../src/services/storage/postgres/connections.ts';
import { openUnspokenMirror } from '../../../src/services/storage/postgres/unspoken-mirror.ts';
import { createValueCipher } from '../../../src/services/storage/value-cipher.ts';
import { createPurchaseJournal } from '../../../src/services/synthesis/purchase-journal.ts';
import { createPurchasesElsewhere } from '../../../src/services/synthesis/purchases-elsewhere.ts';
import { isPostgresMissing } from '../storage/postgres/postgres-server.ts';
import { sharePostgres } from '../storage/postgres/shared-server.ts';

const log = pino({ level: 'silent' });
const seal = createValueCipher(Buffer.from('a secret'));
const { signal } = new AbortController();
const URL_OF_SOUND = new URL('https://audio.example.com/signed');
const keptMs = { words: 600_000, texts: 86_400_000, purchases: 900_000 };
const LEASE_MS = 1_500;

describe.skipIf(isPostgresMissing)('a sound that several cells need at once', () => {
  const postgres = sharePostgres();

  async function openCell(shard: number, waitMs = 10_000) {
    const pool = openPool({ url: postgres.url, log });
    const shards = { first: shard, last: shard, count: 4 };
    const lease = await openCellLease({
      ...{ pool, name: `cell ${shard}`, shards, onLost: () => undefined, signal, log, leaseMs: LEASE_MS },
    });
    const mirror = await openUnspokenMirror({ pool, cellId: lease.id, shards, ownerOf: () => undefined, keptMs, log });
    const { written } = mirror;
    let isDead = false;
    /** As a crash would: it renews nothing, and gives nothing back. */
    async function die() {
      if (isDead) return;
      isDead = true;
      await pool.end();
    }
    postgres.closeLater(
      die,
      () => lease.close().catch(() => undefined),
      () => mirror.close().catch(() => undefined),
    );
    return {
      ...createPurchasesElsewhere({ pool, cellId: lease.id, seal, written, keptMs: keptMs.purchases, log, waitMs }),
      journal: createPurchaseJournal({ database: mirror.database, seal, log }),
      die,
    };
  }

  const isPending = async (work: Promise<unknown>) =>
    (await Promise.race([work, new Promise((resolve) => setTimeout(resolve, 300, 'pending'))])) === 'pending';

  it('is bought by one of them; the others wait, and are told where it is', async () => {
    const [one, two, three] = await Promise.all([openCell(0), openCell(1), openCell(2)]);
    expect(await one.find('sound', signal)).toBeUndefined();
    const waiting = [two.find('sound', signal), three.find('sound', signal)];
    expect(await two.find('another sound', signal)).toBeUndefined();
    expect(await isPending(Promise.race(waiting))).toBe(true);
    one.journal.sent('sound');
    one.journal.paid('sound', { url: URL_OF_SOUND, credits: 7, spokenBy: 'v2' });
    one.over('sound');
    const bought = { url: URL_OF_SOUND, spokenBy: 'v2', hasArrived: false };
    expect(await Promise.all(waiting)).toEqual([bought, bought]);
    // And a while later, too.
    expect(await two.find('sound', signal)).toEqual(bought);
  });

  it('is bought by the next one where the first did not get it', async () => {
    const [one, two] = await Promise.all([openCell(0), openCell(1)]);
    await one.find('sound', signal);
    const waiting = two.find('sound', signal);
    expect(await isPending(waiting)).toBe(true);
    one.journal.sent('sound');
    one.journal.unbilled('sound');
    one.over('sound');
    expect(await waiting).toBeUndefined();
    expect(await isPending(one.find('sound', signal))).toBe(true);
  });

  it('is bought by the next one when the lease of the first is over', async () => {
    const [one, two] = await Promise.all([openCell(0), openCell(1)]);
    await one.find('sound', signal);
    await one.die();
    const startedAtMs = performance.now();
    expect(await two.find('sound', signal)).toBeUndefined();
    expect(performance.now() - startedAtMs).toBeLessThan(LEASE_MS + 1_000);
  });

  it('is waited for no longer than a listener waits, and no longer than it is wanted', async () => {
    const [one, two] = await Promise.all([openCell(0), openCell(1, 400)]);
    await one.find('sound', signal);
    expect(await two.find('sound', signal)).toBeUndefined();
    const leaving = new AbortController();
    const third = await openCell(2);
    const waiting = third.find('sound', leaving.signal);
    leaving.abort(new Error('Nobody wants it'));
    await expect(waiting).rejects.toThrow('Nobody wants it');
    const free = third.find('another', leaving.signal);
    await expect(free).rejects.toThrow('Nobody wants it');
    await expect.poll(() => two.find('another', signal), { timeout: 2_000 }).toBeUndefined();
    // It holds it now: nothing was left behind by the one that did not want it.
    expect(await isPending(third.find('another', signal))).toBe(true);
  });

  it('is found by no more than one of many that come at the same moment', async () => {
    const cells = await Promise.all([openCell(0), openCell(1), openCell(2)]);
    const keys = Array.from({ length: 20 }, (_, index) => `sound ${index}`);
    const giveUp = new AbortController();
    const finds = keys.flatMap((key) => cells.map(({ find }) => find(key, giveUp.signal)));
    let found = 0;
    for (const one of finds) {
      const count = () => {
        found += 1;
      };
      one.then(count, () => undefined);
    }
    await expect.poll(() => found, { timeout: 5_000 }).toBe(keys.length);
    // All others have looked at least once more by then.
    expect(await isPending(new Promise(() => undefined))).toBe(true);
    expect(found).toBe(keys.length);
    giveUp.abort(new Error('Enough'));
    await Promise.allSettled(finds);
  });
});
