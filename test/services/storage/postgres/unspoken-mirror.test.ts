import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors/store-error.ts';
import { openCellLease, type ShardRange } from '../../../../src/services/cells/cell-lease.ts';
import { createUnspokenTexts, openOrigin } from '../../../../src/services/queue/unspoken-texts.ts';
import { openPool } from '../../../../src/services/storage/postgres/connections.ts';
import { openUnspokenMirror } from '../../../../src/services/storage/postgres/unspoken-mirror.ts';
import { createValueCipher } from '../../../../src/services/storage/value-cipher.ts';
import { createPurchaseJournal } from '../../../../src/services/synthesis/purchase-journal.ts';
import { isPostgresMissing } from './postgres-server.ts';
import { sharePostgres } from './shared-server.ts';

const log = pino({ level: 'silent' });
const seal = createValueCipher(Buffer.from('a secret'));
const { signal } = new AbortController();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Of shard 0 and of shard 1 of two. */
const [GUILD, OTHER_GUILD] = [String(2n << 22n), String(3n << 22n)];

interface Origin {
  readonly guildId: string;
  readonly userId: string;
}
const text = (id: string, guildId = GUILD) => ({
  id,
  words: { input: `A secret of ${id}` },
  origin: { guildId, userId: 'alice' },
});

