import { describe, expect, it, vi } from 'vitest';
import { AudioError } from '../../../src/audio/clips/clip.ts';
import {
  createCacheKey,
  createPurchases,
  createSoundStore,
  type KeptPurchase,
} from '../../../src/services/synthesis/sound-store.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import type { SpeechRequest } from '../../../src/speech/interface/schemas.ts';
import { silentLog } from '../../silent-log.ts';
import { createMemoryRows } from '../storage/memory-rows.ts';
import { asked, CREDITS, SOUND, stage } from './synthesis-stage.ts';

it('sounds in memory take no more room than there is', () => {
  const store = createSoundStore({ memoryBytes: 4_000, disk: undefined, log: silentLog });
  for (const key of ['a', 'b', 'c', 'd']) store.keep(key, [Buffer.alloc(900)]);
  store.keep('huge', [Buffer.alloc(4_800)]);
  expect(['a', 'b', 'c', 'd', 'huge'].filter((key) => store.peek(key))).toEqual(['b', 'c', 'd']);
  const { bytes, ...counts } = store.use();
  expect(bytes).toBeLessThanOrEqual(4_000);
  expect(counts).toEqual({ memoryHits: 3, diskHits: 0, misses: 0 });
});

const keyOf = createCacheKey({ service: 'https://a.example', apiKey: 'one' });

