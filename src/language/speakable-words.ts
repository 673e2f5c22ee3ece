import { ALL_LANGUAGES, languagesOf, lettersByScript, SCRIPTS, type Script } from './detection.ts';
import { withoutFaces } from './faces.ts';

export const SENTENCES = /[^.!?。！？\n]+[.!?。！？\n]*|[.!?。！？\n]+/gu;

/** True if a sentence has Japanese syllables: then its Chinese characters are kanji. */
export const isJapanese = (sentence: string): boolean => lettersByScript(sentence).has('Kana');

/** A single Greek letter is a sign, and every voice has a word for it: π, Ω, Δx, µ. */
const SIGNS = /(?<!\p{Script=Greek})[\p{Script=Greek}µ](?!\p{Script=Greek})/gu;

/** Japanese without kanji, as a BCP 47 tag: the script Hrkt covers both syllabaries. */
export const JAPANESE_SYLLABLES_ONLY = 'ja-Hrkt';

/** 'Kanji' are Chinese characters beside Japanese syllables; 'Unknown' are letters of unlisted scripts. */
type Writing = Script | 'Kanji' | 'Unknown';

type WrittenWords = ReturnType<typeof writtenWords>;

/** A text's words and scripts, found once for all voices that may speak the text. */
export function writtenWords(text: string) {
  const spoken = withoutFaces(text);
  // In a text with Japanese syllables, the Chinese characters of a sentence are kanji only if it has syllables, too.
  const sentences = isJapanese(spoken) ? (spoken.match(SENTENCES) ?? []) : [spoken];
  const words = sentences.flatMap((sentence) => {
    const han = isJapanese(sentence) ? 'Kanji' : 'Han';
    return (sentence.match(/[\p{L}\p{M}]+/gu) ?? []).map((word) => ({ word, writings: writingsOf(word, han) }));
  });
  return { words, writings: new Set(words.flatMap(({ writings }) => writings)) };
}

function writingsOf(word: string, han: Writing): readonly Writing[] {
  const letters = word.replace(SIGNS, '');
  const scripts = [...lettersByScript(letters).keys()];
  if (scripts.length === 0) return /\p{L}/u.test(letters) ? ['Unknown'] : [];
  return scripts.map((script) => (script === 'Han' ? han : script));
}

/** The languages (BCP 47) of a voice; undefined if its service does not state them. */
type Languages = readonly string[] | undefined;

export const readsAll = (written: WrittenWords, languages: Languages, areKanji = false): boolean =>
  unreadIn(written, languages, areKanji).length === 0;

/**
 * Finds the words with letters of a script that a voice of these languages (BCP 47) cannot read; the language of the
 * words does not matter. Returns nothing if the script of a language is unknown. If only a word's Chinese characters
 * are unreadable, returns these instead of the word. With `areKanji`, Chinese characters without Japanese syllables
 * count as kanji.
 */
export function unspeakableWords(written: WrittenWords, languages: Languages, areKanji = false): string[] {
  const unread = unreadIn(written, languages, areKanji);
  return written.words.flatMap(({ word, writings }) => {
    const [first, ...others] = writings.filter((one) => unread.includes(one));
    if (first === undefined) return [];
    const isHan = others.length === 0 && (first === 'Han' || first === 'Kanji');
    return isHan ? (word.match(/\p{Script=Han}+/gu) ?? []) : [word];
  });
}

function unreadIn({ writings }: WrittenWords, languages: Languages, areKanji: boolean): readonly Writing[] {
  const read = writingsIn(languages);
  return read ? [...writings].filter((one) => !read.has(areKanji && one === 'Han' ? 'Kanji' : one)) : [];
}

const ALL = new Set([...ALL_LANGUAGES, JAPANESE_SYLLABLES_ONLY]);

function writingsIn(languages: Languages): ReadonlySet<Writing> | undefined {
  if (!languages?.every((language) => ALL.has(language))) return undefined;
  const writings = new Set<Writing>(
    SCRIPTS.filter((script) => languagesOf(script).some((one) => languages.includes(one))),
  );
  if (languages.includes(JAPANESE_SYLLABLES_ONLY)) writings.add('Kana');
  if (languages.includes('ja')) writings.add('Kanji');
  return writings;
}
