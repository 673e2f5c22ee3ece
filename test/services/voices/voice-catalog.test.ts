import { expect, it } from 'vitest';
import { createVoiceCatalog, voiceInputLimit } from '../../../src/services/voices/voice-catalog.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { silentLog as log } from '../../silent-log.ts';

const MINUTE_MS = 60_000;

function voice(name: string): Voice {
  return { id: name, name, model: 'gpro', language: 'multiple', formats: ['wav'], supports_style: true };
}

/** A service whose answers the test decides, and a clock it moves. */
function service(more: { readonly waitsForFresh?: boolean } = {}) {
  const state = { names: ['kore'], down: false, asked: 0, nowMs: 0 };
  const catalog = createVoiceCatalog({
    log,
    ttlMs: 1000,
    minRefreshMs: 100,
    ...more,
    now: () => state.nowMs,
    speech: {
      async voices() {
        state.asked += 1;
        if (state.down) throw new Error('down');
        return { voices: state.names.map(voice) };
      },
      async models() {
        if (state.down) throw new Error('down');
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
  state.nowMs = 1001;
  expect(names(catalog.known())).toEqual(['kore']);
  await expect.poll(() => names(catalog.known())).toEqual(['kore', 'puck']);
});

it('waits for a fresh one of a service at hand, which tells which voices can speak', async () => {
  const { state, catalog, names } = service({ waitsForFresh: true });
  await catalog.list();
  state.names = ['kore', 'puck'];
  state.nowMs = 1000;
  expect(names(await catalog.list())).toEqual(['kore']);
  state.nowMs = 1001;
  expect(names(await catalog.list())).toEqual(['kore', 'puck']);
  state.down = true;
  state.nowMs = 3000;
  expect(names(await catalog.list())).toEqual(['kore', 'puck']);
});

it('serves the old list when the service is down, and fails only while there is nothing to serve', async () => {
  const { state, catalog, names } = service();
  state.down = true;
  await expect(catalog.list()).rejects.toThrow('down');
  state.down = false;
  await catalog.list();
  state.down = true;
  state.nowMs = 5000;
  expect(names(await catalog.list())).toEqual(['kore']);
  expect(names(await catalog.refresh())).toEqual(['kore']);
  expect(catalog.stale).toBe(true);
});

it('does not let mistyped names use up the rate limit', async () => {
  const { state, catalog } = service();
  await catalog.list();
  for (let typo = 0; typo < 20; typo += 1) await catalog.refresh();
  expect(state.asked).toBe(1);
  state.nowMs = 101;
  await catalog.refresh();
  expect(state.asked).toBe(2);
});

it('lets one caller give up without taking the answer from the others', async () => {
  const { catalog, names } = service();
  const giveUp = new AbortController();
  const one = catalog.list({ signal: giveUp.signal });
  const other = catalog.list();
  giveUp.abort(new Error('enough'));
  await expect(one).rejects.toThrow('enough');
  expect(names(await other)).toEqual(['kore']);
});

it('marks every voice whose name could also mean an earlier one, whatever it sounds like', async () => {
  const { state, catalog } = service();
  state.names = ['kore', 'puck', 'kore'];
  const { voices } = await catalog.list();
  expect(voices.map(({ isVariant }) => isVariant)).toEqual([undefined, undefined, true]);
});

it('asks for the models every ten minutes, however often it asks for the voices', async () => {
  let [nowMs, voicesAsked, modelsAsked] = [0, 0, 0];
  const catalog = createVoiceCatalog({
    log,
    ttlMs: 15_000,
    now: () => nowMs,
    speech: {
      voices: async () => {
        voicesAsked += 1;
        return { voices: [voice('kore')] };
      },
      models: async () => {
        modelsAsked += 1;
        if (modelsAsked === 1) throw new Error('not yet');
        return { models: [{ id: 'gpro', max_input_length: 700 }] };
      },
    } as never,
  });
  for (; nowMs < 11 * MINUTE_MS; nowMs += 15_000) await catalog.refresh();
  expect(voicesAsked).toBe(44);
  // At the start, again as it failed, and ten minutes later.
  expect(modelsAsked).toBe(3);
  expect(voiceInputLimit(await catalog.list(), { model: 'gpro' })).toBe(700);
});
