import type { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { AudioError } from '../../../src/audio/audio-error.ts';
import { openUnspokenFile } from '../../../src/services/storage/unspoken-file.ts';
import { createValueCipher } from '../../../src/services/storage/value-cipher.ts';
import type { PurchaseRecords } from '../../../src/services/synthesis/buying.ts';
import { cacheSecret } from '../../../src/services/synthesis/cache-key.ts';
import { createPurchaseJournal } from '../../../src/services/synthesis/purchase-journal.ts';
import { asked, by, CREDITS, SOUND, silentLog, stage } from './synthesis-stage.ts';

const seal = createValueCipher(cacheSecret({ service: 'https://speech.example.com', apiKey: 'key' }));

/** One process of the bot after the other, over one file. */
function processes(kept: Pick<PurchaseRecords, 'addressesLast'> = {}) {
  const database: DatabaseSync = openUnspokenFile(':memory:');
  return (options: Parameters<typeof stage>[0] = {}) => {
    const journal = createPurchaseJournal({ database, seal, log: silentLog });
    const records: PurchaseRecords = { ...kept, earlier: journal.earlier, of: () => journal };
    return stage({ ...options, journal: records });
  };
}

const render = (scene: ReturnType<typeof stage>) => {
  const synthesis = scene.synthesiser.render(asked('Hello'), by('alice'));
  synthesis.clip.catch(() => undefined);
  return synthesis;
};

describe('after the end of the process', () => {
  it('what was paid is fetched from where it is, and not paid again', async () => {
    const start = processes();
    const first = start();
    render(first);
    await first.settled();
    first.billed[0]?.answer();
    await first.settled();

    const second = start();
    expect(await second.synthesiser.recall(asked('Hello'))).toMatchObject([
      { kind: 'at-hand', paid: { credits: CREDITS } },
    ]);
    const again = render(second);
    await second.settled();
    second.fill((second.fetched[0] as (typeof second.fetched)[0]).writer);
    expect((await again.clip).packets).toHaveLength(SOUND.length);
    expect(second.fetched.map(({ url }) => url.pathname)).toEqual(['/1']);
    expect(second.billed).toEqual([]);
  });

  it('what was paid where addresses end with the process, and is not on disk, is not made again by itself', async () => {
    const start = processes({ addressesLast: false });
    const first = start();
    render(first);
    await first.settled();
    first.billed[0]?.answer();
    await first.settled();

    expect(await start().synthesiser.recall(asked('Hello'))).toEqual([{ kind: 'maybe-billed' }]);
  });

  it('what was billed nothing is made again, where it is not on disk', async () => {
    const start = processes({ addressesLast: false });
    const first = start();
    render(first);
    await first.settled();
    first.billed[0]?.answer({ creditsUsed: 0 });
    await first.settled();

    expect(await start().synthesiser.recall(asked('Hello'))).toEqual([{ kind: 'to-buy' }]);
  });

  it('what was paid and cannot be fetched is not paid again before it is asked for once more', async () => {
    const start = processes();
    const first = start();
    render(first);
    await first.settled();
    first.billed[0]?.answer();
    await first.settled();

    const second = start({
      fetching: (_url, count) => (count < 2 ? new AudioError('http-status', 'gone') : undefined),
    });
    await expect(render(second).clip).rejects.toThrow('gone');
    expect(second.billed).toEqual([]);
    render(second);
    await second.settled();
    expect(second.billed).toHaveLength(1);
  });

  it('what was sent without an answer may be billed, and what was refused was not', async () => {
    const start = processes();
    const first = start();
    render(first);
    await first.settled();
    expect(first.billed).toHaveLength(1);
    expect(await start().synthesiser.recall(asked('Hello'))).toEqual([{ kind: 'maybe-billed' }]);
    expect(await start().synthesiser.recall(asked('Another'))).toEqual([{ kind: 'to-buy' }]);
  });
});

describe('where a successor has no file of this process', () => {
  it('a request is sent once it is written down for that one, and not at all where it cannot be', async () => {
    const database = openUnspokenFile(':memory:');
    const journal = createPurchaseJournal({ database, seal, log: silentLog });
    const noted = () => database.prepare('SELECT paid FROM purchases').all();
    const writing: (PromiseWithResolvers<void> & { readonly noted: unknown })[] = [];
    function written(): Promise<void> {
      const one = { ...Promise.withResolvers<void>(), noted: noted() };
      writing.push(one);
      return one.promise;
    }
    const scene = stage({ isPaced: true, journal: { earlier: new Map(), of: () => ({ ...journal, written }) } });
    render(scene);
    await scene.settled();
    let isFree = false;
    const first = scene.billed[0]?.beforeAttempt?.().then(() => {
      isFree = true;
    });
    await scene.settled();
    expect([isFree, writing.map((one) => one.noted)]).toEqual([false, [[{ paid: null }]]]);
    writing[0]?.resolve();
    await first;
    const second = scene.billed[0]?.beforeAttempt?.();
    writing[1]?.reject(new Error('PostgreSQL is away'));
    await expect(second).rejects.toThrow('PostgreSQL is away');
  });
});
