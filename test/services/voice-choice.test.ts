import { describe, expect, it } from 'vitest';
import type { Voice } from '../../src/services/speech/interface/schemas.ts';
import { chooseVoice, offerVoices } from '../../src/services/voice-choice.ts';

function voice(id: string, name: string, model: string, language = 'multiple'): Voice {
  return { id, name, model, language, formats: ['wav'], supports_style: false };
}

const VOICES = [
  voice('1', 'kore', 'gpro'),
  voice('2', 'kore', 'gpro31'),
  voice('3', 'ara', 'ext'),
  voice('4', 'tara', 'orpheus', 'en-US 🇺🇸'),
  voice('5', 'puck', 'gpro'),
];
const ids = (voices: readonly Voice[]) => voices.map(({ id }) => id).join('');

describe('choosing a voice', () => {
  it('takes the id of a suggestion', () => {
    expect(chooseVoice(VOICES, { asked: '2' })).toEqual({ kind: 'chosen', voice: VOICES[1] });
  });

  it.each(['puck', 'PUCK', ' puck '])('takes a name that is typed out (%j)', (asked) => {
    expect(chooseVoice(VOICES, { asked })).toMatchObject({ kind: 'chosen', voice: { id: '5' } });
  });

  it('does not guess between models that share a name', () => {
    expect(chooseVoice(VOICES, { asked: 'kore' })).toMatchObject({
      kind: 'ambiguous',
      candidates: [{ id: '1' }, { id: '2' }],
    });
    for (const asked of ['kore gpro31', 'kore (gpro31)', 'gpro31/kore']) {
      expect(chooseVoice(VOICES, { asked })).toMatchObject({ kind: 'chosen', voice: { id: '2' } });
    }
  });

  it('lets the server’s default decide between models that share a name', () => {
    const serverDefault = { voiceId: '5', name: 'puck', model: 'gpro' };
    expect(chooseVoice(VOICES, { asked: 'kore', serverDefault })).toMatchObject({ kind: 'chosen', voice: { id: '1' } });
  });

  it('suggests what comes near when nothing has that name', () => {
    expect(chooseVoice(VOICES, { asked: 'tar' })).toMatchObject({ kind: 'unknown', suggestions: [{ id: '4' }] });
    expect(chooseVoice(VOICES, { asked: 'zzz' })).toMatchObject({ kind: 'unknown', suggestions: [] });
  });

  it('falls back from the server’s default to the first of the list, and says when the default is gone', () => {
    const serverDefault = { voiceId: '3', name: 'ara', model: 'ext' };
    expect(chooseVoice(VOICES, {})).toMatchObject({ voice: { id: '1' } });
    expect(chooseVoice(VOICES, { serverDefault })).toEqual({ kind: 'chosen', voice: VOICES[2] });
    expect(chooseVoice(VOICES.slice(0, 2), { serverDefault })).toMatchObject({
      voice: { id: '1' },
      vanished: serverDefault,
    });
  });

  it('says when there are no voices at all', () => {
    expect(chooseVoice([], { asked: 'kore' })).toEqual({ kind: 'no-voices' });
  });
});

it('offers the server’s default first while nothing is typed', () => {
  const serverDefault = { voiceId: '4', name: 'tara', model: 'orpheus' };
  expect(ids(offerVoices(VOICES, '', serverDefault))).toMatch(/^4/);
  expect(offerVoices(VOICES, '', serverDefault)).toHaveLength(VOICES.length);
  expect(ids(offerVoices(VOICES, 'kore', serverDefault))).toBe('12');
});

it('offers at most the 25 that Discord shows', () => {
  const many = Array.from({ length: 3000 }, (_, index) => voice(String(index), `voice-${index}`, 'gpro'));
  expect(offerVoices(many, '', { voiceId: '2999', name: 'voice-2999', model: 'gpro' })).toHaveLength(25);
});
