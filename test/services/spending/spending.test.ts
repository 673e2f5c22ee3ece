import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreError, UserError } from '../../../src/errors/user-errors.ts';
import type { OwnerLimits, ServerLimits } from '../../../src/services/spending/limits.ts';
import type { Reservation, Spending } from '../../../src/services/spending/spending.ts';
import { openDatabase, sqlOf } from '../../../src/services/storage/database.ts';
import { render, type Text } from '../../../src/texts/catalog.ts';
import { silentLog, writtenLog } from '../../silent-log.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { spendingOver } from './open-spending.ts';
import { randomBelow } from './random-below.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const HOUR_MS = 3_600_000;
const LIMITS: OwnerLimits = { total: 1000, perServer: 500, perMember: 100 };
const [HERE, THERE] = ['10', '20'];

let folder: string;
let database: DatabaseSync;
beforeEach(() => {
  folder = temporaryFolder();
  database = openDatabase(join(folder, 'crier.sqlite'), silentLog);
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
});
afterEach(() => database.close());

/** As after a start of the bot: what earlier ones reserved is no longer theirs. */
async function open({ limits, ...rest }: Parameters<typeof spendingOver>[1] = {}): Promise<Spending> {
  const spending = await spendingOver(sqlOf(database), { limits: { ...LIMITS, ...limits }, ...rest });
  onTestFinished(spending.close);
  return spending;
}

const reservations = () =>
  database.prepare('SELECT user_id AS userId, state FROM spending_reservations ORDER BY user_id').all();

const by = (userId: string, guildId: string | undefined = HERE) => ({ userId, guildId });
const text = (characters: number, userId = 'alice', guildId: string | undefined = HERE) => ({
  ...by(userId, guildId),
  characters,
  model: 'gpro',
  toFollow: [],
});
const spend = async (spending: Spending, characters: number, userId?: string, guildId?: string) =>
  (await spending.reserve(text(characters, userId, guildId))).settle({ creditsUsed: characters });

async function refusalOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UserError);
  return render((error as UserError).text);
}

