import { describe, expect, it } from 'vitest';
import type { DiskCache } from '../../../src/services/synthesis/disk-cache.ts';
import { createCacheKey, createSoundStore } from '../../../src/services/synthesis/sound-store.ts';
import type { SpeechRequest } from '../../../src/speech/interface/schemas.ts';
import { silentLog } from '../../silent-log.ts';
import { asked, SOUND } from './synthesis-stage.ts';

it('sounds in memory take no more room than there is', () => {
  const store = createSoundStore({ memoryBytes: 4_000, disk: undefined, log: silentLog });
  for (const key of ['a', 'b', 'c', 'd']) store.keep(key, [Buffer.alloc(900)]);
  store.keep('huge', [Buffer.alloc(4_800)]);
  expect(['a', 'b', 'c', 'd', 'huge'].filter((key) => store.peek(key))).toEqual(['b', 'c', 'd']);
  expect(store.use().bytes).toBeLessThanOrEqual(4_000);
});

it('the use of the cache is counted by where the sound was', async () => {
  const kept = new Map<string, Uint8Array>();
  const disk: DiskCache = {
    get: async (key) => kept.get(key),
    set: (key, packed) => void kept.set(key, packed),
    delete: (key) => void kept.delete(key),
    close: async () => undefined,
  };
  const before = createSoundStore({ memoryBytes: 1_000_000, disk, log: silentLog });
  before.keep('hello', SOUND);
  const afterRestart = createSoundStore({ memoryBytes: 1_000_000, disk, log: silentLog });
  expect(afterRestart.peek('hello')).toBeUndefined();
  expect(await afterRestart.find('hello')).toEqual(SOUND);
  expect(afterRestart.peek('hello')).toEqual(SOUND);
  expect(await afterRestart.find('other')).toBeUndefined();
  const { bytes, ...counts } = afterRestart.use();
  expect(counts).toEqual({ memoryHits: 1, diskHits: 1, misses: 1 });
  expect(bytes).toBeGreaterThan(0);
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
