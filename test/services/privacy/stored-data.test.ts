import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ownsAll } from '../../../src/services/cells/ownership.ts';
import { createFilesUnderWay } from '../../../src/services/playback/guild-speakers.ts';
import { createDepartures, listKeptData } from '../../../src/services/privacy/stored-data.ts';
import { createOptOuts } from '../../../src/services/servers/admission.ts';
import { createSettings } from '../../../src/services/servers/server-settings.ts';
import { createStore } from '../../../src/services/storage/store.ts';
import { createServerDictionaries } from '../../../src/services/text/dictionary.ts';
import { createPending } from '../../../src/services/time/timers.ts';
import { createMemberSettings, ownSettingsSchema } from '../../../src/services/voices/voices.ts';
import { render, type Text, text } from '../../../src/texts/catalog.ts';
import { silentLog as log } from '../../silent-log.ts';
import { spendingOver } from '../spending/open-spending.ts';
import { openMemoryStore } from '../storage/memory-store.ts';

const SOURCE = fileURLToPath(new URL('../../../src', import.meta.url));

async function open() {
  const { store, sql, database, rows } = openMemoryStore();
  const waiting = new Map([['7', 2]]);
  const pending = createPending<Record<'order' | 'announcement', { words: string; userId: string }>>();
  const speakers = {
    ofMember: (userId: string) => ({ waiting: waiting.get(userId) ?? 0, spoken: 0 }),
    forgetMember(userId: string) {
      waiting.delete(userId);
      return { waiting: 0, spoken: 0 };
    },
    unspoken: { countOf: () => 0, forgetMember: async () => undefined },
    files: createFilesUnderWay(),
  };
  const sources = {
    store,
    settings: createSettings(store),
    members: createMemberSettings(store),
    dictionaries: createServerDictionaries(store, log),
    optOuts: createOptOuts(store),
    spending: await spendingOver(sql),
    speakers: speakers as never,
    pending,
    ownership: ownsAll(store, log),
    ...{ keepsAudio: true, isFree: false, isLimited: true, log },
  };
  const all = listKeptData(sources);
  const entry = (name: string) => all.find(({ holds }) => holds.key === `kept.${name}`);
  const servers = async () => (await Promise.all(all.map(({ server }) => server?.ids() ?? []))).flat();
  return { ...sources, database, all, entry, servers, rows };
}

async function fill({ settings, members, dictionaries, optOuts, spending, store }: Awaited<ReturnType<typeof open>>) {
  await settings.change('1', () => ({ hushed: true, mutedMembers: ['8'] }));
  for (const guildId of ['1', '2', undefined]) await members.change({ userId: '7', guildId }, () => ({ speed: 1.5 }));
  await members.change({ userId: '8', guildId: '1' }, () => ({ speed: 1.5 }));
  await dictionaries.change('1', () => [{ from: 'GG', to: 'good game' }] as never);
  await optOuts.set('7', true);
  await (await spending.reserve({ guildId: '1', userId: '7', characters: 10, model: 'ext', toFollow: [] })).settle({
    creditsUsed: 10,
  });
  await store.table('welcomes', z.any()).set('1', {});
}