describe.skipIf(isPostgresMissing)('what a cell leaves to its successor', () => {
  const postgres = sharePostgres();

  async function openCell(shards?: ShardRange) {
    const pool = openPool({ url: postgres.url, log });
    postgres.closeLater(() => pool.end());
    const lease = await openCellLease({
      ...{ pool, name: 'a test', shards, signal, log },
      onLost: () => undefined,
    });
    postgres.closeLater(() => lease.close().catch(() => undefined));
    const mirror = await openUnspokenMirror({
      ...{ pool, cellId: lease.id, shards, log },
      ownerOf: (id, origin) => openOrigin(seal, id, origin) as Origin | undefined,
      keptMs: { words: 10 * MINUTE_MS, texts: 24 * HOUR_MS, purchases: 15 * MINUTE_MS },
    });
    const { database } = mirror;
    let isClosed = false;
    async function close() {
      if (isClosed) return;
      isClosed = true;
      await mirror.close().catch(() => undefined);
      await lease.close();
    }
    postgres.closeLater(close);
    return {
      ...{ pool, lease, mirror, close },
      texts: createUnspokenTexts<{ readonly input: string }, Origin>({ database, seal, log }),
      journal: createPurchaseJournal({ database, seal, log }),
    };
  }

  it('is what was accepted and not spoken, in its order, with what was heard and paid', async () => {
    const before = await openCell();
    before.texts.keep(text('spoken'));
    before.texts.keep(text('later'));
    before.texts.keep(text('first'));
    await before.mirror.written();
    before.texts.delete('spoken');
    before.texts.progress('later', { state: 'waiting', heardMs: 0, position: 1 });
    before.texts.progress('first', { state: 'speaking', heardMs: 1_480, position: 0 });
    before.journal.sent('lost');
    before.journal.sent('bought');
    before.journal.paid('bought', { url: new URL('https://audio.example.com/signed'), credits: 7 });
    before.journal.sent('refused');
    before.journal.unbilled('refused');
    await before.close();
    const { texts, journal } = await openCell();
    expect(texts.all()).toMatchObject([
      { ...text('first'), state: 'speaking', heardMs: 1_480 },
      { ...text('later'), state: 'waiting' },
    ]);
    expect(Object.fromEntries(journal.earlier)).toMatchObject({
      lost: { kind: 'sent' },
      bought: { kind: 'paid', credits: 7 },
    });
    expect(journal.earlier.has('refused')).toBe(false);
  });

  it('is there when a request that may be billed is sent', async () => {
    const before = await openCell();
    before.journal.sent('sound');
    await before.mirror.written();
    const { rows } = await before.pool.query('SELECT key FROM crier.purchases');
    expect(rows).toEqual([{ key: 'sound' }]);
  });

  it('goes to the cell of its shards, and what another one is sending is that one’s own', async () => {
    const first = await openCell({ first: 0, last: 0, count: 2 });
    const second = await openCell({ first: 1, last: 1, count: 2 });
    first.texts.keep(text('here'));
    second.texts.keep(text('there', OTHER_GUILD));
    second.journal.sent('on its way');
    await second.mirror.written();
    await first.close();
    const next = await openCell({ first: 0, last: 0, count: 2 });
    expect(next.texts.all().map(({ id }) => id)).toEqual(['here']);
    expect(next.journal.earlier.size).toBe(0);
    await Promise.all([next.close(), second.close()]);
    expect(new Set((await openCell()).texts.all().map(({ id }) => id))).toEqual(new Set(['here', 'there']));
  });

  it('is there as soon as it was accepted', async () => {
    const { texts, pool } = await openCell();
    const delays: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      texts.keep(text(`text ${n}`));
      const acceptedAtMs = performance.now();
      const isThere = async () =>
        (await pool.query('SELECT count(*)::int AS n FROM crier.unspoken_texts')).rows[0].n > n;
      while (!(await isThere()) && performance.now() - acceptedAtMs < 1_000);
      delays.push(performance.now() - acceptedAtMs);
    }
    // Half of them: a busy machine may keep one waiting.
    expect(delays.sort((one, other) => one - other)[4]).toBeLessThan(40);
  });

  it('is sealed there', async () => {
    const { texts, mirror, pool } = await openCell();
    texts.keep(text('one'));
    await mirror.written();
    const { rows } = await pool.query(
      "SELECT encode(words, 'escape') || encode(origin, 'escape') AS sealed FROM crier.unspoken_texts",
    );
    expect(rows).toHaveLength(1);
    expect(rows[0].sealed).not.toMatch(/secret|alice/);
  });

  it('is written no more by a cell whose lease is over', async () => {
    const before = await openCell();
    before.texts.keep(text('one'));
    await before.mirror.written();
    await before.lease.close();
    const after = await openCell();
    before.texts.delete('one');
    before.texts.keep(text('two'));
    await expect(before.mirror.written()).rejects.toThrow(StoreError);
    await after.close();
    expect((await openCell()).texts.all().map(({ id }) => id)).toEqual(['one']);
  });

  it('waits while PostgreSQL is away', async () => {
    const before = await openCell();
    before.texts.keep(text('spoken meanwhile'));
    await before.mirror.written();
    await postgres.server.kill();
    before.texts.keep(text('one'));
    before.texts.delete('spoken meanwhile');
    await expect(before.mirror.written()).rejects.toThrow();
    await postgres.server.start();
    await expect
      .poll(
        () =>
          before.mirror.written().then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
    await before.close();
    expect((await openCell()).texts.all().map(({ id }) => id)).toEqual(['one']);
  });

  it('goes with its member’s data, and its words after ten minutes, also where no process comes for it', async () => {
    const { texts, mirror, pool, close } = await openCell();
    for (const id of ['one', 'two', 'three']) texts.keep(text(id));
    await mirror.written();
    await pool.query("UPDATE crier.unspoken_texts SET accepted_at_ms = accepted_at_ms - 660000 WHERE id = 'two'");
    await pool.query("UPDATE crier.unspoken_texts SET user_id = 'bob' WHERE id = 'three'");
    await pool.query('SELECT crier.drop_old_unspoken($1, 0, 0)', [Date.now() - 10 * MINUTE_MS]);
    const left = async () =>
      (await pool.query('SELECT id, words IS NULL AS wordless FROM crier.unspoken_texts ORDER BY id')).rows;
    expect(await left()).toEqual([
      { id: 'one', wordless: false },
      { id: 'three', wordless: false },
      { id: 'two', wordless: true },
    ]);
    await mirror.forgetMember('alice');
    expect(await left()).toEqual([{ id: 'three', wordless: false }]);
    await close();
  });
});