describe('a limit', () => {
  it('lets through what it just allows, and refuses one credit more in two sentences: its cost, what is left, its end', async () => {
    const spending = await open();
    await spend(spending, 99);
    await spend(spending, 1);
    const refused = await refusalOf(spending.reserve(text(1)));
    const when = `<t:${Date.UTC(2026, 10, 22) / 1000}:R>`;
    expect(refused).toBe(`Over your limit: this costs about 1 and you have 0 of 100 left today. Resets ${when}.`);
    // What a text exceeds on any day sends nobody to the next one.
    expect(await refusalOf(spending.reserve(text(101)))).toBe(
      'Over your limit: this costs about 101, more than the 100 of a whole day. The bot’s owner can raise the limit.',
    );
  });

  it('of one member is told to others without any figures, and that of all as it is', async () => {
    const spending = await open({ limits: { perServer: 150 } });
    const toOthers = async (attempt: Promise<unknown>) => {
      const error = await attempt.catch((reason: unknown) => reason);
      if (!(error instanceof UserError) || error.kind !== 'spending-limit') throw new Error('It was not refused');
      return error.toOthers && render(error.toOthers).replace(/<t:\d+:R>|00:00/g, '');
    };
    await spend(spending, 88);
    const [today, never] = [await toOthers(spending.reserve(text(13))), await toOthers(spending.reserve(text(101)))];
    expect(today).toMatch(/^This text costs more than this member has left for today\. Resets \.$/);
    expect(never).toMatch(/^This text costs more than this member may use in a whole day\. The bot’s owner/);
    expect(`${today} ${never}`).not.toMatch(/\d|you/i);
    expect(await toOthers(spending.reserve(text(63, 'bob')))).toBeUndefined();
  });

  it('is passed neither by what is to follow, which is told with it and not set aside', async () => {
    const spending = await open();
    const long = (...toFollow: readonly number[]) => ({ ...text(40), toFollow: toFollow.map((each) => text(each)) });
    expect(await refusalOf(spending.reserve(long(30, 31)))).toContain('about 101, more');
    await (await spending.reserve(long(30, 30))).settle({ creditsUsed: 40 });
    await expect(spending.reserve(text(60))).resolves.toBeDefined();
  });

  it('refuses a text before it is confirmed as it would afterwards, and reserves nothing for it', async () => {
    const spending = await open({ limits: { perServer: 90 } });
    await spend(spending, 40);
    const parts = (characters: number) => [text(20), text(characters - 20)];
    expect(await refusalOf(spending.mustAllow(by('alice'), parts(51)))).toBe(
      await refusalOf(spending.reserve(text(51))),
    );
    await spending.mustAllow(by('alice'), parts(50));
    await spending.mustAllow(by('alice'), []);
    expect(reservations()).toEqual([]);
    expect((await spending.overview(by('alice'))).member.today.credits).toBe(40);
  });

  it('holds when everybody asks at once: what is set aside counts', async () => {
    const spending = await open();
    const attempts = await Promise.allSettled(
      Array.from({ length: 300 }, (_, index) => spending.reserve(text(7, `member ${index}`))),
    );
    const made = attempts.filter(({ status }) => status === 'fulfilled').length;
    expect(made).toBe(Math.floor(LIMITS.perServer / 7));
    expect((await spending.overview(by('alice'))).server?.today.credits).toBe(made * 7);
  });

  it('counts a person in all servers and direct messages together', async () => {
    const spending = await open();
    await spend(spending, 60, 'alice', HERE);
    await spend(spending, 30, 'alice', THERE);
    const direct = { ...text(10), guildId: undefined };
    await (await spending.reserve(direct)).settle({ creditsUsed: 10 });
    await expect(spending.reserve({ ...direct, characters: 1 })).rejects.toThrow(UserError);
    await expect(spending.reserve(text(1, 'bob'))).resolves.toBeDefined();
    const { member, memberEverywhere } = await spending.overview(by('alice'));
    expect([member.today.credits, memberEverywhere.today.credits]).toEqual([60, 100]);
  });

  it('of a person, and none of a server, holds where the bot is not', async () => {
    const spending = await open({ limits: { perServer: 10 }, isIn: (guildId) => guildId === HERE });
    await spend(spending, 60, 'alice', THERE);
    await spending.cached(by('alice', THERE));
    const { member, server } = await spending.overview(by('alice', THERE));
    expect(member).toEqual({ today: { credits: 60, cached: 1 }, month: { credits: 60, cached: 1 }, limit: 100 });
    expect(server).toBeUndefined();
    expect((await spending.report(10)).servers).toEqual([]);
    expect(await refusalOf(spending.reserve(text(41, 'alice', THERE)))).toContain('Over your limit:');
  });

  it.each<[Partial<ServerLimits>, string]>([
    [{ perMember: 20 }, 'Over your limit in this server: this costs about 31, more than the 20 of a whole day.'],
    [{ perServer: 30 }, 'Over this server’s limit: this costs about 31, more than the 30 of a whole day.'],
  ])('can be lowered by admins, who are then the ones to ask (%j)', async (lower, words) => {
    const spending = await open({ limitsFor: async (guildId) => (guildId === HERE ? lower : {}) });
    const refused = await refusalOf(spending.reserve(text(31)));
    expect(refused).toContain(words);
    expect(refused).toContain('An admin can raise the limit.');
    await expect(spending.reserve(text(31, 'alice', THERE))).resolves.toBeDefined();
  });

  it.each<[Partial<ServerLimits>, Partial<OwnerLimits>, string]>([
    [{ perMember: 0 }, {}, ' for members of this server: the daily limit is 0. An admin'],
    [{}, { total: 0 }, ': the daily limit is 0. The bot’s owner'],
  ])('of 0 is told as what is switched off, not as what resets (%j, %j)', async (lower, limits, words) => {
    const spending = await open({ limits, limitsFor: async () => lower });
    expect(await refusalOf(spending.reserve(text(1)))).toBe(`Speech is switched off${words} can raise the limit.`);
  });

  it('cannot be raised by admins above the owner’s', async () => {
    const spending = await open({ limitsFor: async () => ({ perMember: 10_000, perServer: 10_000 }) });
    expect(await refusalOf(spending.reserve(text(101)))).toContain('more than the 100 of a whole day');
    const { member, server } = await spending.overview(by('alice'));
    expect([member.limit, server?.limit]).toEqual([LIMITS.perMember, LIMITS.perServer]);
  });

  it('that cannot be looked up lets nothing through', async () => {
    const spending = await open({ limitsFor: () => Promise.reject(new StoreError('down')) });
    await expect(spending.reserve(text(1))).rejects.toThrow(StoreError);
  });

  it('begins anew at 00:00 UTC, and what was set aside before midnight stays on the day before', async () => {
    const spending = await open();
    vi.setSystemTime(NOON + 12 * HOUR_MS - 1);
    const late = await spending.reserve(text(100));
    vi.advanceTimersByTime(1);
    await spend(spending, 90);
    await late.settle({ creditsUsed: 95 });
    const { member } = await spending.overview(by('alice'));
    expect([member.today.credits, member.month.credits]).toEqual([90, 185]);
  });
});

