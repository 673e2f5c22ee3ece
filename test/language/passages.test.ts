import { beforeAll, describe, expect, it } from 'vitest';
import { type LanguageDetector, loadLanguageDetector } from '../../src/language/detection.ts';
import { cutByLanguage } from '../../src/language/passages.ts';

let detector: LanguageDetector;
beforeAll(async () => {
  detector = await loadLanguageDetector();
});

const cut = (text: string, likely: readonly string[] = ['en']) =>
  cutByLanguage(text, (part) => detector.detect(part, likely)).map(({ text: part, language }) => [part, language]);

describe('a text in several languages', () => {
  it('is cut at the ends of sentences', () => {
    expect(cut('Good morning to all of you. Heute ist das Wetter wirklich schön. See you later this evening.')).toEqual(
      [
        ['Good morning to all of you. ', 'en'],
        ['Heute ist das Wetter wirklich schön. ', 'de'],
        ['See you later this evening.', 'en'],
      ],
    );
  });

  it('is cut inside a sentence where its script changes', () => {
    expect(cut('My teacher always says 今日は天気がいいですね when we meet')).toEqual([
      ['My teacher always says ', 'en'],
      ['今日は天気がいいですね ', 'ja'],
      ['when we meet', 'en'],
    ]);
  });

  it('is cut between Arabic, Russian and English', () => {
    expect(cut('Как у тебя сегодня дела? كيف حالك اليوم يا صديقي؟ I am fine, thank you.')).toEqual([
      ['Как у тебя сегодня дела? ', 'ru'],
      ['كيف حالك اليوم يا صديقي؟ ', 'ar'],
      ['I am fine, thank you.', 'en'],
    ]);
  });
});

describe('speech tags', () => {
  it('go with the words that they are about, in whatever language they are written', () => {
    expect(cut('[in a very quiet voice] Привет, дорогие мои друзья')).toEqual([
      ['[in a very quiet voice] Привет, дорогие мои друзья', 'ru'],
    ]);
    expect(
      cut('Hello my dear friends, how are you. <whisper>Как у тебя дела?</whisper> Fine, thank you, my friend.'),
    ).toEqual([
      ['Hello my dear friends, how are you. ', 'en'],
      ['<whisper>Как у тебя дела?</whisper> ', 'ru'],
      ['Fine, thank you, my friend.', 'en'],
    ]);
    expect(cut('I say <soft>Как у тебя дела</soft> and then I go home')).toMatchObject([
      ['I say <soft>Как у тебя дела</soft> ', 'ru'],
      ['and then I go home', 'en'],
    ]);
  });

  it('are not cut in two', () => {
    const text = '<soft>Good morning to all of you. Как у тебя сегодня дела?</soft> See you later this evening.';
    expect(cut(text).map(([part]) => part)).toEqual([text.slice(0, -27), text.slice(-27)]);
  });
});

describe('a text stays whole', () => {
  it.each([
    ['of one language', 'Good morning. How are you? I am fine.', 'en'],
    ['with a foreign name in it', 'We met Владимир at the station yesterday.', 'en'],
    ['with two foreign words in it', 'She said Guten Morgen and sat down with us.', 'en'],
    ['of short lines', 'Hola! Hello! Hallo!', undefined],
    ['of Korean with a brand in Latin letters', '나는 오늘 Discord를 좋아해요', 'ko'],
    ['without words', '123 456 😀', undefined],
  ])('%s: %j', (_, text, language) => {
    const passages = cut(text);
    expect(passages.map(([part]) => part)).toEqual([text]);
    if (language !== undefined) expect(passages[0]?.[1]).toBe(language);
  });

  it('where it is empty: there is no stretch', () => {
    expect(cut('')).toEqual([]);
  });
});

it('all stretches together are the text, and none but a whole text has less than three words', () => {
  const parts = [
    'Hello my dear friends. ',
    'Привет всем друзьям! ',
    'Ok. ',
    '今日は天気がいいですね。',
    'ja ja ',
    '한국어를 배우고 있어요. ',
    '\n',
  ];
  let state = 1;
  for (let round = 0; round < 300; round++) {
    let text = '';
    for (let count = 0; count < 6; count++) {
      state = (state * 48_271) % 2_147_483_647;
      text += parts[state % parts.length];
    }
    const passages = cutByLanguage(text, (part) => detector.detect(part));
    expect(passages.map((passage) => passage.text).join('')).toBe(text);
    const words = (part: string) =>
      [...new Intl.Segmenter('en', { granularity: 'word' }).segment(part)].filter(({ isWordLike }) => isWordLike)
        .length;
    if (passages.length > 1) for (const { text: part } of passages) expect(words(part)).toBeGreaterThanOrEqual(3);
  }
});
