import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreError } from '../../../src/errors/user-errors.ts';
import { openCellLease } from '../../../src/services/cells/cell-lease.ts';
import { createLedger } from '../../../src/services/spending/ledger.ts';
import { openPool, openPostgres } from '../../../src/services/storage/postgres/connections.ts';
import { silentLog as log } from '../../silent-log.ts';
import { openMemoryStore } from '../storage/memory-store.ts';
import { isPostgresMissing } from '../storage/postgres/postgres-server.ts';
import { sharePostgres } from '../storage/postgres/shared-server.ts';
import { spendingOver } from './open-spending.ts';
import { randomBelow } from './random-below.ts';

type Ledger = ReturnType<typeof createLedger>;

const TODAY = '2026-11-21';
const ENTRY = { guildId: '10', userId: '7', day: TODAY, keptUntil: '2026-12-31' };
const TOTAL = { guildId: '', userId: '' };
const TEXT = { guildId: '10', userId: '7', characters: 10, model: 'gpro', toFollow: [] };
/** As in production: a busy machine renews it in time. */
const LEASE_MS = 20_000;

describe.skipIf(isPostgresMissing)('the ledger in PostgreSQL', () => {
  const postgres = sharePostgres();
  let opened = 0;

  /** As another process has it: a lease on one shard, and connections of its own. */
  async function openCell(leaseMs = LEASE_MS) {
    const shard = opened++;
    const renewing = openPool({ url: postgres.url, log, connections: 2 });
    const { signal } = new AbortController();
    const lease = await openCellLease({
      ...{ pool: renewing, name: 'test', shards: { first: shard, last: shard, count: 100 }, signal, log, leaseMs },
      onLost: () => undefined,
    });
    const sql = openPostgres({ url: postgres.url, holder: lease.id, log });
    /** Ends it as a crash would: nothing is renewed, nothing given back. */
    const die = async () => {
      if (!renewing.ending) await renewing.end().then(sql.close);
    };
    postgres.closeLater(die);
    return { sql, lease, ledger: createLedger(sql), die };
  }

  type Cell = Awaited<ReturnType<typeof openCell>>;

  const usedToday = async ({ ledger }: Cell) => (await ledger.used(TOTAL, TODAY, TODAY)).millicredits;

  it('counts, limits, tells and forgets as the one in SQLite does, whatever comes in which order', async () => {
    const random = randomBelow(1);
    const { store, sql } = openMemoryStore();
    onTestFinished(store.close);
    const [sqlite, postgres] = [createLedger(sql), (await openCell()).ledger];
    const days = ['2026-11-20', TODAY, '2026-12-01'] as const;
    const open: number[] = [];
    const pick = <One>(values: readonly One[]) => values[random(values.length)] as One;
    const onBoth = async <Result>(work: (ledger: Ledger) => Promise<Result>): Promise<Result> => {
      const result = await work(sqlite);
      expect(await work(postgres)).toEqual(result);
      return result;
    };
    for (let step = 0; step < 250; step += 1) {
      const [guildId, userId, day] = [pick(['', '10', '20']), pick(['7', '8']), pick(days)];
      const entry = { guildId, userId, day, keptUntil: pick(days) };
      const subject = pick([
        { guildId: '', userId },
        { guildId: '10', userId: '' },
      ]);
      const caps = [
        { guildId: '', userId, credits: 0.3 },
        { ...TOTAL, credits: pick([0.5, Number.POSITIVE_INFINITY]) },
      ];
      const kind = random(9);
      if (kind <= 2) {
        const [millicredits, toFollow] = [random(60), random(30)];
        const reserve = (ledger: Ledger) => ledger.reserve(step, { ...entry, millicredits }, caps, toFollow);
        if ((await onBoth(reserve)).isReserved) open.push(step);
      } else if (kind <= 5 && open.length > 0) {
        const id = pick(open);
        const end = pick(['settle', 'lose', 'confirm'] as const);
        const cost = random(100);
        const isRefused = () => 'refused';
        if (end === 'confirm') await onBoth((ledger) => ledger.confirm(id).catch(isRefused));
        else await onBoth<unknown>((ledger) => ledger[end](id, cost));
      } else if (kind === 6) await onBoth((ledger) => ledger.countCached(entry));
      else if (kind === 7) await onBoth((ledger) => ledger.forget(subject, TODAY));
      else if (random(4) === 0) await onBoth((ledger) => ledger.prune(TODAY));
      else {
        const model = pick(['a', 'b']);
        await onBoth((ledger) => ledger.keepRate(model, { characters: 1.5, credits: step }));
      }
      const reads: readonly ((ledger: Ledger) => Promise<unknown>)[] = [
        (ledger) => ledger.used(TOTAL, '2026-11-01', '2026-11-30'),
        (ledger) => ledger.used({ guildId, userId }, day, day),
        (ledger) => ledger.used({ guildId, userId: '' }, '0000-01-01', '9999-12-31'),
        (ledger) => ledger.usedInServers('0000-01-01', '9999-12-31'),
        (ledger) => ledger.biggest('guild_id', '0000-01-01', '9999-12-31', Number.MAX_SAFE_INTEGER),
        (ledger) => ledger.biggest('user_id', '0000-01-01', '9999-12-31', 1),
        (ledger) => ledger.unknownOn(day),
        (ledger) => ledger.keepsLonger(subject, TODAY),
        (ledger) => ledger.prices(),
      ];
      for (const read of reads) await onBoth(read);
    }
  });

  it('reserves what a limit just allows, however many processes ask at once', async () => {
    const all = [await openCell(), await openCell(), await openCell(), await openCell()];
    const caps = [{ ...TOTAL, credits: 1 }];
    const attempts = await Promise.all(
      Array.from({ length: 8 }, (_, id) => all[id % 4]?.ledger.reserve(id, { ...ENTRY, millicredits: 190 }, caps)),
    );
    expect(attempts.filter((attempt) => attempt?.isReserved)).toHaveLength(5);
    expect(await usedToday(all[0] as Cell)).toBe(950);
  });

  it('after the end of a process counts nothing for what it had not sent, and all else as lost; not a moment earlier', async () => {
    const [dying, living] = [await openCell(1_000), await openCell()];
    const [sent, unsent, own] = [1, 2, 3];
    const entry = { ...ENTRY, millicredits: 100 };
    await dying.ledger.reserve(sent, entry, []);
    await dying.ledger.confirm(sent);
    await dying.ledger.reserve(unsent, entry, []);
    await living.ledger.reserve(own, entry, []);
    expect(await living.ledger.recover()).toEqual({ released: 0, lost: 0 });
    await dying.die();
    const recovered = { released: 0, lost: 0 };
    const recoverMore = async () => {
      const { released, lost } = await living.ledger.recover();
      recovered.released += released;
      recovered.lost += lost;
      return recovered;
    };
    await expect.poll(recoverMore, { timeout: 10_000 }).toEqual({ released: 1, lost: 1 });
    expect(await usedToday(living)).toBe(200);
    expect(await living.ledger.unknownOn(TODAY)).toEqual({ requests: 1, millicredits: 100 });
    // A bill that turns up after all corrects it.
    await living.ledger.settle(sent, 30);
    await living.ledger.settle(own, 5);
    expect(await usedToday(living)).toBe(35);
  });

  it('lets a process whose lease is over neither reserve nor send', async () => {
    const [paused, living] = [await openCell(), await openCell()];
    await paused.ledger.reserve(1, { ...ENTRY, millicredits: 100 }, []);
    await paused.lease.close();
    await expect(paused.ledger.reserve(2, { ...ENTRY, millicredits: 1 }, [])).rejects.toThrow(
      'lease of this process is over',
    );
    await expect(paused.ledger.confirm(1)).rejects.toThrow('lease of this process is over');
    await living.ledger.recover();
    expect(await usedToday(living)).toBe(0);
  });

  it('gives back what it reserved without knowing, because the answer was lost', async () => {
    const cell = await openCell();
    let isLosing = true;
    const spending = await spendingOver({
      ...cell.sql,
      // Made by the server although its answer does not arrive.
      async transaction(steps) {
        const result = await cell.sql.transaction(steps);
        if (isLosing) throw new Error('lost');
        return result;
      },
    });
    const used = async () => (await spending.overview(TEXT)).member.today.credits;
    await expect(spending.reserve(TEXT)).rejects.toThrow(StoreError);
    expect(await used()).toBe(10);
    isLosing = false;
    await expect.poll(used).toBe(0);
    await spending.close();
  });

  it('refuses within its deadline while PostgreSQL stands still, counts nothing for it, and writes bills down later', async () => {
    const cell = await openCell();
    const spending = await spendingOver(cell.sql);
    const underWay = await spending.reserve(TEXT);
    await underWay.confirm();
    postgres.server.pause();
    await expect(spending.reserve(TEXT)).rejects.toThrow(StoreError);
    const settled = underWay.settle({ creditsUsed: 3 });
    postgres.server.resume();
    await settled;
    const used = async () => (await spending.overview(TEXT)).member.today.credits;
    await expect.poll(() => used().catch(() => undefined)).toBe(3);
    await spending.close();
  });
});
