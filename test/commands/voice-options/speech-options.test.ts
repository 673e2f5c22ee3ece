import { describe, expect, it } from 'vitest';
import { mustBeAcceptable, withoutUsualFormat } from '../../../src/commands/voice-options/voice-option.ts';
import type { AudioFormat } from '../../../src/speech/interface/models.ts';
import { listedVoice } from '../../../src/speech/interface/schemas.ts';
import { refusalOf, voiceOf } from '../scene.ts';

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

describe('the format that is asked for', () => {
  it('is left out where its family makes that one when none is named', () => {
    expect(formatSent('ext', ['mp3', 'wav'], 'mp3')).toBeUndefined();
    expect(formatSent('orpheus', [], 'mp3')).toBeUndefined();
  });

  it('is sent where the service might make another', () => {
    expect(formatSent('ext', ['mp3', 'wav'], 'wav')).toBe('wav');
    expect(formatSent('ext', ['wav'], 'wav')).toBe('wav');
    // A family that nothing is known of.
    expect(formatSent('new', ['mp3', 'wav'], 'mp3')).toBe('mp3');
    expect(formatSent('new', [], 'mp3')).toBe('mp3');
    // More than its family is known for.
    expect(formatSent('gpro', ['mp3', 'wav'], 'wav')).toBe('wav');
  });
});
