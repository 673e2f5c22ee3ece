import { expect, test } from 'vitest';
import { areKanji, isKanjiAlone } from '../../src/language/detection.ts';

test.each([
  ['了解', ['ja'], true],
  ['了解', ['en', 'ja'], true],
  ['東京 12', ['ja', 'zh'], true],
  ['了解', ['zh', 'ja'], false],
  ['了解', ['en'], false],
  ['了解', [], false],
  // Simplified characters, which no Japanese word has.
  ['说中文', ['ja'], false],
  ['Hello', ['ja'], false],
])('the characters of %j, by a writer of %j, are kanji: %s', (words, likely, are) => {
  expect(areKanji(words, likely)).toBe(are);
  expect(isKanjiAlone(words, likely)).toBe(are);
});

test('with syllables beside them, or as a part of another text, they are not alone', () => {
  expect([areKanji('了解です', ['ja']), isKanjiAlone('了解です', ['ja'])]).toEqual([true, false]);
  expect([areKanji('Good morning 了解', ['ja']), isKanjiAlone('Good morning 了解', ['ja'])]).toEqual([true, false]);
});
