import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/store-error.ts';
import { type AccountWatchOptions, openAccountWatch, watched } from '../../../src/services/spending/balance-watch.ts';
import type { Store, Table } from '../../../src/services/storage/store.ts';
import type { SpeechClient } from '../../../src/speech/client/client.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { render, type Text } from '../../../src/texts/catalogue.ts';

/** A store that outlives the watch, as the one on disk does. */
function memoryStore(): Pick<Store, 'table'> {
  const values = new Map<string, unknown>();
  const table = <Value>(): Table<Value> => ({
    get: async (key) => values.get(key) as Value | undefined,
    set: async (key, value) => void values.set(key, value),
    clear: async (key) => void values.delete(key),
    delete: async (key) => void values.delete(key),
    keys: async () => [...values.keys()],
    inTurn: (_key, work) => work(),
    aside: { get: async () => undefined, drop: async () => undefined, discard: async () => undefined },
  });
  return { table };
}

let store: Pick<Store, 'table'>;
let account: { left: number; transaction: string | null; fails?: boolean };
let asked: number;
let nowMs: number;
let told: string[];
let lines: string[];
beforeEach(() => {
  store = memoryStore();
  account = { left: 1000, transaction: 'txn_1' };
  asked = 0;
  nowMs = 0;
  told = [];
  lines = [];
});

const billing: SpeechClient['billing'] = async () => {
  asked += 1;
  if (account.fails) throw new SpeechError({ kind: 'unavailable', message: 'down' });
  const { left, transaction } = account;
  return {
    creditsLeft: left,
    lastUpdated: null,
    userId: null,
    lastBillingTransaction: transaction === null ? null : { id: transaction },
  };
};

