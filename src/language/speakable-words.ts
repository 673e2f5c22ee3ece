import { withoutFaces } from './faces.ts';
import { ALL_LANGUAGES, languagesOf, lettersByScript, SCRIPTS, type Script } from './scripts.ts';

export const SENTENCES = /[^.!?。！？\n]+[.!?。！？\n]*|[.!?。！？\n]+/gu;

/** Chinese characters with syllables of Japanese beside them are kanji. */
export const isJapanese = (sentence: string): boolean => lettersByScript(sentence).has('Kana');

/** Whether the Chinese characters in a text are Chinese: there are some, and nothing beside them or known of them says kanji. */
export const isChinese = (text: string, areKanji: boolean): boolean => {
  const scripts = lettersByScript(text);
  return scripts.has('Han') && !scripts.has('Kana') && !areKanji;
};

/** A single Greek letter is a sign, which every voice has a word for: π, Ω, Δx, µ. */
const SIGNS = /(?<!\p{Script=Greek})[\p{Script=Greek}µ](?!\p{Script=Greek})/gu;

/** Japanese without kanji (BCP 47: the script Hrkt is both syllabaries). */
export const JAPANESE_SYLLABLES_ONLY = 'ja-Hrkt';

/** What letters are written in: Chinese characters beside syllables are kanji, and letters that are not in the table unknown. */
type Writing = Script | 'Kanji' | 'Unknown';

/** The words of a text and what they are written in, found once for all voices that may speak it. */
export interface WrittenWords {
  readonly writings: ReadonlySet<Writing>;
  readonly words: readonly { readonly word: string; readonly writings: readonly Writing[] }[];
}

export function writtenWords(text: string): WrittenWords {
  const spoken = withoutFaces(text);
  // Without a syllable of Japanese, it does not matter where sentences end.
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

/** Whether a voice of these languages reads all of a text, as far as is known; as in `unspeakableWords`. */
export const readsAll = (written: WrittenWords, languages: readonly string[], areKanji = false): boolean =>
  unreadIn(written, languages, areKanji).length === 0;

/**
 * The words in a script that a voice of these languages (BCP 47, mostly ISO 639-1 codes) does not read; of Japanese words the
 * kanji alone where it reads syllables only. Whether it knows the language of the words is another matter. `areKanji`: characters
 * are that without syllables beside them, too. None where the script of one of the languages is not known here.
 */
export function unspeakableWords(written: WrittenWords, languages: readonly string[], areKanji = false): string[] {
  const unread = unreadIn(written, languages, areKanji);
  return written.words.flatMap(({ word, writings }) => {
    const [first, ...others] = writings.filter((one) => unread.includes(one));
    if (first === undefined) return [];
    const isHan = others.length === 0 && (first === 'Han' || first === 'Kanji');
    return isHan ? (word.match(/\p{Script=Han}+/gu) ?? []) : [word];
  });
}

function unreadIn({ writings }: WrittenWords, languages: readonly string[], areKanji: boolean): readonly Writing[] {
  const read = writingsIn(languages);
  return read ? [...writings].filter((one) => !read.has(areKanji && one === 'Han' ? 'Kanji' : one)) : [];
}

const ALL = new Set([...ALL_LANGUAGES, JAPANESE_SYLLABLES_ONLY]);
const readWith = new WeakMap<readonly string[], ReadonlySet<Writing>>();

/** The scripts that a reader of these languages can read; undefined if one of the languages is unknown. */
function writingsIn(languages: readonly string[]): ReadonlySet<Writing> | undefined {
  const known = readWith.get(languages);
  if (known || !languages.every((language) => ALL.has(language))) return known;
  const writings = new Set<Writing>(
    SCRIPTS.filter((script) => languagesOf(script).some((one) => languages.includes(one))),
  );
  if (languages.includes(JAPANESE_SYLLABLES_ONLY)) writings.add('Kana');
  if (languages.includes('ja')) writings.add('Kanji');
  readWith.set(languages, writings);
  return writings;
}
