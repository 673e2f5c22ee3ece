import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createDepartures } from '../../../src/services/privacy/stored-data.ts';
import { openDatabase, sqlOf } from '../../../src/services/storage/database.ts';
import { createStore } from '../../../src/services/storage/store.ts';
import { silentLog as log } from '../../silent-log.ts';

const DAY_MS = 24 * 60 * 60_000;
const START_MS = Date.UTC(2026, 0, 31, 12);

let here: Set<string> | undefined;
let kept: string[];
let forgotten: string[];
let isStoreDown: boolean;
let database: ReturnType<typeof openDatabase>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START_MS });
  here = new Set(['1', '2']);
  kept = ['1', '2'];
  forgotten = [];
  isStoreDown = false;
  database = openDatabase(':memory:');
});

/** As after a start of the bot: what is remembered is in the database alone. */
function open(concerns = (_guildId: string) => true) {
  const sql = sqlOf(database);
  const store = createStore({
    sql: {
      ...sql,
      query: (...statement) =>
        isStoreDown && statement[0].startsWith('INSERT') ? Promise.reject(new Error('down')) : sql.query(...statement),
    },
    log,
  });
  return createDepartures({
    store,
    present: () => here,
    concerns,
    keptServers: async () => kept,
    async forget(guildId) {
      if (isStoreDown) throw new Error('down');
      forgotten.push(guildId);
      kept = kept.filter((id) => id !== guildId);
    },
    log,
  });
}

/** The bot is removed from server 1. */
async function leaves(departures: ReturnType<typeof open>): Promise<void> {
  here?.delete('1');
  await departures.left('1');
}

const marks = () =>
  database
    .prepare("SELECT key FROM entries WHERE namespace = 'departures'")
    .all()
    .map(({ key }) => key);

describe('stored data of a server that the bot has left', () => {
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
