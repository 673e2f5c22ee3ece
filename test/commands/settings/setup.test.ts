import { expect, it } from 'vitest';
import { setup } from '../../../src/commands/settings/setup.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { render } from '../../../src/texts/catalog.ts';
import { callOf, controlOf, replyOf, voiceOf } from '../scene.ts';

const STEP = controlOf(setup, 'setup-step');

it('the set-up goes on without the voices while the speech service does not answer', async () => {
  const services = {
    localVoice: false,
    settings: { get: async () => ({}) },
    spending: { ownerLimits: { total: 3, perServer: 2, perMember: 1 } },
    voices: {
      list: async () => {
        throw new SpeechError({ kind: 'unavailable', message: 'out of order' });
      },
    },
  };
  const { panel = [] } = await replyOf(setup, callOf({}, services));
  const words = panel.flatMap((part) => (part.kind === 'text' ? part.lines.map((line) => render(line)) : []));
  expect(words.join('\n')).toContain('The speech service is busy or down');
  expect(JSON.stringify(panel)).toContain('"argument":"reading"');
  expect(JSON.stringify(panel)).toContain('"argument":"language setup"');
});

it('the set-up refuses a voice that the server no longer allows', async () => {
  const voices = [voiceOf('aria'), voiceOf('rex', { model: 'ext' })];
  const services = {
    settings: {
      get: async () => ({}),
      change: async (_: unknown, edit: (before: object) => object) => edit({ allowedModels: ['gpro'] }),
    },
    voices: { list: async () => ({ voices, models: [], fetchedAtMs: 0 }) },
  };
  const chosen = replyOf(controlOf(setup, 'setup-voice'), callOf({}, services, { values: ['rex'] }));
  await expect(chosen).rejects.toMatchObject({ text: { key: 'refused.voice-not-allowed' } });
});

it('the set-up offers channels to read aloud', async () => {
  const services = {
    settings: { get: async () => ({}) },
    reading: { isOn: true, problem: () => undefined },
    spending: { ownerLimits: {} },
  };
  const step = JSON.stringify((await replyOf(STEP, callOf({}, services, { argument: 'reading' }))).panel);
  expect(step).toContain('"argument":"autoReadChannels setup"');
  expect(step).toContain('"argument":"autoReadOnlyInVoice off setup"');
});

it.each([
  [true, 'Characters are counted per day', /credits/i],
  [false, 'Credits are counted per day', /characters per day/i],
])('the step of limits counts characters if the voice is free: %s', async (localVoice, counted, never) => {
  const services = {
    localVoice,
    settings: { get: async () => ({ creditsPerMember: 5 }) },
    spending: { ownerLimits: { total: Infinity, perServer: Infinity, perMember: 700 } },
  };
  const shown = async (argument: string) => {
    const { panel = [] } = await replyOf(STEP, callOf({}, services, { argument }));
    const lines = panel.flatMap((part) => ('lines' in part ? part.lines : 'line' in part ? [part.line] : []));
    return lines.map((line) => render(line)).join('\n');
  };
  expect(await shown('limits')).toContain(counted);
  expect(`${await shown('limits')} ${await shown('summary')}`).not.toMatch(never);
});