describe('the name under which a sound is kept', () => {
  it('differs between services, accounts, texts, voices and all that shapes the sound', () => {
    const voice = { kind: 'id', voiceId: 'v', model: 'gpro' } as const;
    const shaped: readonly Partial<SpeechRequest>[] = [
      { voice },
      { voice: { ...voice, voiceId: 'w' } },
      { voice: { kind: 'name', voice: 'v', model: 'gpro' } },
      { voice, style: 'in a whisper' },
      { voice, seed: 1 },
      { voice, temperature: 0.5 },
      { voice, responseFormat: 'wav' },
      { voice: { ...voice, model: 'ext' }, speed: 1.2 },
    ];
    const keys = [
      ...shaped.map((more) => keyOf(asked('Hello', more))),
      keyOf(asked('Hello.')),
      createCacheKey({ service: 'https://b.example', apiKey: 'one' })(asked('Hello')),
      createCacheKey({ service: 'https://a.example', apiKey: 'two' })(asked('Hello')),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    const afterRestart = createCacheKey({ service: 'https://a.example', apiKey: 'one' });
    expect(afterRestart(asked('Hello', { voice }))).toBe(keys[0]);
  });

  it('differs by the language that a voice is told, where it can be told one', () => {
    const keyIn = (takesLanguage: boolean, language?: string) =>
      keyOf({ input: 'No', voice: { kind: 'id', voiceId: '1', ...(takesLanguage && { takesLanguage }) }, language });
    expect(new Set([keyIn(true), keyIn(true, 'es'), keyIn(true, 'de')]).size).toBe(3);
    expect(new Set([keyIn(true), keyIn(false), keyIn(false, 'es')]).size).toBe(1);
  });

  it('tells nothing of the text', () => {
    expect(keyOf(asked('A secret that nobody may read'))).toMatch(/^[\w-]{43}$/);
  });
});

/** One process of the bot after the other, over one store. */
function processes({ addressesLast = true } = {}) {
  const rows = createMemoryRows<KeptPurchase>();
  return (options: Parameters<typeof stage>[0] = {}) =>
    stage({ ...options, purchases: createPurchases({ rows, addressesLast }) });
}

/** The first process, which has been billed this. */
async function paidIn(start: ReturnType<typeof processes>, creditsUsed = CREDITS) {
  const first = start();
  await first.asks('alice');
  await first.pays({ creditsUsed });
}

describe('after the end of the process', () => {
  it('what was paid is fetched from where it is, and not paid again', async () => {
    const start = processes();
    await paidIn(start);

    const second = start();
    expect(await second.synthesizer.recall(asked('Hello'))).toMatchObject([
      { kind: 'at-hand', paid: { credits: CREDITS } },
    ]);
    const again = await second.asks('alice');
    await second.arrives();
    expect((await again.clip).packets).toHaveLength(SOUND.length);
    expect(second.fetched.map(({ url }) => url.pathname)).toEqual(['/1']);
    expect(second.billed).toEqual([]);
  });

  it.each([
    ['paid is not made again by itself', CREDITS, 'maybe-billed'],
    ['billed nothing is', 0, 'to-buy'],
  ])('where addresses end with the process, and it is not on disk, what was %s', async (_, creditsUsed, kind) => {
    const start = processes({ addressesLast: false });
    await paidIn(start, creditsUsed);

    expect(await start().synthesizer.recall(asked('Hello'))).toEqual([{ kind }]);
  });

  it('what was paid and cannot be fetched is not paid again before it is asked for once more', async () => {
    const start = processes();
    await paidIn(start);

    const second = start({
      fetching: (_url, count) => (count < 2 ? new AudioError('http-status', 'gone') : undefined),
    });
    await expect((await second.asks('alice')).clip).rejects.toThrow('gone');
    expect(second.billed).toEqual([]);
    await second.asks('alice');
    expect(second.billed).toHaveLength(1);
  });

  it('what was sent without an answer may be billed, and what was refused was not', async () => {
    const start = processes();
    const first = start();
    await first.asks('alice');
    expect(first.billed).toHaveLength(1);
    expect(await start().synthesizer.recall(asked('Hello'))).toEqual([{ kind: 'maybe-billed' }]);
    expect(await start().synthesizer.recall(asked('Another'))).toEqual([{ kind: 'to-buy' }]);

    const second = start();
    const refused = await second.asks('alice');
    second.billed[0]?.fail(new SpeechError({ kind: 'unavailable', message: 'no' }));
    await expect(refused.clip).rejects.toThrow('no');
    expect(await start().synthesizer.recall(asked('Hello'))).toEqual([{ kind: 'maybe-billed' }]);
  });
});

it('a request is sent once it is written down for the next process, and not at all where it cannot be', async () => {
  const rows = createMemoryRows<KeptPurchase>();
  const writing: (PromiseWithResolvers<void> & { readonly noted: unknown })[] = [];
  function written(): Promise<void> {
    const one = { ...Promise.withResolvers<void>(), noted: rows.entries().map(([, { value }]) => value) };
    writing.push(one);
    return one.promise;
  }
  const scene = stage({
    isPaced: true,
    purchases: createPurchases({ rows: { ...rows, written }, addressesLast: true }),
  });
  await scene.asks('alice');
  const isFree = vi.fn();
  const first = scene.billed[0]?.options.beforeAttempt?.().then(isFree);
  await scene.settled();
  expect(isFree).not.toHaveBeenCalled();
  expect(writing.map((one) => one.noted)).toEqual([[{}]]);
  writing[0]?.resolve();
  await first;
  const second = scene.billed[0]?.options.beforeAttempt?.();
  writing[1]?.reject(new Error('PostgreSQL is away'));
  await expect(second).rejects.toThrow('PostgreSQL is away');
});

it('all addresses that an earlier process paid for are known, until they are of no use, too old, or replaced', () => {
  const MINUTE_MS = 60_000;
  const address = 'http://speech.example/a.wav';
  const paid = { paid: { url: address, credits: 5, spokenBy: 'other' } };
  const rows = createMemoryRows<KeptPurchase>();
  for (let index = 0; index < 3_000; index++) rows.set(`1 key-${index}`, { value: paid, sinceMs: 1 });
  rows.set('1 sent', { value: {}, sinceMs: 1 });
  vi.useFakeTimers({ toFake: ['Date'], now: MINUTE_MS });
  const purchases = createPurchases({ rows, addressesLast: true });
  const known = { url: new URL(address), spokenBy: 'other', isEarlier: true };
  expect(purchases.of('key-0')).toMatchObject(known);
  expect(purchases.of('sent')).toBeUndefined();
  const own = { url: new URL('http://speech.example/b.wav'), spokenBy: undefined, credits: 5 };
  for (let index = 0; index < 600; index++) purchases.begin(`new-${index}`, {}).paid(own);
  purchases.begin('key-1', {}).paid(own);
  purchases.delete('key-2');
  expect(purchases.of('key-1')).toMatchObject({ ...own, isEarlier: false });
  expect(purchases.of('key-2')).toBeUndefined();
  expect(purchases.of('key-3')).toMatchObject(known);
  vi.setSystemTime(15 * MINUTE_MS + 2);
  expect(purchases.of('key-3')).toBeUndefined();
  expect(purchases.of('key-1')).toBeDefined();
});