describe('what is set aside', () => {
  it('is ended once, by a bill in whole credits or as lost, and tells what stays counted for lost answers', async () => {
    const told: number[] = [];
    const spending = await open({ onLost: (credits) => told.push(credits) });
    const [lost, answered] = [await spending.reserve(text(50)), await spending.reserve(text(20))];
    await lost.unknown();
    await lost.unknown();
    await answered.settle({ creditsUsed: 19.3456 });
    await answered.unknown();
    await answered.release();
    await answered.settle({ creditsUsed: 99 });
    expect(told).toEqual([50]);
    expect((await spending.report(1)).unknownToday).toEqual({ requests: 1, credits: 50 });
    expect((await spending.overview(by('alice'))).member.today.credits).toBe(70);
  });

  it('goes by the bills of a model’s own voices, also after a new start, not by that of a voice in their place', async () => {
    const spending = await open();
    await (await spending.reserve(text(20))).settle({ creditsUsed: 40 });
    await (await spending.reserve(text(20))).settle({ creditsUsed: 5, spokenBy: 'other' });
    expect((await spending.reserve(text(10))).about).toBe(20);
    expect((await open()).estimateCredits([text(10)])).toEqual({ about: 20 });
  });

  it('is nothing for a model whose bills were 0, which no limit refuses, an exceeded one neither', async () => {
    const spending = await open();
    const free = (characters: number) => ({ ...text(characters), model: 'local' });
    for (let bill = 0; bill < 2; bill++) await (await spending.reserve(free(20))).settle({ creditsUsed: 0 });
    await (await spending.reserve(text(100))).settle({ creditsUsed: 130 });
    expect((await spending.reserve(free(500))).about).toBe(0);
    expect(await refusalOf(spending.reserve({ ...free(20), toFollow: [text(5)] }))).toContain('0 of ');
  });

  it('stays counted when the store cannot write the bill down, and the spoken text is not lost for it', async () => {
    const { log, lines } = writtenLog('warn');
    const written = () => lines.map(({ msg }) => msg).join();
    const spending = await open({ log });
    const reservation = await spending.reserve(text(70));
    database.exec('PRAGMA query_only = ON');
    const settled = reservation.settle({ creditsUsed: 60 });
    await expect.poll(written).toContain('its estimate counts');
    await expect(spending.mustAllow(by('alice'), [text(40)])).rejects.toThrow();
    expect((await spending.overview(by('alice'))).member.today.credits).toBe(70);
    await spending.close();
    await settled;
    expect(written()).toContain('Spending not stored at shutdown');
  });

  it('goes with what is forgotten, but for that of a request under way, whose bill is still counted', async () => {
    const spending = await open();
    await (await spending.reserve(text(10))).unknown();
    await (await spending.reserve(text(10, 'bob'))).unknown();
    const underWay = await spending.reserve(text(30));
    await spending.forget(by('alice', ''));
    expect(reservations()).toEqual([
      { userId: 'alice', state: 'reserved' },
      { userId: 'bob', state: 'unknown' },
    ]);
    await underWay.settle({ creditsUsed: 7 });
    expect(reservations()).toEqual([{ userId: 'bob', state: 'unknown' }]);
    expect((await spending.overview(by('alice'))).member.today.credits).toBe(17);
    await spending.forget(by(''));
    expect(reservations()).toEqual([]);
  });
});

it('after a new start, what had not been sent counts nothing, what had been until its day is over', async () => {
  const before = await open();
  await before.reserve(text(40));
  const sent = await before.reserve(text(60));
  await sent.confirm();
  const after = await open();
  const used = async () => (await after.overview(by('alice'))).member.today.credits;
  await expect.poll(used).toBe(60);
  expect(await refusalOf(after.reserve(text(41)))).toContain('you have 40 of');
  expect(reservations()).toEqual([{ userId: 'alice', state: 'unknown' }]);
  const late = await after.reserve(text(30));
  await late.unknown();
  // A bill that arrives after all corrects what was given up as lost.
  await sent.settle({ creditsUsed: 20 });
  expect(await used()).toBe(50);
  vi.advanceTimersByTime(12 * HOUR_MS);
  await open();
  await expect.poll(reservations).toEqual([]);
});

it('any order of things keeps the sum of billed and reserved credits exact and within every limit', async () => {
  const random = randomBelow(1);
  const spending = await open({ limits: { total: 600, perServer: 400, perMember: 250 } });
  let counted = 0;
  const underWay: Reservation[] = [];
  for (let step = 0; step < 400; step += 1) {
    const request = text(1 + random(20), `member ${random(4)}`, `server ${random(3)}`);
    const one = random(2) === 0 ? underWay.splice(random(underWay.length), 1)[0] : undefined;
    if (one) {
      const credits = random(one.about + 1);
      const [end, cost] = [
        [() => one.settle({ creditsUsed: credits, inputCharacters: credits }), credits] as const,
        [one.release, 0] as const,
        [one.unknown, one.about] as const,
      ][random(3)] as readonly [() => Promise<void>, number];
      await end();
      counted += cost - one.about;
    } else {
      const reservation = await spending.reserve(request).catch((error: unknown) => {
        expect(error).toBeInstanceOf(UserError);
        return undefined;
      });
      if (reservation) underWay.push(reservation);
      counted += reservation?.about ?? 0;
    }
    const overview = await spending.overview(request);
    expect(overview.total.today.credits).toBe(counted);
    for (const { today, limit } of [overview.total, overview.memberEverywhere, overview.server ?? overview.total]) {
      expect(today.credits).toBeLessThanOrEqual(limit);
    }
  }
});