/** A watch, and what it does with a balance once it has dealt with it. */
async function open(options: Partial<AccountWatchOptions> = {}) {
  const watch = await openAccountWatch({
    billing,
    warnBelow: 100,
    store,
    notify: async (message: Text) => void told.push(render(message)),
    log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
    now: () => nowMs,
    ...options,
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ...watch,
    async spendTo(left: number) {
      account.left = left;
      watch.seen(left);
      await settled();
    },
    async topUpTo(left: number) {
      nowMs += 3_600_000;
      account = { left, transaction: `txn at ${nowMs}` };
      watch.seen(left);
      await settled();
    },
    async runOut() {
      watch.ranOut();
      await settled();
    },
    settled,
  };
}

describe('a balance that falls below the threshold', () => {
  it('is told once, and again only after credits have come in and it falls anew', async () => {
    const watch = await open();
    await watch.spendTo(100);
    expect(told).toEqual([]);
    for (const left of [99, 50, 1]) await watch.spendTo(left);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('Only 99 credits are left');
    expect(lines.filter((line) => line.includes('"level":40') && line.includes('top it up'))).toHaveLength(1);

    await watch.topUpTo(500);
    expect(told).toHaveLength(1);
    await watch.spendTo(20);
    expect(told).toHaveLength(2);
  });

  it('is told once although many answers say so at the same time', async () => {
    const watch = await open();
    account.left = 60;
    for (const left of [90, 80, 70, 60]) watch.seen(left);
    await watch.settled();
    expect(told).toHaveLength(1);
  });

  it('is told once by several processes, and once more when it falls anew', async () => {
    const [one, other] = [await open(), await open()];
    await one.spendTo(50);
    await other.spendTo(50);
    expect(told).toHaveLength(1);
    for (const each of [one, other]) await each.topUpTo(1000);
    await other.spendTo(40);
    await one.spendTo(40);
    expect(told).toHaveLength(2);
  });

  it('is not told again after a restart', async () => {
    await (await open()).spendTo(10);
    await (await open()).spendTo(9);
    expect(told).toHaveLength(1);
  });

  it('is noticed at the start when it fell meanwhile', async () => {
    account.left = 3;
    await (await open()).check();
    expect(told).toHaveLength(1);
  });

  it('is not taken for topped up by an answer that was overtaken, nor by a refund', async () => {
    const watch = await open();
    await watch.spendTo(95);
    watch.seen(120); // older than the one before
    await watch.settled();
    nowMs += 3_600_000;
    await watch.spendTo(110); // given back
    nowMs += 3_600_000;
    await watch.spendTo(90);
    expect(told).toHaveLength(1);
  });

  it('is not told when credits came in before the answer did', async () => {
    const watch = await open();
    account.left = 5000;
    watch.seen(50);
    await watch.settled();
    expect(told).toEqual([]);
  });

  it('does not ask the service at every answer whether credits have come in', async () => {
    const watch = await open();
    await watch.spendTo(95);
    asked = 0;
    for (let index = 0; index < 50; index += 1) await watch.spendTo(150);
    expect(asked).toBe(1);
  });

  it('is told by what the answer said when the service does not confirm it', async () => {
    account.fails = true;
    const watch = await open();
    watch.seen(7);
    await watch.settled();
    expect(told[0]).toContain('Only 7 credits are left');
    await expect(watch.check()).rejects.toThrow(SpeechError);
  });

  it('is logged when Discord does not take the message, and when the store is down', async () => {
    const down = () => Promise.reject(new StoreError('down'));
    const watch = await open({
      notify: () => Promise.reject(new Error('Cannot send messages to this user')),
      store: {
        table: () => ({
          get: down,
          set: down,
          clear: down,
          delete: down,
          keys: down,
          inTurn: (_key, work) => work(),
          aside: { get: down, drop: down, discard: down },
        }),
      },
    });
    await watch.spendTo(10);
    await watch.spendTo(9);
    expect(lines.filter((line) => line.includes('could not be told'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('could not be kept'))).toHaveLength(1);
  });

  it('is told of a service that refuses for lack of credits as what each of both says, also where they disagree', async () => {
    account.left = 99_999_860;
    const watch = await open();
    await watch.runOut();
    expect(told[0]).toContain(
      'The speech service refused a text for lack of credits. Its account shows 99,999,860 credits.',
    );
  });

  it('is never told with a threshold of 0', async () => {
    const watch = await open({ warnBelow: 0 });
    await watch.spendTo(0);
    await watch.runOut();
    expect(told).toEqual([]);
  });
});

describe('the message to the owner', () => {
  it.each([
    [{ topUp: 'command' as const }, 'Add more with `npm run'],
    [{ topUp: new URL('https://voice.example.com/credits') }, 'Top up here: https://voice.example.com/credits'],
    [{}, 'Top up the speech service account'],
  ])('says where credits come from (%j)', async (options, words) => {
    await (await open(options)).spendTo(0);
    expect(told[0]).toContain(words);
    expect(told[0]).toContain('No credits are left');
  });
});

it.each([
  [
    { topUp: 'command' as const },
    'The credits that the bot counts for its voices run out: add more, as the README says',
  ],
  [{}, 'The account of the speech service runs out of credits: top it up'],
])('the log says whose credits run out (%j)', async (options, words) => {
  await (await open(options)).spendTo(0);
  expect(lines.map((line) => JSON.parse(line).msg)).toContain(words);
});

describe('a watched speech client', () => {
  it('tells the watch what is left after each text, and that a text found too little', async () => {
    const watch = await open();
    const answers: (() => Promise<unknown>)[] = [
      async () => ({ creditsRemaining: 500 }),
      async () => {
        throw new SpeechError({ kind: 'insufficient-credits', message: 'no' });
      },
      async () => {
        throw new SpeechError({ kind: 'unavailable', message: 'down' });
      },
    ];
    const speech = watched({ speak: () => answers.shift()?.(), billing } as unknown as SpeechClient, watch);
    account.left = 150;
    await speech.speak({} as never);
    expect(told).toEqual([]);
    await expect(speech.speak({} as never)).rejects.toMatchObject({ kind: 'insufficient-credits' });
    await watch.settled();
    expect(told[0]).toContain('Its account shows 150 credits');
    await expect(speech.speak({} as never)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(told).toHaveLength(1);
  });
});
