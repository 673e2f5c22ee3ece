import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createAccountWatch } from '../../../src/services/spending/balance-watch.ts';
import type { Store } from '../../../src/services/storage/store.ts';
import type { SpeechClient, SpeechResult } from '../../../src/speech/client/client.ts';
import { SpeechError, type SpeechErrorKind } from '../../../src/speech/errors.ts';
import { render, type Text } from '../../../src/texts/catalog.ts';
import { writtenLog } from '../../silent-log.ts';
import { openMemoryStore } from '../storage/memory-store.ts';

let store: Store;
let account: { left: number; fails?: SpeechErrorKind };
let told: string[];
beforeEach(() => {
  ({ store } = openMemoryStore());
  account = { left: 1000 };
  vi.useFakeTimers({ toFake: ['Date'] });
  told = [];
});

const speech: Partial<SpeechClient> = {
  async speak() {
    if (account.fails) throw new SpeechError({ kind: account.fails, message: 'no' });
    return { creditsRemaining: account.left } as SpeechResult;
  },
  async billing() {
    if (account.fails) throw new SpeechError({ kind: account.fails, message: 'down' });
    return { creditsLeft: account.left } as never;
  },
};

/** A watch, and what it does with a balance once it has dealt with it. */
function open() {
  const { log, lines } = writtenLog('warn');
  const watch = createAccountWatch({
    speech: speech as SpeechClient,
    warnBelow: 100,
    topUp: undefined,
    isFree: false,
    store,
    notify: async (message: Text) => void told.push(render(message)),
    log,
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ...watch,
    lines,
    async spendTo(...credits: readonly number[]) {
      for (const left of credits) {
        account = { left };
        await watch.speech.speak({} as never);
      }
      await settled();
    },
    async fail(kind: SpeechErrorKind) {
      account.fails = kind;
      await expect(watch.speech.speak({} as never)).rejects.toMatchObject({ kind });
      await settled();
    },
  };
}

describe('a balance that falls below the threshold', () => {
  it('is told once a day, however many answers say so at once, and whatever they say afterwards', async () => {
    const watch = open();
    await watch.spendTo(100);
    expect(told).toEqual([]);
    await watch.spendTo(99, 50, 1, 120, 90);
    await watch.fail('insufficient-credits');
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('Only 99 credits are left');
    expect(watch.lines).toMatchObject([{ level: 40, msg: expect.stringContaining('top it up') }]);
    vi.advanceTimersByTime(24 * 3_600_000);
    await watch.spendTo(500);
    expect(told).toHaveLength(1);
    await watch.spendTo(20);
    expect(told).toHaveLength(2);
  });

  it('is told once by several processes, and not again after a restart', async () => {
    for (const watch of [open(), open()]) await watch.spendTo(50);
    expect(told).toHaveLength(1);
  });

  it('is noticed at the start when it fell meanwhile', async () => {
    account.left = 3;
    await open().check();
    expect(told).toHaveLength(1);
    account.fails = 'unavailable';
    await expect(open().check()).rejects.toThrow(SpeechError);
  });
});
