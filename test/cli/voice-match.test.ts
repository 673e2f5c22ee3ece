import { describe, expect, test, vi } from 'vitest';
import { inItsCase, type MatchedVoice, matchVoice, namedVoice } from '../../src/cli/speech/voice-match.ts';
import type { SpeechClient } from '../../src/speech/client/client.ts';
import type { Voice } from '../../src/speech/interface/schemas.ts';

const wish = { format: undefined, style: undefined, text: 'Hello', signal: new AbortController().signal };
const named = { id: 'id-1', name: 'ash', model: 'gpro' };
const listed = { ...named, language: 'en', formats: ['wav', 'mp3'], supports_style: true };

function serviceWith(...voices: Voice[]) {
  const list = vi.fn(async () => ({ voices }));
  return { list, client: { voices: list } as unknown as SpeechClient };
}

test('a voice named in full is looked up only for a format that its model is not known to make', async () => {
  const { client, list } = serviceWith(listed);
  const flags = { voice: 'ash', modelId: 'gpro' };
  const byName = { kind: 'name', voice: 'ash', model: 'gpro' };
  expect(await matchVoice(client, flags, { ...wish, format: 'wav' })).toMatchObject({ selection: byName });
  expect(list).not.toHaveBeenCalled();
  expect(await matchVoice(client, flags, { ...wish, format: 'mp3' })).toMatchObject({
    selection: { kind: 'id', voiceId: 'id-1', formats: ['wav', 'mp3'] },
  });
  const other = serviceWith({ ...listed, model: 'ext' });
  expect(await matchVoice(other.client, flags, { ...wish, format: 'mp3' })).toMatchObject({ selection: byName });
});

test('a voice named in full is looked up where the list may say that it takes no style', async () => {
  const other = { ...listed, id: 'id-2', name: 'adam', model: 'dear' };
  const nova = { ...listed, id: 'id-3', name: 'nova', model: 'cloud', supports_style: false };
  const { client, list } = serviceWith({ ...listed, supports_style: false }, other, nova);
  const ash = { voice: 'ash', modelId: 'gpro' };
  expect(await matchVoice(client, ash, { ...wish, style: '' })).not.toHaveProperty('selection.ignoresStyle');
  expect(list).not.toHaveBeenCalled();
  expect(await matchVoice(client, ash, { ...wish, style: 'slow' })).toMatchObject({
    selection: { ignoresStyle: true },
  });
  expect(await matchVoice(client, { voice: 'nova', modelId: 'cloud' }, wish)).toMatchObject({
    name: 'nova',
    selection: { kind: 'id', voiceId: 'id-3', ignoresStyle: true },
  });
  const silent = { voices: () => Promise.reject(new Error('503')) } as unknown as SpeechClient;
  expect(await matchVoice(silent, { voice: 'nova', modelId: 'cloud' }, wish)).toMatchObject({ name: 'nova' });
});

test('a model is meant in any case, also one that only the service knows', async () => {
  const { client } = serviceWith(listed, { ...listed, id: 'id-2', model: 'Piper' });
  expect(await matchVoice(client, { voice: 'ash', modelId: 'GPRO' }, wish)).toMatchObject({ model: 'gpro' });
  expect(await matchVoice(client, { modelId: 'piper' }, wish)).toMatchObject({ name: 'ash', model: 'Piper' });
});

test('a name is meant in another case only where one voice alone has it', () => {
  const named = (voice: string) => namedVoice({ voice, modelId: 'gpro' });
  const both = [listed, { ...listed, id: 'id-2', name: 'Ash' }];
  const meant = (voice: string, voices: Voice[]) => inItsCase(named(voice) as MatchedVoice, voices)?.selection;
  expect(meant('ASH', [listed, { ...listed, model: 'ext' }])).toMatchObject({ kind: 'id', voiceId: 'id-1' });
  expect(meant('ASH', both)).toBeUndefined();
});

describe('a text in letters that the voice does not read', () => {
  const japanese = { ...wish, text: 'こんにちは、世界' };

  test('is refused before it is paid, if the list is read anyway', async () => {
    const { client, list } = serviceWith({ ...listed, supports_style: false });
    const refusal = {
      exitCode: 2,
      message: 'ash (gpro) cannot read the letters of this text; nothing was spent.',
    };
    await expect(matchVoice(client, { voice: 'ash' }, japanese)).rejects.toMatchObject(refusal);
    const inFull = { voice: 'ash', modelId: 'gpro' };
    await expect(matchVoice(client, inFull, { ...japanese, style: 'slow' })).rejects.toMatchObject(refusal);
    expect(list).toHaveBeenCalledTimes(2);
    expect(await matchVoice(client, inFull, japanese)).toMatchObject({ name: 'ash' });
    expect(list).toHaveBeenCalledTimes(2);
  });

  test.each<[why: string, voice: Voice, text?: string]>([
    ['the list names no language', { ...listed, language: 'multiple' }],
    ['a language of it is not known here', { ...listed, languages: ['en', 'ain'] }],
    ['it speaks the language by a longer tag', { ...listed, languages: ['en-GB', 'ja-JP'] }],
    ['they are a few words of many', listed, 'They say привет or здравствуйте to each other.'],
  ])('is spoken where %s', async (_why, voice, text = japanese.text) => {
    const { client } = serviceWith(voice);
    expect(await matchVoice(client, { voice: 'ash' }, { ...wish, text })).toMatchObject({ name: 'ash' });
  });
});
