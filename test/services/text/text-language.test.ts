import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { languageOfText, provenLanguage } from '../../../src/services/text/text-language.ts';
import { createTextThread } from '../../../src/services/text/text-thread.ts';

const WRITER = { owner: '10', likely: ['en', 'de'] };

test.each([
  ['Guten Morgen zusammen', 'de'],
  ['Hola, cómo estás', 'es'],
  ['Доброе утро всем', 'ru'],
])('the text thread finds %j to be %s', async (words, language) => {
  const thread = createTextThread({ log: pino({ level: 'silent' }) });
  onTestFinished(() => thread.close());
  expect(await languageOfText(words, WRITER, thread)).toBe(language);
});

const noThread = { run: () => Promise.reject(new Error('The text thread ended')) };

test.each([
  ['Καλημέρα', 'el'],
  ['今日は', 'ja'],
  ['만나서 반가워요', 'ko'],
  ['123 😀', 'en'],
  ['¯\\_(ツ)_/¯', 'en'],
])('%j is %s by its letters alone, without the thread', async (words, language) => {
  expect(await languageOfText(words, WRITER, noThread)).toBe(language);
});

test('a text that is no proof of a language has none, but is taken for the writer’s likeliest', async () => {
  expect(await provenLanguage('123 😀', WRITER, noThread)).toBeUndefined();
  expect(await provenLanguage('Καλημέρα', WRITER, noThread)).toBe('el');
  expect(await languageOfText('123 😀', WRITER, noThread)).toBe('en');
});

test('while the thread does not answer, the writer’s likeliest language is taken', async () => {
  expect(await languageOfText('Guten Morgen', WRITER, noThread)).toBe('en');
  expect(await languageOfText('Guten Morgen', { owner: '10', likely: [] }, noThread)).toBeUndefined();
});
