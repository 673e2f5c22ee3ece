/** Scripts that are enough to know a language by, and the synthesiser's name for it. */
const SCRIPTS: readonly (readonly [pattern: RegExp, language: string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'cmn'],
  [/[іїєґІЇЄҐ]/u, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/[پچژگ]/u, 'fa'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Bengali}/u, 'bn'],
  [/\p{Script=Tamil}/u, 'ta'],
  [/\p{Script=Telugu}/u, 'te'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Georgian}/u, 'ka'],
  [/\p{Script=Armenian}/u, 'hy'],
];

/** Short words that are common in one language and not in English, and letters only it (or hardly another) uses. */
const LATIN: Readonly<Record<string, { words: string; letters?: string }>> = {
  de: { words: 'der die das und ist nicht ich du wir sie ein eine mit auf für zu den von wie auch es', letters: 'ß' },
  fr: {
    words: 'le la les des une est et vous nous je tu il elle pas que qui dans pour avec ce cette du',
    letters: 'œ',
  },
  es: { words: 'el la los las una es y no que de en con por para como está muy pero hola qué', letters: '¿¡ñ' },
  it: { words: 'il lo gli una è e non che di per con sono come questo ciao della anche più' },
  pt: { words: 'o os as uma é e não que de em com para por você eu muito olá está mais', letters: 'ãõ' },
  nl: { words: 'de het een en is niet ik je wij van met voor op dat zijn hoe ook maar naar' },
  pl: { words: 'nie jest i to się na w z że co jak dla ale tak cześć', letters: 'łśżźćńąę' },
  sv: { words: 'och är det en ett inte jag du vi att på för med som hej hur', letters: 'å' },
  tr: { words: 've bir bu ne için ile değil ben sen çok merhaba nasıl', letters: 'ğışİ' },
  cs: { words: 'je to se na že a jak ale ahoj není co pro', letters: 'řěů' },
};

const WORDS = new Map(Object.entries(LATIN).map(([language, { words }]) => [language, new Set(words.split(' '))]));

/**
 * Cuts text into runs of one language each. Other scripts name theirs; Latin letters are `latinLanguage` unless
 * `guessLatin` finds at least two signs, in a text of at least two words, that they are another.
 */
export function languageRuns(text: string, latinLanguage: string, guessLatin: boolean) {
  const latin = guessLatin ? (guessLatinLanguage(text) ?? latinLanguage) : latinLanguage;
  // Kanji and Chinese characters are the same letters: the syllables beside them decide.
  const han = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'ja' : 'cmn';
  const cyrillic = /[іїєґ]/iu.test(text) ? 'uk' : 'ru';
  const arabic = /[پچژگ]/u.test(text) ? 'fa' : 'ar';
  const runs: { text: string; language: string }[] = [];
  // Words with the characters up to the next word: punctuation and digits stay with the word before.
  for (const [piece] of text.matchAll(/\P{L}*[\p{L}\p{M}]+[^\p{L}]*|\P{L}+/gu)) {
    const script = SCRIPTS.find(([pattern]) => pattern.test(piece))?.[1];
    const language =
      script === undefined
        ? latin
        : ({ cmn: han, ja: 'ja', ru: cyrillic, uk: cyrillic, ar: arabic, fa: arabic }[script] ?? script);
    const last = runs.at(-1);
    if (last?.language === language) last.text += piece;
    else runs.push({ text: piece, language });
  }
  return runs;
}

function guessLatinLanguage(text: string): string | undefined {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  if (words.length < 2) return undefined;
  let best: { language: string; score: number } | undefined;
  for (const [language, { letters = '' }] of Object.entries(LATIN)) {
    const known = WORDS.get(language);
    const hits = words.filter((word) => known?.has(word)).length;
    const score = hits + [...letters].filter((letter) => text.includes(letter)).length * 2;
    if (score > (best?.score ?? 0)) best = { language, score };
  }
  return best !== undefined && best.score >= 2 && best.score >= words.length / 6 ? best.language : undefined;
}
