import { isKanjiAlone } from '../../language/scripts.ts';
import { COMMON_LANGUAGES, languageNamed, languagesOfVoice } from '../../speech/interface/languages.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { LANGUAGES } from '../../texts/catalog.ts';

/** The languages (ISO 639-1) that members can choose: as many as a Discord choice list can hold. */
export const SPOKEN_LANGUAGES: readonly string[] = COMMON_LANGUAGES;

/** Finds a language by its code, its own name, or its name in a language of the bot. */
export function spokenLanguageNamed(named: string): string | undefined {
  return LANGUAGES.map(({ locale }) => languageNamed(named, SPOKEN_LANGUAGES, locale)).find(
    (language) => language !== undefined && SPOKEN_LANGUAGES.includes(language),
  );
}

/** The locale of the bot's texts in a language (ISO 639-1); undefined if the bot has no such texts. */
export const localeOfLanguage = (language: string | undefined): string | undefined =>
  LANGUAGES.find(({ locale }) => languageOfLocale(locale) === language)?.locale;

/** The language (ISO 639-1) in which a reader with the given locale sees the bot's texts. */
export const languageOfTexts = (locale: string): string =>
  localeOfLanguage(languageOfLocale(locale)) === undefined ? 'en' : languageOfLocale(locale);

export const languageOfLocale = (locale: string): string => locale.slice(0, 2).toLowerCase();

/** True if a voice speaks a language (ISO 639-1), or if its service does not state languages. */
export const speaksLanguage = (voice: Voice, language: string): boolean =>
  languagesOfVoice(voice)?.some((tag) => languageOfLocale(tag) === language) ?? true;

/** The language to send to the speech service; undefined if the voice accepts none. */
export function languageFor(voice: Voice, words: string, language: string | undefined, likely: readonly string[]) {
  if (!voice.takes_language) return undefined;
  return language ?? (isKanjiAlone(words, likely) ? 'ja' : undefined);
}
