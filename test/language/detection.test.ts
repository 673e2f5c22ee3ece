import { eld } from 'eld/extrasmall';
import { describe, expect, test } from 'vitest';
import {
  areKanji,
  isKanjiAlone,
  languageOfText,
  loadCompactEld,
  loadLanguageDetector,
  provenLanguage,
} from '../../src/language/detection.ts';
import { GREETINGS, SENTENCES } from './sentences.ts';

const detector = await loadLanguageDetector();

describe('a text in one of 25 languages', () => {
  test.each(Object.entries(SENTENCES))('%s is found, whatever its writer is likely to use', (language, lines) => {
    for (const likely of [['en'], ['de', 'en'], ['es', 'en']]) {
      expect(lines.map((line) => detector.detect(line, likely))).toEqual(lines.map(() => language));
    }
  });
});

describe('a short text', () => {
  test.each([
    ...['lol', 'nice shot', 'lets go', 'I love pizza', 'Joined the channel', 'Happy birthday'],
    // A name in capitals is no more mistaken.
    'HELLO ANNA',
  ])('%j is not taken for another language than the likely one', (line) => {
    expect(detector.detect(line, ['en']) ?? 'en').toBe('en');
  });

  test.each([
    ['Hallo zusammen', 'de'],
    ['Hola, cómo estás', 'es'],
    ['Привет', 'ru'],
    ['今日は', 'ja'],
    // By the plain words before a name.
    ['Buenos días Ana', 'es'],
    ['Guten Morgen Olga', 'de'],
    // In capitals throughout, the last word alone may be a name.
    ['TE QUIERO MUCHO', 'es'],
    ['WAS MACHST DU', 'de'],
  ])('%j is %s', (line, language) => {
    expect(detector.detect(line, ['en'])).toBe(language);
  });

  test('to somebody by name is in its own language or no proof, but for two in seventy', () => {
    const mistaken = Object.entries(GREETINGS).flatMap(([language, lines]) =>
      lines.filter((line) => ![language, undefined].includes(detector.detect(line, [language]))),
    );
    expect(mistaken.length).toBeLessThanOrEqual(2);
  });

  test.each([
    ['Magandang umaga', 'tl'],
    ['Salamat po', 'tl'],
    ['Hyvää huomenta', 'fi'],
  ])('%j, in a language with fewer writers, is %s all the same', (line, language) => {
    for (const likely of ['en', 'de', 'es']) expect(detector.detect(line, [likely])).toBe(language);
  });

  test('of one word in Latin letters is no proof', () => {
    expect(detector.detect('ok')).toBeUndefined();
  });
});

test('the writer’s language decides between two that share a script and are near', () => {
  expect(detector.detect('мама', ['uk'])).toBe('uk');
  expect(detector.detect('мама', ['ru'])).toBe('ru');
});

test.each([
  ['了解', ['ja'], 'ja'],
  ['了解', ['en', 'ja'], 'ja'],
  ['熙 凜', ['ja', 'en'], 'ja'],
  ['東京 12', ['ja', 'zh'], 'ja'],
  ['了解', ['en'], 'zh'],
  ['了解', ['zh', 'ja'], 'zh'],
  ['了解', [], 'zh'],
  // Simplified characters, which no Japanese word has.
  ['说中文', ['ja'], 'zh'],
])('characters without kana, %j by a writer of %j, are %s', (words, likely, language) => {
  expect(detector.detect(words, likely)).toBe(language);
  const isJapanese = language === 'ja';
  expect([areKanji(words, likely), isKanjiAlone(words, likely)]).toEqual([isJapanese, isJapanese]);
});

test('kanji with syllables beside them, or as a part of another text, are not alone; Latin letters are none', () => {
  for (const words of ['了解です', 'Good morning 了解'])
    expect([areKanji(words, ['ja']), isKanjiAlone(words, ['ja'])]).toEqual([true, false]);
  expect(areKanji('Hello', ['ja'])).toBe(false);
});

test('the compact detector finds what the package finds, in every language', async () => {
  const compact = await loadCompactEld();
  const known = [SENTENCES, GREETINGS].flatMap((lines) => Object.values(lines).flat());
  const lines = [...known, 'lmao, dont die', 'it\'s "quoted" and \\ back', '', '🎉 1234'];
  for (const line of lines) {
    const [ours, theirs] = [compact.detect(line), eld.detect(line)];
    expect([line, ours.getScores(), ours.isReliable()]).toEqual([line, theirs.getScores(), theirs.isReliable()]);
  }
});

test('what is no word proves no language: the writer’s likeliest is taken', async () => {
  for (const text of ['[laughs happily] <@123> https://example.org/hello-my-friend 12 😀', '12 😀', '¯\\_(ツ)_/¯']) {
    expect(await provenLanguage(text, ['en', 'de']), text).toBeUndefined();
    expect(await languageOfText(text, ['en', 'de']), text).toBe('en');
    expect(await languageOfText(text, []), text).toBeUndefined();
  }
});
