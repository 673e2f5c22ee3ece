import { Locale } from 'discord.js';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { SPOKEN_LANGUAGES } from '../../src/services/voices/preferences.ts';
import {
  LANGUAGES,
  LOCALES,
  messageOf,
  render,
  renderLanguage,
  type TextKey,
  TRANSLATED_LOCALES,
} from '../../src/texts/catalog.ts';
import { en } from '../../src/texts/en.ts';
import { type Argument, argumentsOf, samplesOf } from './messages.ts';

const KEYS = Object.keys(en) as TextKey[];

/** Messages without a word of their own: values, marks and signs. */
const isWordless = (message: string) => !/\p{L}/u.test(message.replaceAll(/\{[^{}]*\}|`[^`]*`/gu, ''));

/** Words that are the same in English and in that language. */
const THE_SAME: Readonly<Record<string, readonly TextKey[]>> = {
  de: [
    'settings.page.limits',
    'settings.export',
    'settings.import',
    'help.option',
    'moderation.where',
    'owner.status.ok',
  ],
  es: ['readable.spoiler', 'readable.emoji', 'owner.status.ok'],
};

/** Argument by argument: its kind and its branches, those of a plural as far as they name a number. */
function shapeOf(message: string): string[] {
  const described = ({ name, kind, branches }: Argument) => {
    const exact = kind === 'plural' ? branches.filter((branch) => branch.startsWith('=')) : branches;
    return [name, kind, ...exact.toSorted()].join(' ');
  };
  return [...new Set(argumentsOf(message).map(described))].sort();
}

/** Every plural that has words of its own for one: a message may have two of them. */
const PLURALS = KEYS.flatMap((key) => {
  const counted = argumentsOf(en[key]).filter(({ kind, branches }) => kind === 'plural' && branches.includes('one'));
  return [...new Set(counted.map(({ name }) => name))].map((name) => ({ key, name }));
});

/** Plurals whose words are the same for one and for two, as 'Server' is in German. */
const SAME_WORDS: Readonly<Record<string, readonly string[]>> = {
  en: [],
  de: ['counted.characters count', 'say.billed characters', 'account.allowance left'],
  es: [],
};

it.each(['en-US', 'de', 'es-ES'])('a plural is worded otherwise for one than for two in %s', (locale) => {
  const alike = PLURALS.filter(({ key, name }) => {
    const [others] = samplesOf(en[key]);
    const wordsFor = (count: number) =>
      render({ key, values: { ...others, [name]: count } }, locale).replaceAll(/\d/gu, '');
    return wordsFor(1) === wordsFor(2);
  });
  const [language = ''] = locale.split('-');
  expect(alike.map(({ key, name }) => `${key} ${name}`)).toEqual(SAME_WORDS[language]);
  expect(PLURALS.length).toBeGreaterThan(50);
});

it('each language is there by its own name, for all its locales', () => {
  expect(LANGUAGES).toEqual([
    { locale: 'en-US', name: 'English' },
    { locale: 'es-ES', name: 'Español' },
    { locale: 'de', name: 'Deutsch' },
  ]);
  expect(LOCALES).toEqual(['en-US', 'en-GB', 'es-ES', 'es-419', 'de']);
  expect(TRANSLATED_LOCALES).toEqual(['es-ES', 'es-419', 'de']);
  expect(Object.values(Locale)).toEqual(expect.arrayContaining([...LOCALES]));
});

it('languages are named as Intl names them, also those that are not written out', () => {
  for (const locale of LOCALES) {
    const names = new Intl.DisplayNames([locale], { type: 'language' });
    for (const language of [...SPOKEN_LANGUAGES, 'ca', 'sw']) {
      expect(renderLanguage({ language }, locale), `${language} in ${locale}`).toBe(names.of(language));
    }
  }
});

it('a text without values is what a message format makes of it', () => {
  for (const locale of LOCALES) {
    for (const key of KEYS.filter((one) => argumentsOf(en[one]).length === 0)) {
      const format = new IntlMessageFormat(messageOf(key, locale) ?? '', locale, undefined, { ignoreTag: true });
      expect(render({ key, values: {} }, locale), `${key} in ${locale}`).toBe(format.format());
    }
  }
});

describe.each(TRANSLATED_LOCALES.map((locale) => [locale]))('in %s', (locale) => {
  const [language = ''] = locale.split('-');
  const messages = KEYS.map((key) => [key, messageOf(key, locale) ?? ''] as const);
  /** Keys of the messages that are not as they should be. */
  const wrong = (isWrong: (message: string, key: TextKey) => boolean) =>
    messages.filter(([key, message]) => isWrong(message, key)).map(([key]) => key);

  it('each text takes in the same values, with the same branches', () => {
    expect(wrong((message, key) => shapeOf(message).join() !== shapeOf(en[key]).join())).toEqual([]);
  });

  it('each text renders with its values, whichever branch is taken', () => {
    const isWrong = (_: string, key: TextKey) =>
      samplesOf(en[key]).some((values) => {
        const [words, inEnglish] = [render({ key, values }, locale), render({ key, values })];
        const lost = Object.values(values).some(
          (value) =>
            String(value).startsWith('‹') && inEnglish.includes(String(value)) && !words.includes(String(value)),
        );
        return lost || [words, inEnglish].some((rendered) => /undefined|null|NaN|[{}]/u.test(rendered));
      });
    expect(wrong(isWrong)).toEqual([]);
  });

  it('nothing is left in English', () => {
    const left = wrong((message, key) => message === en[key] && !isWordless(message));
    expect(left).toEqual(KEYS.filter((key) => THE_SAME[language]?.includes(key)));
  });

  it('commands, tags, settings of the bot and marks are what they are in English', () => {
    const fixed = (message: string) =>
      (message.match(/\/[a-z]+(?![a-z])|`[^`]*`|\b[A-Z]+_[A-Z_]+\b|^-# |\*\*|^#+ /gu) ?? []).toSorted().join();
    expect(wrong((message, key) => fixed(message) !== fixed(en[key]))).toEqual([]);
  });
});
