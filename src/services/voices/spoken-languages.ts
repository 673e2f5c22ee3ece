import { readsAll, unspeakableWords, type WrittenWords } from '../../language/speakable-words.ts';
import { COMMON_LANGUAGES, languageNamed, languagesOfVoice } from '../../speech/interface/languages.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { LANGUAGES } from '../../texts/catalog.ts';

/** The languages (ISO 639-1) that can be chosen; as many as Discord's list of choices holds. */
export const SPOKEN_LANGUAGES: readonly string[] = COMMON_LANGUAGES;

/** The language that a member names: by its code, its own name, or its name in a language of the bot. */
export function spokenLanguageNamed(named: string): string | undefined {
  return LANGUAGES.map(({ locale }) => languageNamed(named, SPOKEN_LANGUAGES, locale)).find(
    (language) => language !== undefined && SPOKEN_LANGUAGES.includes(language),
  );
}

/** The locale of the bot's own words in a language (ISO 639-1); undefined where it has none. */
export const localeOfLanguage = (language: string | undefined): string | undefined =>
  LANGUAGES.find(({ locale }) => languageOfLocale(locale) === language)?.locale;

/** The language in which the bot's own words are for a reader with that locale. */
export const languageOfTexts = (locale: string): string =>
  localeOfLanguage(languageOfLocale(locale)) === undefined ? 'en' : languageOfLocale(locale);

export const languageOfLocale = (locale: string): string => locale.slice(0, 2).toLowerCase();

/** Whether a voice speaks a language (ISO 639-1), as far as its service says. */
export const speaksLanguage = (voice: Voice, language: string): boolean =>
  languagesOfVoice(voice)?.some((tag) => languageOfLocale(tag) === language) ?? true;

export function readsWords(voice: Voice, words: WrittenWords, areKanji: boolean): boolean {
  const languages = languagesOfVoice(voice);
  return languages === undefined || readsAll(words, languages, areKanji);
}

export function wordsBeyond(voice: Voice, words: WrittenWords, areKanji: boolean): readonly string[] {
  const languages = languagesOfVoice(voice);
  return languages === undefined ? [] : unspeakableWords(words, languages, areKanji);
}
