import { expect, it } from 'vitest';
import { completeVoice } from '../../../src/commands/voice-options/voice-option.ts';
import { DEFAULT_RULES } from '../../../src/services/servers/admission.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { callOf, voiceOf } from '../scene.ts';

function offered(voices: readonly Voice[], settings: () => Promise<object> = async () => ({})) {
  const services = {
    // A service that hangs while its list is made anew.
    voices: { known: () => ({ voices, models: [], fetchedAtMs: 0 }), list: () => new Promise(() => undefined) },
    settings: { get: settings, of: async () => DEFAULT_RULES },
    members: { get: async () => ({}) },
  };
  return completeVoice(callOf({ options: { getFocused: () => '' } }, services));
}

it('offers no voice whose id Discord would refuse together with all the others', async () => {
  const choices = await offered([voiceOf('aria'), voiceOf('x'.repeat(101)), voiceOf('y'.repeat(100))]);
  expect(choices.map(({ value }) => value)).toEqual(['aria', 'y'.repeat(100)]);
});

it('offers a voice whose name is too long for Discord by its id, which is understood', async () => {
  const [choice] = await offered([voiceOf('long', { name: `${'n'.repeat(99)}😀` })]);
  expect(choice?.name).toBe('long');
});

it('offers voices although neither the service nor the store answers', async () => {
  expect(await offered([voiceOf('aria')], () => Promise.reject(new Error('hung')))).toHaveLength(1);
});
