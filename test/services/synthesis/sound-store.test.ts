import { describe, expect, it } from 'vitest';
import type { DiskCache } from '../../../src/services/synthesis/disk-cache.ts';
import { createCacheKey, createSoundStore } from '../../../src/services/synthesis/sound-store.ts';
import type { SpeechRequest } from '../../../src/speech/request.ts';
import { asked, by, SOUND, silentLog, stage } from './synthesis-stage.ts';

describe('sounds in memory', () => {
  const bytes = (count: number) => [Buffer.alloc(count)];

  it('make room for new ones in the order in which they were used last, and none for one that does not fit at all', () => {
    const store = createSoundStore({ memoryBytes: 4_000, log: silentLog });
    for (const key of ['a', 'b', 'c']) store.keep(key, bytes(900));
    store.peek('a');
    store.keep('d', bytes(900));
    store.keep(
      'huge',
      Array.from({ length: 4 }, () => Buffer.alloc(1_200)),
    );
    expect(['a', 'b', 'c', 'd', 'huge'].map((key) => store.peek(key) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(store.use().bytes).toBeLessThanOrEqual(4_000);
  });

  it('are none where there is no room', () => {
    const store = createSoundStore({ memoryBytes: 0, log: silentLog });
    store.keep('a', bytes(1));
    expect([store.peek('a'), store.use().bytes]).toEqual([undefined, 0]);
  });
});

describe('the use of the cache', () => {
  it('is counted by where the sound was', async () => {
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

  it('is one a text that is spoken', async () => {
    const scene = stage({ isAutomatic: true });
    for (let time = 0; time < 3; time++) {
      const clip = await scene.synthesizer.render(asked('Again.'), by('alice')).clip;
      await clip.done;
      await scene.settled();
    }
    expect(scene.store.use()).toMatchObject({ memoryHits: 2, diskHits: 0, misses: 1 });
  });
});

const keyOf = createCacheKey({ service: 'https://a.example', apiKey: 'one' });

describe('the name under which a sound is kept', () => {
  it('is the same for the same request and after a restart', () => {
    const again = createCacheKey({ service: 'https://a.example', apiKey: 'one' });
    expect(again(asked('Hello'))).toBe(keyOf(asked('Hello')));
  });

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
