import {
  ALL_LANGUAGES,
  type LanguageDetector,
  languagesOf,
  mainScript,
  type Script,
} from '../../../language/detection.ts';
import { withoutFaces } from '../../../language/faces.ts';
import { isJapanese, JAPANESE_SYLLABLES_ONLY, SENTENCES } from '../../../language/speakable-words.ts';
import { type ReadJapanese, speakableKana } from './japanese.ts';

/** Kurdish in Arabic script is read as Persian, because eSpeak NG would only spell it. Norwegian is 'nb': 'no' allows no voice variants. */
const ESPEAK_NAMES: Readonly<Record<string, string>> = { zh: 'cmn', ku: 'fa', no: 'nb' };
/** Kurdish is read as Persian, so letters that Persian lacks become Persian letters of similar sound. */
const KURDISH_LETTERS: Readonly<Record<string, string>> = { ە: 'ه', ۆ: 'و', ێ: 'ی', ڵ: 'ل', ڕ: 'ر' };
const espeakName = (language: string): string => ESPEAK_NAMES[language] ?? language;

/** Languages that the language detector finds, but eSpeak NG cannot speak. */
const NOT_SPOKEN: ReadonlySet<string> = new Set(['km', 'lo', 'tl', 'yo']);

/** Voices do not list Kurdish, which is read as Persian, or four languages that the language detector does not know. */
const NOT_PROMISED: ReadonlySet<string> = new Set(['ku', 'af', 'cy', 'ga', 'mt']);

/** Without a kanji dictionary, voices list only Japanese syllables: eSpeak NG reads each kanji as 'Chinese letter'. */
export const espeakLanguages = (readsKanji: boolean): readonly string[] =>
  ALL_LANGUAGES.filter((language) => !NOT_SPOKEN.has(language) && !NOT_PROMISED.has(language)).map((language) =>
    language === 'ja' && !readsKanji ? JAPANESE_SYLLABLES_ONLY : language,
  );

/**
 * Punctuation and digits stay with the word before them, but digits before a Chinese or Japanese counter stay with it.
 * Latin letters form a word of their own even without spaces: 'LINEの通知'.
 */
const WORDS =
  /\P{L}*(?:[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]&&[\p{L}\p{M}\p{N}]]+|[[\p{L}\p{M}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]+)(?:(?!\p{N}[\p{N}.,:]*[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]&&\p{L}])\P{L})*|\P{L}+/gv;
/** eSpeak NG would spell these other forms of letters and digits, so they become plain ones: 'ＡＢＣ', 'ｶﾀｶﾅ', '㈱'. */
const OTHER_SHAPES = /[[\u2e80-\u2fdf\u3200-\u33ff\uf900-\ufaff\uff00-\uffef]&&[\p{L}\p{N}\p{S}]]+/gv;
/** eSpeak NG does not know these Chinese characters, so they are left out. */
const RARE_HAN = /[\u{20000}-\u{3ffff}々〆]/gu;

interface Run {
  text: string;
  language: string;
}

export interface LanguageTools {
  /** Without a language detector, text in Latin letters counts as the voice's own language. */
  readonly detector?: LanguageDetector | undefined;
  /** Turns Japanese text with kanji into kana. If undefined, eSpeak NG reads only the kana of a Japanese text. */
  readonly readJapanese?: ReadJapanese | undefined;
  /** The language that the writer named (ISO 639-1). It applies to all words in the language's scripts. */
  readonly language?: string | undefined;
}

/**
 * Splits a text into runs of one language each, named as in eSpeak NG. Latin letters count as `ownLanguage`, unless a
 * language was named or detected. Japanese runs are in kana.
 */
export function languageRuns(
  written: string,
  ownLanguage: string,
  { detector, readJapanese, language: named }: LanguageTools = {},
): Run[] {
  const text = withoutFaces(written.toWellFormed()).replace(OTHER_SHAPES, (letters) => letters.normalize('NFKC'));
  const own = ownLanguage.slice(0, 2);
  const ofText = detector?.detect(text, [own]);
  const likely = ofText === undefined ? [own] : [ofText, own];
  const nameOf = (language: string | undefined): string =>
    language === undefined || language === own || NOT_SPOKEN.has(language) ? ownLanguage : espeakName(language);

  /** True for words in a script of the named language, and for a sentence without letters, such as digits alone. */
  function isNamed(script: Script, sentence: string): boolean {
    if (named === 'ja' && script === 'Han' && !readJapanese) return false;
    return languagesOf(script).some((language) => language === named) || mainScript(sentence) === undefined;
  }

  /** Detects the language of the sentence's words in one script, because a sentence may mix scripts. */
  function languageOf(script: Script, sentence: string): string {
    if (named !== undefined && isNamed(script, sentence)) return nameOf(named);
    // Japanese and Chinese share characters. They count as Japanese if the sentence has kana, or if the text has kana
    // and the Japanese dictionary can read the whole sentence.
    if (script === 'Han') {
      const isAllKanji = () => readJapanese?.(sentence).every(({ language }) => language === 'ja') === true;
      return nameOf(isJapanese(sentence) || (isJapanese(text) && isAllKanji()) ? 'ja' : 'zh');
    }
    const words = [...sentence.matchAll(WORDS)].map(([word]) => word).filter((word) => mainScript(word) === script);
    const found = detector?.detect(words.join(''), likely);
    if (script !== 'Latin') return nameOf(found ?? languagesOf(script)[0]);
    return nameOf(found ?? likely.find((language) => languagesOf('Latin').includes(language)));
  }

  const runs: Run[] = [];
  for (const [sentence] of text.matchAll(SENTENCES)) {
    const known = new Map<Script, string>();
    for (const [piece] of sentence.matchAll(WORDS)) {
      const script = mainScript(piece) ?? (/[ー々〆〇]/u.test(piece) ? 'Kana' : 'Latin');
      const language = known.get(script) ?? languageOf(script, sentence);
      known.set(script, language);
      const last = runs.at(-1);
      if (last?.language === language) last.text += piece;
      else runs.push({ text: piece, language });
    }
  }
  return runs.flatMap((run) => readable(run, readJapanese));
}

function readable({ text, language }: Run, readJapanese: ReadJapanese | undefined): Run[] {
  if (language === espeakName('zh')) return [{ text: text.replace(RARE_HAN, ''), language }];
  if (language === 'fa')
    return [{ text: text.replace(/[ەۆێڵڕ]/gu, (letter) => KURDISH_LETTERS[letter] ?? ''), language }];
  if (language !== 'ja') return [{ text, language }];
  const runs = readJapanese?.(text) ?? [{ text: speakableKana(text), language: 'ja' as const }];
  return runs.map((run) => ({ text: run.text.replace(RARE_HAN, ''), language: espeakName(run.language) }));
}
