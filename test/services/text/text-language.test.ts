import { expect, test } from 'vitest';
import { languageOfText, provenLanguage } from '../../../src/services/text/text-language.ts';

const WRITER = { likely: ['en', 'de'] };

test.each([
  ['Guten Morgen zusammen', 'de'],
  ['Hola, cómo estás', 'es'],
  ['Доброе утро всем', 'ru'],
  ['Καλημέρα', 'el'],
  ['今日は', 'ja'],
  ['만나서 반가워요', 'ko'],
])('%j is %s', async (words, language) => {
  expect(await provenLanguage(words, WRITER)).toBe(language);
});

test.each(['123 😀', '¯\\_(ツ)_/¯'])('%j is no proof of a language: the writer’s likeliest is taken', async (words) => {
  expect(await provenLanguage(words, WRITER)).toBeUndefined();
  expect(await languageOfText(words, WRITER)).toBe('en');
  expect(await languageOfText(words, { likely: [] })).toBeUndefined();
});
