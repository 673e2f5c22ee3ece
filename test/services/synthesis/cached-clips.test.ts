import { describe, expect, it } from 'vitest';
import { createCachedClips } from '../../../src/services/synthesis/cached-clips.ts';
import type { DiskCache } from '../../../src/services/synthesis/disk-cache.ts';
import type { SharedSound } from '../../../src/services/synthesis/shared-sound.ts';
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
    expect(counts).toEqual({ memoryHits: 1, diskHits: 1, sharedHits: 0, misses: 1 });
    expect(bytes).toBeGreaterThan(0);
  });

  it('asks other processes last, for nothing that is in memory or on disk, and does not keep it for longer', async () => {
    const [onDisk, atOthers] = [new Map<string, Uint8Array>(), new Map<string, Uint8Array>()];
    const asked: string[] = [];
    const disk: DiskCache = {
      get: async (key) => onDisk.get(key),
      set: (key, packed) => void onDisk.set(key, packed),
      delete: (key) => void onDisk.delete(key),
      close: async () => undefined,
    };
    const shared: SharedSound = {
      isReachable: () => true,
      get: async (key) => {
        asked.push(key);
        return atOthers.get(key);
      },
      set: (key, packed) => void atOthers.set(key, packed),
      close: async () => undefined,
    };
    const open = () => createCachedClips({ memoryBytes: 1_000_000, disk, shared, log: silentLog });
    open().keep('own', SOUND);
    open().keep('theirs', SOUND);
    onDisk.delete('theirs');
    const cache = open();
    expect(await cache.find('own')).toEqual(SOUND);
    expect(asked).toEqual([]);
    expect(await cache.isKept('theirs')).toBe(true);
    expect(await cache.find('theirs')).toEqual(SOUND);
    expect(cache.peek('theirs')).toEqual(SOUND);
    expect([...onDisk.keys()]).toEqual(['own']);
    atOthers.set('broken', Buffer.from('no clip at all'));
    expect(await cache.find('broken')).toBeUndefined();
    expect(cache.use()).toMatchObject({ memoryHits: 1, diskHits: 1, sharedHits: 1, misses: 1 });
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
