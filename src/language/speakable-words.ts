import { ALL_LANGUAGES, languagesOf, lettersByScript, type Script } from './scripts.ts';

export const SENTENCES = /[^.!?。！？\n]+[.!?。！？\n]*|[.!?。！？\n]+/gu;

/** Chinese characters with syllables of Japanese beside them are kanji. */
export const isJapanese = (sentence: string): boolean => lettersByScript(sentence).has('Kana');

/** Whether the Chinese characters in a text are Chinese: there are some, and nothing beside them or known of them says kanji. */
export const isChinese = (text: string, areKanji: boolean): boolean => {
  const scripts = lettersByScript(text);
  return scripts.has('Han') && !scripts.has('Kana') && !areKanji;
};

/** One Greek letter by itself is a sign, which every voice has a word for: π, Ω, Δx, µ. */
const SIGNS = /(?<!\p{Script=Greek})[\p{Script=Greek}µ](?!\p{Script=Greek})/gu;

/** Japanese without kanji (BCP 47: the script Hrkt is both syllabaries). */
export const JAPANESE_SYLLABLES_ONLY = 'ja-Hrkt';

/**
 * The words of a text in a script that a voice of these languages (BCP 47, mostly ISO 639-1 codes) does not read; of
 * Japanese words the kanji alone where it reads syllables only. Whether it knows the language of the words is another matter.
 * `areKanji`: characters are that without syllables beside them, too. None where the script of one of the languages is not known here.
 */
export function unspeakableWords(text: string, languages: readonly string[], areKanji = false): string[] {
  if (!languages.every((language) => language === JAPANESE_SYLLABLES_ONLY || ALL_LANGUAGES.includes(language)))
    return [];
  const reads = (script: Script, sentence: string): boolean => {
    if (script === 'Han')
      return languages.includes('ja') || (!areKanji && !isJapanese(sentence) && languages.includes('zh'));
    if (script === 'Kana' && languages.includes(JAPANESE_SYLLABLES_ONLY)) return true;
    return languagesOf(script).some((language) => languages.includes(language));
  };
  return [...text.matchAll(SENTENCES)].flatMap(([sentence]) =>
    (sentence.match(/[\p{L}\p{M}]+/gu) ?? []).flatMap((word) => {
      const letters = word.replace(SIGNS, '');
      const scripts = [...lettersByScript(letters).keys()].filter((script) => !reads(script, sentence));
      if (scripts.length === 0) return isKnown(letters) ? [] : [word];
      return scripts.length === 1 && scripts[0] === 'Han' ? (word.match(/\p{Script=Han}+/gu) ?? []) : [word];
    }),
  );
}

/** Letters of a script that is not in the table are read by no voice that is known to name its languages. */
const isKnown = (word: string): boolean => !/\p{L}/u.test(word) || lettersByScript(word).size > 0;
