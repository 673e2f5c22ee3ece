import { describe, expect, it } from 'vitest';
import { createCachedClips } from '../../../src/services/synthesis/cached-clips.ts';
import type { DiskCache } from '../../../src/services/synthesis/disk-cache.ts';
import { asked, by, SOUND, silentLog, stage } from './synthesis-stage.ts';

describe('the use of the cache', () => {
  it('is counted by where the sound was', async () => {
    const kept = new Map<string, Uint8Array>();
    const disk: DiskCache = {
      get: async (key) => kept.get(key),
      set: (key, packed) => void kept.set(key, packed),
      delete: (key) => void kept.delete(key),
      close: async () => undefined,
    };
    const before = createCachedClips({ memoryBytes: 1_000_000, disk, log: silentLog });
    before.keep('hello', SOUND);
    const afterRestart = createCachedClips({ memoryBytes: 1_000_000, disk, log: silentLog });
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
      const clip = await scene.synthesiser.render(asked('Again.'), by('alice')).clip;
      await clip.done;
      await scene.settled();
    }
    expect(scene.cache.use()).toMatchObject({ memoryHits: 2, diskHits: 0, misses: 1 });
  });
});
