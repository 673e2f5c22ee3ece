import { expect, test } from 'vitest';
import { unspeakableWords, writtenWords } from '../../src/language/speakable-words.ts';
import { espeakLanguages } from '../../src/speech-service/synthesis/embedded/language.ts';

test.each([
  ['今日は天気がいいですね。', ['今日', '天気']],
  ['みなさん、おはよう', []],
  ['我说中文。おはよう', []],
  ['សួស្តី everyone', ['សួស្តី']],
  ['Hello 😀 мир 123', []],
  ['ᚠᚢᚦ', ['ᚠᚢᚦ']],
])('the built-in voice cannot speak of %j: %j', (text, words) => {
  expect(unspeakableWords(writtenWords(text), espeakLanguages(false))).toEqual(words);
});

test.each([
  ['Say привет to them', ['привет']],
  ['Guten Morgen', []],
  ['日本', ['日本']],
  ['π ≈ 3.14, 10 kΩ, 5 µm and Δx', []],
  ['Καλημέρα', ['Καλημέρα']],
  ['I dunno ¯\\_(ツ)_/¯ (ノಠ益ಠ)ノ彡┻━┻', []],
])('an English voice cannot speak of %j: %j', (text, words) => {
  expect(unspeakableWords(writtenWords(text), ['en'])).toEqual(words);
});

test.each([['sw'], ['kk']])('of a language whose letters are not in the table, %s, nothing is known', (language) => {
  expect(unspeakableWords(writtenWords('Habari, мир'), ['en', language])).toEqual([]);
});

test('a voice that speaks Japanese reads kanji, with syllables beside them and alone', () => {
  expect(unspeakableWords(writtenWords('今日は天気がいいですね。日本'), ['ja'])).toEqual([]);
});

test('characters alone are Chinese to a voice that reads Chinese, unless they are known to be kanji', () => {
  expect(unspeakableWords(writtenWords('了解。'), espeakLanguages(false))).toEqual([]);
  expect(unspeakableWords(writtenWords('了解。'), espeakLanguages(false), true)).toEqual(['了解']);
  expect(unspeakableWords(writtenWords('了解。'), espeakLanguages(true), true)).toEqual([]);
});
