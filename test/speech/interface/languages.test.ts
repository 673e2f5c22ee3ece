import { describe, expect, it } from 'vitest';
import {
  canonicalTag,
  languageLabel,
  languageNamed,
  languageOfTag,
  languagesOfVoice,
  voicesThatSpeak,
} from '../../../src/speech/interface/languages.ts';

const LABELS = ['multiple', 'en-GB 🇬🇧', 'en-US 🇺🇸', 'pt'];

const labelsThatSpeak = (language: string, labels: readonly string[]) => {
  const voices = labels.map((label) => ({ id: label, name: 'anna', model: 'gpro', language: label, formats: [] }));
  return voicesThatSpeak(language, voices).map((voice) => voice.language);
};

describe('a language by its name', () => {
  it.each([
    ['german', 'en-US', 'de'],
    ['Deutsch', 'de', 'de'],
    ['German', 'de', 'de'],
    ['British English', 'en-US', 'en-GB'],
    ['en-gb', 'en-US', 'en-GB'],
    ['EN-US 🇺🇸', 'en-US', 'en-US 🇺🇸'],
    ['multiple', 'en-US', 'multiple'],
    ['espanol', 'es-ES', 'es'],
    ['日本語', 'en-US', 'ja'],
  ])('%s, by who reads %s, is %s', (named, locale, language) => {
    expect(languageNamed(named, LABELS, locale)).toBe(language);
  });

  it.each(['klingonese', 'qq', '', 'he speaks'])('is none where there is no such language: %s', (named) => {
    expect(languageNamed(named, LABELS, 'en-US')).toBeUndefined();
  });

  it('is spoken by the voices of all its countries, and by those of any language', () => {
    expect(labelsThatSpeak('en', LABELS)).toEqual(['multiple', 'en-GB 🇬🇧', 'en-US 🇺🇸']);
    expect(labelsThatSpeak('en-GB', LABELS)).toEqual(['multiple', 'en-GB 🇬🇧']);
    expect(labelsThatSpeak('pt-BR', LABELS)).toEqual(['multiple', 'pt']);
    expect(labelsThatSpeak('de', LABELS)).toEqual(['multiple']);
    expect(labelsThatSpeak('multiple', LABELS)).toEqual(['multiple']);
    expect(labelsThatSpeak('en', ['English', 'Elvish'])).toEqual(['English']);
  });

  it('is shown by its name', () => {
    expect(languageLabel('de', 'en-US')).toBe('German');
    expect(languageLabel('de', 'es-ES')).toBe('alemán');
    expect(languageLabel('en-GB 🇬🇧', 'de')).toBe('en-GB 🇬🇧 · Englisch (Vereinigtes Königreich)');
    expect(languageLabel('en_GB', 'en-US')).toBe('British English');
    for (const label of ['de German', 'he speaks']) expect(languageLabel(label, 'en-US')).toBe(label);
  });
});

it.each([
  ['nb', 'no'],
  ['nn-NO', 'no'],
  ['yue', 'zh'],
])('a voice of %s speaks texts that are found to be in %s', (tag, language) => {
  const voice = { id: 'id', name: 'anna', model: 'gpro', language: 'multiple', formats: [], languages: [tag] };
  expect(languagesOfVoice(voice)).toEqual([language]);
});

it.each([
  ['en', 'en', 'en'],
  ['en_us', 'en', 'en-US'],
  ['cmn', 'zh', 'zh'],
  ['iw', 'he', 'he'],
  ['no such language', undefined, undefined],
])('%j as servers write tags is the language %s', (tag, language, canonical) => {
  expect([languageOfTag(tag), canonicalTag(tag)]).toEqual([language, canonical]);
});