describe('what is shown', () => {
  it('is today and this month, and what was spoken for nothing', async () => {
    const spending = await open();
    vi.setSystemTime(Date.UTC(2026, 9, 31, 23));
    await spend(spending, 5);
    vi.setSystemTime(Date.UTC(2026, 10, 1));
    await spend(spending, 7);
    vi.setSystemTime(NOON);
    await spend(spending, 11);
    await spending.cached(by('alice'));
    const { member, server, total, renewsAtMs } = await spending.overview(by('alice'));
    const expected = { today: { credits: 11, cached: 1 }, month: { credits: 18, cached: 1 } };
    expect(member).toEqual({ ...expected, limit: LIMITS.perMember });
    expect(server).toEqual({ ...expected, limit: LIMITS.perServer });
    expect(total).toEqual({ ...expected, limit: LIMITS.total });
    expect(renewsAtMs).toBe(Date.UTC(2026, 10, 22));
    expect((await spending.overview({ userId: 'alice' })).server).toBeUndefined();
  });

  it('is with a bill what it leaves of one’s own limits: of the one with the least left', async () => {
    const spending = await open({ limitsFor: async (guildId) => (guildId === HERE ? { perMember: 40 } : {}) });
    await spend(spending, 20);
    const [one, other] = [await spending.reserve(text(10)), await spending.reserve(text(65, 'alice', THERE))];
    expect(one.ownLeft({ creditsUsed: 12 })).toEqual({ left: 8, limit: 40 });
    expect(other.ownLeft({ creditsUsed: 65 })).toEqual({ left: 5, limit: LIMITS.perMember });
    expect(other.ownLeft({ creditsUsed: 1e11 })).toEqual({ left: 5, limit: LIMITS.perMember });
    const free = await open({ limits: { perMember: Number.POSITIVE_INFINITY } });
    expect((await free.reserve(text(1, 'bob', THERE))).ownLeft({ creditsUsed: 1 })).toBeUndefined();
  });

  it('is kept to the end of the next month and then deleted', async () => {
    const spending = await open();
    const kept = () => database.prepare('SELECT count(*) AS n FROM spending_days').get()?.n;
    await spend(spending, 5);
    vi.setSystemTime(Date.UTC(2026, 11, 31, 23));
    await spend(spending, 5, 'bob');
    expect(kept()).toBe(8);
    vi.setSystemTime(Date.UTC(2027, 0, 1));
    await open();
    await expect.poll(kept).toBe(4);
  });

  it('can be forgotten, which does not give a member a new allowance for today', async () => {
    const spending = await open();
    const rows = (userId: string) =>
      database.prepare('SELECT day FROM spending_days WHERE user_id = ? ORDER BY day').all(userId).length;
    await spend(spending, 5);
    vi.advanceTimersByTime(24 * HOUR_MS);
    await spend(spending, 100);
    const [before, today] = [5, 100].map((credits) => ({ credits, cached: 0 }));
    expect(await spending.kept(by('alice', ''))).toEqual({ before, today, staysLonger: true });
    await spending.forget(by('alice', ''));
    const none = { credits: 0, cached: 0 };
    expect(await spending.kept(by('alice', ''))).toEqual({ before: none, today, staysLonger: false });
    expect(rows('alice')).toBe(2); // today's, here and everywhere
    expect(await refusalOf(spending.reserve(text(1)))).toContain('you have 0 of');
    vi.advanceTimersByTime(24 * HOUR_MS);
    await open();
    await expect.poll(() => rows('alice')).toBe(0);
  });
});

it.each([1e11, 1e306])('an impossible bill counts as lost: the owner is told once a day (%d)', async (creditsUsed) => {
  const told: string[] = [];
  const notify = async (message: Text) => void told.push(render(message));
  const spending = await open({ notify });
  for (const userId of ['alice', 'bob']) {
    await (await spending.reserve(text(30, userId))).settle({ creditsUsed, inputCharacters: 30 });
  }
  expect(told).toEqual([expect.stringContaining('a text (model gpro) can’t be right')]);
  expect(reservations().map(({ state }) => state)).toEqual(['unknown', 'unknown']);
  const after = await open();
  expect((await after.overview(by('alice'))).total.today.credits).toBe(60);
  expect(await (await open()).reserve(text(70))).toMatchObject({ about: 70 });
});