describe('the list of stored data', () => {
  it('has every table of the database and of the store', async () => {
    const { all, database } = await open();
    const ofDatabase = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => name !== 'entries');
    const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/^(playground|speech-service|cli|conformance)\//.test(file))
      .map((file) => readFileSync(join(SOURCE, file), 'utf8'));
    const ofStore = sources
      .flatMap((source) => [...source.matchAll(/\.table(?:<[^(]*>)?\(\s*'([^']+)'/g)])
      .map(([, name]) => name);
    expect(ofStore).toContain('member-settings');
    const listed = all.flatMap(({ tables }) => tables);
    expect([...new Set(listed)].sort()).toEqual([...new Set([...ofDatabase, ...ofStore])].sort());
  });

  it('names every setting of a member, and whose ids a server’s settings hold', async () => {
    const { entry } = await open();
    const holds = (name: string) => render(entry(name)?.holds ?? text('privacy.title'));
    for (const name of ownSettingsSchema.keyof().options) {
      const isLanguage = name === 'language' || name === 'languageVoices';
      expect(holds('own-settings')).toContain(isLanguage ? 'language' : render(text(`parameter.${name}`)));
    }
    expect(holds('server-settings')).toContain('muted members');
  });

  it('describes what there is of a member, and deletes it in all servers', async () => {
    const bot = await open();
    await fill(bot);
    const described = async (userId: string) => {
      const items = await Promise.all(bot.all.map(({ member }) => member?.describe(userId)));
      return items.flatMap((item) => (item ? [render(text('lines.item', { item })).slice(2)] : []));
    };
    expect(await described('7')).toEqual([
      'settings from /voice, in 3 places',
      '10 credits used today',
      '2 texts in the queue',
      expect.stringContaining('opt-out'),
    ]);
    for (const { member } of bot.all) await member?.forget('7');
    // Today's use stays for today's limits.
    expect(await described('7')).toEqual(['10 credits used today, until 00:00 UTC']);
    expect(await bot.members.places()).toEqual([{ userId: '8', guildId: '1' }]);
    expect(await described('9')).toEqual([]);
  });

  it('has no word of credits and limits where nothing costs', async () => {
    const bot = await open();
    await fill(bot);
    const words = async (isFree: boolean) => {
      const all = listKeptData({ ...bot, isFree, isLimited: !isFree });
      const use = all.find(({ holds }) => holds.key === 'kept.use');
      const later = (await use?.member?.forgetting?.('7'))?.later;
      const now = await use?.member?.describe('7');
      const texts = [...all.map(({ holds }) => holds), now, later?.ifForgotten, later?.onceForgotten];
      expect(texts).not.toContain(undefined);
      return texts.map((one) => render(text('lines.item', { item: one as Text }))).join('\n');
    };
    const costs = /credit|limit|paid|costs?\b/i;
    expect(await words(true)).not.toMatch(costs);
    expect(await words(false)).toMatch(costs);
  });

  it('knows the texts that wait for a button, and drops them with a member’s other texts', async () => {
    const { pending, entry } = await open();
    const queue = entry('queue')?.member;
    const [hers, his] = ['5', '6'].map((userId) => pending.put('order', { words: 'Mine.', userId }));
    // What an owner has not sent to admins yet.
    const told = pending.put('announcement', { words: 'News.', userId: '5' });
    // A form that was opened and not sent: no words yet.
    pending.put('order', { words: '', userId: '5' });
    expect(await queue?.describe('5')).toEqual({ list: [text('kept.queue.offered', { count: 2 })] });
    await queue?.forget('5');
    expect(await queue?.describe('5')).toBeUndefined();
    expect(pending.peek('order', String(hers))).toBeUndefined();
    expect(pending.peek('announcement', told)).toBeUndefined();
    expect(pending.peek('order', String(his))?.words).toBe('Mine.');
  });

  it('finds the usage of last month, too', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 9, 31) });
    const bot = await open();
    await bot.spending.cached({ guildId: '1', userId: '7' });
    const use = bot.entry('use');
    const described = async () => render((await use?.member?.describe('7')) as Text);
    expect(await described()).toBe('0 credits used today');
    vi.setSystemTime(Date.UTC(2026, 10, 1));
    expect(await described()).toBe('0 credits used this month and last month');
    expect(await bot.servers()).toEqual(['1']);
    expect(await use?.server?.describe('1')).toBeDefined();
    await use?.member?.forget('7');
    expect(await use?.member?.describe('7')).toBeUndefined();
  });

  it('deletes all that there is of a server that was left, and nothing of others', async () => {
    const bot = await open();
    await fill(bot);
    expect(new Set(await bot.servers())).toEqual(new Set(['1', '2']));
    for (const { server } of bot.all) await server?.forget('1');
    expect(bot.rows()).toEqual([
      { namespace: 'member-settings', key: '7 2' },
      { namespace: 'member-settings', key: '7 everywhere' },
      { namespace: 'opt-outs', key: '7' },
    ]);
  });
});

