import { beforeEach, expect, it, vi } from 'vitest';
import { createVoiceCatalog } from '../../../src/services/voices/voice-catalog.ts';
import { inputLimit } from '../../../src/speech/interface/models.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { voiceOf } from '../../commands/scene.ts';
import { silentLog as log } from '../../silent-log.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 0 }));

/** A service whose answers the test decides. */
function service(hasEngines = false) {
  const state = { names: ['kore'], down: false, asked: 0, hasNoModels: false, modelsAsked: 0 };
  const catalog = createVoiceCatalog({
    log,
    hasEngines,
    speech: {
      async voices() {
        state.asked += 1;
        if (state.down) throw new Error('down');
        return { voices: state.names.map((name) => voiceOf(name)) };
      },
      async models() {
        state.modelsAsked += 1;
        if (state.down || state.hasNoModels) throw new Error('down');
        return { models: [{ id: 'gpro', max_input_length: 700 }] };
      },
    } as never,
  });
  const names = (list: { voices: readonly Voice[] } | undefined) => list?.voices.map(({ name }) => name);
  return { state, catalog, names };
}

it('asks once, however many wait, and knows without waiting from then on', async () => {
  const { state, catalog, names } = service();
  expect(catalog.known()).toBeUndefined();
  await Promise.all([catalog.list(), catalog.list(), catalog.refresh()]);
  expect(state.asked).toBe(1);
  expect(names(catalog.known())).toEqual(['kore']);
});

it('serves what it has while it refreshes in the background after the time to live', async () => {
  const { state, catalog, names } = service();
  await catalog.list();
  state.names = ['kore', 'puck'];
  vi.setSystemTime(10 * MINUTE_MS + 1);
  expect(names(catalog.known())).toEqual(['kore']);
  await expect.poll(() => names(catalog.known())).toEqual(['kore', 'puck']);
});

it('waits for a fresh one of a service at hand, which tells which voices can speak', async () => {
  const { state, catalog, names } = service(true);
  await catalog.list();
  state.names = ['kore', 'puck'];
  vi.setSystemTime(15_000);
  expect(names(await catalog.list())).toEqual(['kore']);
  vi.setSystemTime(15_001);
  expect(names(await catalog.list())).toEqual(['kore', 'puck']);
  state.down = true;
  vi.setSystemTime(45_000);
  expect(names(await catalog.list())).toEqual(['kore', 'puck']);
});

it('serves the old list when the service is down, and fails only while there is nothing to serve', async () => {
  const { state, catalog, names } = service();
  state.down = true;
  await expect(catalog.list()).rejects.toThrow('down');
  state.down = false;
  await catalog.list();
  state.down = true;
  vi.setSystemTime(50 * MINUTE_MS);
  expect(names(await catalog.list())).toEqual(['kore']);
  expect(names(await catalog.refresh())).toEqual(['kore']);
  expect(catalog.stale).toBe(true);
});

it('does not let mistyped names use up the rate limit', async () => {
  const { state, catalog } = service();
  await catalog.list();
  for (let typo = 0; typo < 20; typo += 1) await catalog.refresh();
  expect(state.asked).toBe(1);
  vi.setSystemTime(10_001);
  await catalog.refresh();
  expect(state.asked).toBe(2);
});

it('marks every voice whose name could also mean an earlier one, whatever it sounds like', async () => {
  const { state, catalog } = service();
  state.names = ['kore', 'puck', 'kore'];
  const { voices } = await catalog.list();
  expect(voices.map(({ isVariant }) => isVariant)).toEqual([undefined, undefined, true]);
});

it('asks for the models every ten minutes, however often it asks for the voices', async () => {
  const { state, catalog } = service(true);
  state.hasNoModels = true;
  for (let nowMs = 0; nowMs < 11 * MINUTE_MS; nowMs += 15_000) {
    vi.setSystemTime(nowMs);
    await catalog.refresh();
    state.hasNoModels = false;
  }
  expect(state.asked).toBe(44);
  // At the start, again as it failed, and ten minutes later.
  expect(state.modelsAsked).toBe(3);
  expect(inputLimit('gpro', (await catalog.list()).models)).toBe(700);
});
