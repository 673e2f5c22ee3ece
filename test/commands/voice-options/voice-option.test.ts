import { expect, it } from 'vitest';
import {
  completeVoice,
  mustBeAcceptable,
  withoutUsualFormat,
} from '../../../src/commands/voice-options/voice-option.ts';
import { DEFAULT_RULES } from '../../../src/services/servers/admission.ts';
import type { AudioFormat } from '../../../src/speech/interface/models.ts';
import { listedVoice, type Voice } from '../../../src/speech/interface/schemas.ts';
import { callOf, refusalOf, voiceOf } from '../scene.ts';

function offered(voices: readonly Voice[], settings: () => Promise<object> = async () => ({})) {
  const services = {
    // A service that hangs while its list is made anew.
    voices: { known: () => ({ voices, models: [], fetchedAtMs: 0 }), list: () => new Promise(() => undefined) },
    settings: { get: settings, of: async () => DEFAULT_RULES },
    members: { get: async () => ({}) },
  };
  return completeVoice(callOf({ options: { getFocused: () => '' } }, services));
}

it('offers what Discord takes: no voice with too long an id, and one with too long a name by its id', async () => {
  const long = voiceOf('long', { name: `${'n'.repeat(99)}😀` });
  const choices = await offered([voiceOf('aria'), voiceOf('x'.repeat(101)), voiceOf('y'.repeat(100)), long]);
  expect(choices.map(({ value }) => value).sort()).toEqual(['aria', 'long', 'y'.repeat(100)]);
  expect(choices.find(({ value }) => value === 'long')?.name).toBe('long');
});

it('offers voices although neither the service nor the store answers', async () => {
  expect(await offered([voiceOf('aria')], () => Promise.reject(new Error('hung')))).toHaveLength(1);
});

/** What is asked of the service of that format, with a voice of that model that makes these. */
function formatSent(model: string, formats: AudioFormat[], responseFormat: AudioFormat) {
  const voice = voiceOf('aria', { model, formats });
  return withoutUsualFormat({ input: 'Hello', voice: listedVoice(voice), responseFormat }, voice).responseFormat;
}

it('a format that the voice does not make is refused with the models whose voices make it', async () => {
  const speaking = (model: string, formats: AudioFormat[]) => voiceOf('aria', { id: model, model, formats });
  const gpro = speaking('gpro', ['wav']);
  const others = [speaking('orpheus', ['mp3']), speaking('ext', ['wav', 'mp3']), speaking('ext', ['mp3'])];
  const request = { input: 'Hello', voice: listedVoice(gpro), responseFormat: 'mp3' } as const;
  expect(await refusalOf(() => mustBeAcceptable(request, gpro, [gpro, ...others]))).toBe(
    'aria (gpro) only supports wav. Leave out the format option, or choose a voice of orpheus or ext for mp3.',
  );
});

it('the format that is asked for is left out where the voice’s family makes it anyway, and sent otherwise', () => {
  expect(formatSent('ext', ['mp3', 'wav'], 'mp3')).toBeUndefined();
  expect(formatSent('orpheus', [], 'mp3')).toBeUndefined();
  expect(formatSent('ext', ['mp3', 'wav'], 'wav')).toBe('wav');
  expect(formatSent('ext', ['wav'], 'wav')).toBe('wav');
  // A family that nothing is known of.
  expect(formatSent('new', ['mp3', 'wav'], 'mp3')).toBe('mp3');
  expect(formatSent('new', [], 'mp3')).toBe('mp3');
  // More than its family is known for.
  expect(formatSent('gpro', ['mp3', 'wav'], 'wav')).toBe('wav');
});
