import { expect, test } from 'vitest';
import { listedVoices } from '../../../src/speech-service/synthesis/listed-voices.ts';

test.each([
  ['names', ['af_heart', 'anna'], ['af_heart', 'anna']],
  ['ids beside names for people', { voices: [{ id: 'af', name: 'Heart' }, { voice_id: 'x1' }] }, ['af', 'x1']],
  ['names under other keys', { voices: [{ voice: 'anna' }, { ShortName: 'en-US-Ava' }] }, ['anna', 'en-US-Ava']],
  ['data', { object: 'list', data: [{ id: 'anna' }] }, ['anna']],
  ['facts by name', { voices: { anna: { gender: 'f' }, otto: {} } }, ['anna', 'otto']],
  ['lists by language', { voices: { en: ['anna'], de: [{ id: 'otto' }] } }, ['anna', 'otto']],
  ['odd entries, which are left out', { voices: [null, 7, '', {}, ['x'], { name: 4 }, 'anna'] }, ['anna']],
])('a list of voices has %s', (_, answer, names) => {
  expect(listedVoices(JSON.stringify(answer))?.map(({ name }) => name)).toEqual(names);
});

test('languages are read as far as they are words', () => {
  const list = [
    { name: 'a', language: 'en' },
    { name: 'b', languages: ['en', 5, 'de'] },
    { name: 'd', locale: 'pt-BR' },
    { name: 'e', language: null },
  ];
  const voices = listedVoices(JSON.stringify(list));
  expect(voices?.map(({ languages }) => languages)).toEqual([['en'], ['en', 'de'], ['pt-BR'], undefined]);
});

test.each(['<p>Voices', 'null', '{}', '{"voices":{"af":1}}'])('%s is no list', (text) => {
  expect(listedVoices(text)).toBeUndefined();
});
