import type { LanguageDetector } from '../../../language/detection.ts';
import { ALL_LANGUAGES, languagesOf, mainScript, type Script } from '../../../language/scripts.ts';
import { isJapanese, JAPANESE_SYLLABLES_ONLY, SENTENCES } from '../../../language/speakable-words.ts';

/** Where the synthesiser's name for a language is not the ISO 639-1 code. */
const ESPEAK_NAMES: Readonly<Record<string, string>> = { zh: 'cmn' };
const espeakName = (language: string): string => ESPEAK_NAMES[language] ?? language;

/** Languages that can be detected and for which eSpeak NG has no voice. */
const NOT_SPOKEN: ReadonlySet<string> = new Set(['km', 'lo', 'tl', 'yo']);

/**
 * What eSpeak NG reads (`node bench/languages/main.ts`). Of Japanese the syllables only: kanji it spells out, each as
 * 'Chinese letter'.
 */
export const ESPEAK_LANGUAGES: readonly string[] = ALL_LANGUAGES.filter((language) => !NOT_SPOKEN.has(language)).map(
  (language) => (language === 'ja' ? JAPANESE_SYLLABLES_ONLY : language),
);

/** A word with the characters up to the next one: punctuation and digits stay with the word before. */
const WORDS = /\P{L}*[\p{L}\p{M}]+[^\p{L}]*|\P{L}+/gu;

interface Run {
  text: string;
  language: string;
}

/**
 * Cuts text into runs of one language each, in eSpeak's names. Letters of a script name its language; Latin ones are
 * `ownLanguage` unless a detector is given and finds their sentence, or else the whole text, to be in another.
 */
export function languageRuns(text: string, ownLanguage: string, detector?: LanguageDetector): Run[] {
  const own = ownLanguage.slice(0, 2);
  const ofText = detector?.detect(text, [own]);
  const likely = ofText === undefined ? [own] : [ofText, own];
  const nameOf = (language: string | undefined): string =>
    language === undefined || language === own || NOT_SPOKEN.has(language) ? ownLanguage : espeakName(language);

  /** The language of the words of one script in a sentence: of several scripts, those words alone are the proof. */
  function languageOf(script: Script, sentence: string): string {
    // Kanji and Chinese characters are the same letters: the syllables beside them decide.
    if (script === 'Han') return nameOf(isJapanese(sentence) ? 'ja' : 'zh');
    const words = [...sentence.matchAll(WORDS)].map(([word]) => word).filter((word) => mainScript(word) === script);
    const found = detector?.detect(words.join(''), likely);
    if (script !== 'Latin') return nameOf(found ?? languagesOf(script)[0]);
    return nameOf(found ?? likely.find((language) => languagesOf('Latin').includes(language)));
  }

  const runs: Run[] = [];
  for (const [sentence] of text.matchAll(SENTENCES)) {
    const known = new Map<Script, string>();
    for (const [piece] of sentence.matchAll(WORDS)) {
      const script = mainScript(piece) ?? 'Latin';
      const language = known.get(script) ?? languageOf(script, sentence);
      known.set(script, language);
      const last = runs.at(-1);
      if (last?.language === language) last.text += piece;
      else runs.push({ text: piece, language });
    }
  }
  return runs;
}