const DAY_MS = 24 * 60 * 60_000;
const START_MS = Date.UTC(2026, 0, 31, 12);

describe('stored data of a server that the bot has left', () => {
  let here: Set<string> | undefined;
  let kept: string[];
  let forgotten: string[];
  let isStoreDown: boolean;
  let opened: ReturnType<typeof openMemoryStore>;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: START_MS });
    here = new Set(['1', '2']);
    kept = ['1', '2'];
    forgotten = [];
    isStoreDown = false;
    opened = openMemoryStore();
  });

  /** As after a start of the bot: what is remembered is in the database alone. */
  function open(concerns = (_guildId: string) => true) {
    const { sql } = opened;
    const query: typeof sql.query = (...statement) =>
      isStoreDown && statement[0].startsWith('INSERT') ? Promise.reject(new Error('down')) : sql.query(...statement);
    const store = createStore({ sql: { ...sql, query }, log });
    const ids = async () => kept;
    async function forget(guildId: string): Promise<void> {
      if (isStoreDown) throw new Error('down');
      forgotten.push(guildId);
      kept = kept.filter((id) => id !== guildId);
    }
    return createDepartures({
      store,
      present: () => here,
      concerns,
      kept: [{ tables: [], holds: text('kept.notices'), server: { describe: async () => undefined, ids, forget } }],
      log,
    });
  }

  /** The bot is removed from server 1. */
  async function leaves(departures: ReturnType<typeof open>): Promise<void> {
    here?.delete('1');
    await departures.left('1');
  }

  const marks = () => opened.rows().map(({ key }) => key);

  it('is not that of a server which another process has', async () => {
    kept = ['1', '2', '3', '5'];
    const departures = open((guildId) => guildId !== '5');
    await departures.sweep();
    expect(marks()).toEqual(['3']);
  });

  it('is deleted after 30 days to the millisecond, and not the others', async () => {
    const departures = open();
    await leaves(departures);
    vi.setSystemTime(START_MS + 30 * DAY_MS - 1);
    await departures.sweep();
    expect(forgotten).toEqual([]);
    vi.setSystemTime(START_MS + 30 * DAY_MS);
    await departures.sweep();
    expect(forgotten).toEqual(['1']);
    expect(marks()).toEqual([]);
    await departures.sweep();
    expect(forgotten).toEqual(['1']);
  });

  it('counts from when it was noticed, where the bot was removed while it was away', async () => {
    here?.delete('2');
    await open().start();
    expect(marks()).toEqual(['2']);
    vi.setSystemTime(START_MS + 30 * DAY_MS);
    await open().start();
    expect(forgotten).toEqual(['2']);
  });

  it.each([
    ['the bot came back unnoticed', new Set(['1', '2']), []],
    ['Discord has not told where the bot is', undefined, ['1']],
  ])('stays where %s', async (_, found, marked) => {
    const departures = open();
    await leaves(departures);
    here = found;
    vi.setSystemTime(START_MS + 31 * DAY_MS);
    await departures.sweep();
    expect([forgotten, marks()]).toEqual([[], marked]);
  });

  it('is tried again while the store does not answer', async () => {
    const departures = open();
    isStoreDown = true;
    await leaves(departures);
    isStoreDown = false;
    await departures.sweep();
    expect(marks()).toEqual(['1']);
    vi.setSystemTime(START_MS + 30 * DAY_MS);
    isStoreDown = true;
    await departures.sweep();
    expect(marks()).toEqual(['1']);
    isStoreDown = false;
    await departures.sweep();
    expect(forgotten).toEqual(['1']);
  });

  it('sweeps once a day, until it is closed', async () => {
    vi.useFakeTimers({ now: START_MS });
    const departures = open();
    await departures.start();
    await leaves(departures);
    vi.setSystemTime(START_MS + 30 * DAY_MS);
    await vi.advanceTimersByTimeAsync(DAY_MS);
    expect(forgotten).toEqual(['1']);
    await departures.close();
    // Those of the store.
    expect(vi.getTimerCount()).toBe(2);
  });
});
