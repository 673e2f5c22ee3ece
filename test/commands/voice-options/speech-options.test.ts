import { describe, expect, it } from 'vitest';
import { withoutUsualFormat } from '../../../src/commands/voice-options/speech-options.ts';
import type { AudioFormat } from '../../../src/speech/interface/models.ts';
import { listedVoice } from '../../../src/speech/request.ts';

/** What is asked of the service of that format, with a voice of that model that makes these. */
function formatSent(model: string, formats: AudioFormat[], responseFormat: AudioFormat) {
  const voice = { id: 'id', name: 'aria', model, language: 'multiple', formats, supports_style: true };
  return withoutUsualFormat({ input: 'Hello', voice: listedVoice(voice), responseFormat }, voice).responseFormat;
}

describe('the format that is asked for', () => {
  it('is left out where the voice makes no other', () => {
    expect(formatSent('gpro', ['wav'], 'wav')).toBeUndefined();
    expect(formatSent('new', ['mp3'], 'mp3')).toBeUndefined();
  });

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
