import type { LocaleString } from 'discord-api-types/v10';

/** The languages of Discord's client: https://discord.com/developers/docs/reference#locales */
export const LANGUAGES: readonly LocaleString[] = [
  ...(['bg', 'cs', 'da', 'de', 'el', 'en-GB', 'en-US', 'es-419', 'es-ES', 'fi', 'fr', 'hi', 'hr', 'hu', 'id'] as const),
  ...(['it', 'ja', 'ko', 'lt', 'nl', 'no', 'pl', 'pt-BR', 'ro', 'ru', 'sv-SE', 'th', 'tr', 'uk', 'vi'] as const),
  ...(['zh-CN', 'zh-TW'] as const),
];

/** As Discord writes it, in whatever case it was typed. */
export const languageCalled = (code: string): LocaleString | undefined =>
  LANGUAGES.find((language) => language.toLowerCase() === code.toLowerCase());
