import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { StoreError } from '../../../src/errors/user-errors.ts';
import { openVoiceLoudness } from '../../../src/services/voices/voice-loudness.ts';
import { openMemoryStore } from '../storage/memory-store.ts';

const log = pino({ level: 'silent' });
const QUIET = { lufs: -26, seconds: 3 };

let kept: ReturnType<typeof openMemoryStore>;
beforeEach(() => {
  kept = openMemoryStore();
});
afterEach(() => kept.store.close());

/** Learning waits for no disk. */
const amyIsKept = () =>
  expect.poll(() => kept.store.table('voice-loudness', z.unknown()).keys(), { interval: 1 }).toEqual(['amy']);

test('a voice is as loud after a restart as before it', async () => {
  const before = await openVoiceLoudness({ store: kept.store, log });
  expect(before.get('amy')).toBe(0);
  before.learn('amy', QUIET);
  expect(before.get('amy')).toBe(8);
  await amyIsKept();

  const after = await openVoiceLoudness({ store: kept.store, log });
  expect(after.get('amy')).toBe(8);
  expect(after.get('brian')).toBe(0);
});

test('learning continues after a restart from the stored state', async () => {
  (await openVoiceLoudness({ store: kept.store, log })).learn('amy', { lufs: -26, seconds: 30 });
  await amyIsKept();
  const after = await openVoiceLoudness({ store: kept.store, log });
  after.learn('amy', { lufs: -20, seconds: 30 });
  expect(after.get('amy')).toBe(5);
});

test('a failing store prevents no speech', async () => {
  const down = () => Promise.reject(new StoreError('The store is down'));
  const failing = { table: () => ({ get: down, set: down, keys: down }) };
  const gains = await openVoiceLoudness({ store: failing as never, log });
  gains.learn('amy', QUIET);
  expect(gains.get('amy')).toBe(8);
});
