import { eld } from 'eld/extrasmall';
import { describe, expect, test } from 'vitest';
import { languageOfText, loadCompactEld, loadLanguageDetector, provenLanguage } from '../../src/language/detection.ts';
import { CHAT_LINES, GREETINGS, SENTENCES } from './sentences.ts';

const detector = await loadLanguageDetector();

describe('a text in one of 25 languages', () => {
  test.each(Object.entries(SENTENCES))(
    '%s is found, whatever language its writer is likely to use',
    (language, lines) => {
      for (const likely of [['en'], ['de', 'en'], ['es', 'en']]) {
        expect(lines.map((line) => detector.detect(line, likely))).toEqual(lines.map(() => language));
      }
    },
  );
});

describe('a short text', () => {
  test.each(['lol', 'nice shot', 'lets go', 'I love pizza', 'Joined the channel', 'Happy birthday'])(
    '%j is not taken for another language than the likely one',
    (line) => {
      expect(detector.detect(line, ['en']) ?? 'en').toBe('en');
    },
  );

  test.each([
    ['Hallo zusammen', 'de'],
    ['Hola, cómo estás', 'es'],
    ['Привет', 'ru'],
    ['今日は', 'ja'],
  ])('%j is %s', (line, language) => {
    expect(detector.detect(line, ['en'])).toBe(language);
  });

  test('to somebody by name is in its own language or no proof, but for two in seventy', () => {
    const mistaken = Object.entries(GREETINGS).flatMap(([language, lines]) =>
      lines.filter((line) => ![language, undefined].includes(detector.detect(line, [language]))),
    );
    expect(mistaken.length).toBeLessThanOrEqual(2);
  });

  test('to somebody by name is found by the words before it where they are plain', () => {
    expect(detector.detect('Buenos días Ana', ['en'])).toBe('es');
    expect(detector.detect('Guten Morgen Olga', ['en'])).toBe('de');
  });

  test.each([
    ['TE QUIERO MUCHO', 'es'],
    ['WAS MACHST DU', 'de'],
  ])('in capitals throughout, %j, is not taken for a name but for its first word', (line, language) => {
    expect(detector.detect(line, ['en'])).toBe(language);
  });

  test('to somebody by name, in capitals throughout, is no more mistaken', () => {
    expect(detector.detect('HELLO ANNA', ['en']) ?? 'en').toBe('en');
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

test('what is no word is no proof: tags, mentions, links, digits', () => {
  expect(detector.detect('[laughs happily] <@123> https://example.org/hello-my-friend 12 😀')).toBeUndefined();
});

test('the writer’s language decides between two that share a script and are near', () => {
  expect(detector.detect('мама', ['uk'])).toBe('uk');
  expect(detector.detect('мама', ['ru'])).toBe('ru');
});

test.each([
  ['了解', ['ja'], 'ja'],
  ['熙 凜', ['ja', 'en'], 'ja'],
  ['了解', ['en'], 'zh'],
  ['了解', ['zh', 'ja'], 'zh'],
  ['说中文', ['ja'], 'zh'],
])('characters without kana, %j by a writer of %j, are %s', (words, likely, language) => {
  expect(detector.detect(words, likely)).toBe(language);
});

test('the compact detector finds what the package finds, in every language', async () => {
  const compact = await loadCompactEld();
  const lines = [...Object.values(SENTENCES).flat(), ...CHAT_LINES, 'it\'s "quoted" and \\ back', '', '🎉 1234'];
  for (const line of lines) {
    const [ours, theirs] = [compact.detect(line), eld.detect(line)];
    expect([line, ours.getScores(), ours.isReliable()]).toEqual([line, theirs.getScores(), theirs.isReliable()]);
  }
});

test.each(['123 😀', '¯\\_(ツ)_/¯'])('%j is no proof of a language: the writer’s likeliest is taken', async (words) => {
  expect(await provenLanguage(words, ['en', 'de'])).toBeUndefined();
  expect(await languageOfText(words, ['en', 'de'])).toBe('en');
  expect(await languageOfText(words, [])).toBeUndefined();
});
