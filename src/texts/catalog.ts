import { IntlMessageFormat } from 'intl-messageformat';
import { de } from './de.ts';
import { en, type TextKey } from './en.ts';
import { es } from './es.ts';

export type { TextKey };

/** The name of a message's placeholder; `never` if the text in braces is something else, such as the words of a branch. */
type Argument<Name extends string> = Name extends ''
  ? never
  : Name extends `${string}${' ' | '#' | '{' | '\n' | '.'}${string}`
    ? never
    : Name;

/** The name in words before it, as `part` in ` part {part`: a placeholder within the branch of a plural or select. */
type Innermost<Words extends string> = Words extends `${string}{${infer Rest}` ? Innermost<Rest> : Words;

type NumberNames<Message extends string> = Message extends `${string}{${infer Inside}}${infer Rest}`
  ?
      | (Inside extends `${infer Name}, ${'number' | 'plural'}${string}` ? Argument<Innermost<Name>> : never)
      | NumberNames<Rest>
  : never;

type WordNames<Message extends string> = Message extends `${string}{${infer Inside}}${infer Rest}`
  ?
      | (Inside extends `${infer Name}, select${string}`
          ? Argument<Name>
          : Inside extends `${string},${string}`
            ? never
            : Argument<Inside>)
      | WordNames<Rest>
  : never;

type TextValues<K extends TextKey> = { readonly [Name in NumberNames<(typeof en)[K]>]: number } & {
  readonly [Name in WordNames<(typeof en)[K]>]: string | Text | TextList | LanguageName;
};

/** Keys of messages that have no placeholders, such as descriptions of commands. */
export type PlainTextKey = { [K in TextKey]: keyof TextValues<K> extends never ? K : never }[TextKey];

/** A list in a text that names all items ('a, b, and c') or alternatives ('a, b, or c'). */
export type TextList = { readonly list: readonly Item[] } | { readonly anyOf: readonly Item[] };

type Item = Text | LanguageName | string;

/** A language (ISO 639-1) that is shown by its name in the reader's language: 'German', 'alemán'. */
export interface LanguageName {
  readonly language: string;
}

export interface Text {
  readonly key: TextKey;
  readonly values: Readonly<Record<string, Value>>;
}

type Value = string | number | Text | TextList | LanguageName;

export type ValuesOf<K extends TextKey> = keyof TextValues<K> extends never ? [] : [TextValues<K>];

export function text<K extends TextKey>(key: K, ...values: ValuesOf<K>): Text {
  return { key, values: (values[0] ?? {}) as Text['values'] };
}

export function firstItems(items: readonly Item[], most: number): TextList {
  const more = items.length - most;
  return { list: more > 0 ? [...items.slice(0, most), text('list.more', { count: more })] : items };
}

export function firstLines(lines: readonly Text[], most: number): readonly Text[] {
  const more = lines.length - most;
  return more > 0 ? [...lines.slice(0, most), text('lines.more', { count: more })] : lines;
}

interface Language {
  /** Discord's locale codes of the language; the first code stands for the language in settings. */
  readonly locales: readonly [string, ...string[]];
  readonly name: string;
  readonly texts: Readonly<Record<TextKey, string>>;
}

const ENGLISH: Language = { locales: ['en-US', 'en-GB'], name: 'English', texts: en };

/** https://docs.discord.com/developers/reference#locales lists Discord's locales. */
const CATALOGS: readonly Language[] = [
  ENGLISH,
  { locales: ['es-ES', 'es-419'], name: 'Español', texts: { ...en, ...es } },
  { locales: ['de'], name: 'Deutsch', texts: { ...en, ...de } },
];

const DEFAULT_LOCALE = ENGLISH.locales[0];

const byLocale = new Map(CATALOGS.flatMap((language) => language.locales.map((locale) => [locale, language])));

export const LOCALES: readonly string[] = [...byLocale.keys()];

export const TRANSLATED_LOCALES = LOCALES.filter((locale) => byLocale.get(locale) !== ENGLISH);

export const LANGUAGES: readonly { readonly locale: string; readonly name: string }[] = CATALOGS.map(
  ({ locales: [locale], name }) => ({ locale, name }),
);

export const isLanguage = (locale: string): boolean => LANGUAGES.some((language) => language.locale === locale);

/** Returns undefined for a locale in which the bot has no texts. */
export function messageOf(key: TextKey, locale: string): string | undefined {
  return byLocale.get(locale)?.texts[key];
}

function readableLocale(locale: string): string {
  if (byLocale.has(locale)) return locale;
  const [language] = locale.toLowerCase().split('-', 1);
  return CATALOGS.find(({ locales: [first] }) => first.split('-', 1)[0] === language)?.locales[0] ?? DEFAULT_LOCALE;
}

/** Messages without arguments or quotes avoid the cost of Intl's first use. */
const HAS_SYNTAX = /[{}']/;

/** The ids of the bot's registered commands, by the name that members type, such as 'voice set'. */
export type CommandIds = ReadonlyMap<string, string>;

/** Turns commands into mentions, which members can click: https://docs.discord.com/developers/reference */
export function clickable(message: string, ids: CommandIds): string {
  if (ids.size === 0 || !message.includes('/')) return message;
  const names = [...ids.keys()].sort((one, other) => other.length - one.length).join('|');
  return message.replace(
    new RegExp(`(?<![\\w/<*\`])/(${names})(?![\\w-])`, 'g'),
    (_, name: string) => `</${name}:${ids.get(name)}>`,
  );
}

const NO_IDS: CommandIds = new Map();

const compiled = new Map<string, IntlMessageFormat>();

function messageFormat(message: string, key: TextKey, locale: string, ids: CommandIds): IntlMessageFormat {
  const id = `${locale} ${key} ${ids.size}`;
  let format = compiled.get(id);
  if (!format) {
    // With ignoreTag, the parser does not take Discord's `<#1>` and `<t:1:R>` for XML tags.
    format = new IntlMessageFormat(clickable(message, ids), locale, undefined, { ignoreTag: true });
    compiled.set(id, format);
  }
  return format;
}

/**
 * English is used if no catalog fits the locale. With the commands' `ids`, members can click the commands in the text.
 */
export function render(content: Text, locale: string = DEFAULT_LOCALE, ids = NO_IDS): string {
  const known = readableLocale(locale);
  const message = messageOf(content.key, known) ?? en[content.key];
  if (!HAS_SYNTAX.test(message)) return clickable(message, ids);
  const values = Object.entries(content.values).map(([name, value]) => [name, renderValue(value, known, ids)]);
  return String(messageFormat(message, content.key, known, ids).format(Object.fromEntries(values)));
}

function renderValue(value: Value, locale: string, ids: CommandIds): string | number {
  if (typeof value !== 'object') return value;
  if ('key' in value) return render(value, locale, ids);
  if ('language' in value) return renderLanguage(value, locale);
  const [type, items] =
    'list' in value ? (['conjunction', value.list] as const) : (['disjunction', value.anyOf] as const);
  return new Intl.ListFormat(locale, { type }).format(items.map((item) => String(renderValue(item, locale, ids))));
}

/** Intl would name all languages, but takes 8 MB once used. */
const LANGUAGE_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: { en: 'English', es: 'inglés', de: 'Englisch' },
  es: { en: 'Spanish', es: 'español', de: 'Spanisch' },
  de: { en: 'German', es: 'alemán', de: 'Deutsch' },
  fr: { en: 'French', es: 'francés', de: 'Französisch' },
  it: { en: 'Italian', es: 'italiano', de: 'Italienisch' },
  pt: { en: 'Portuguese', es: 'portugués', de: 'Portugiesisch' },
  nl: { en: 'Dutch', es: 'neerlandés', de: 'Niederländisch' },
  sv: { en: 'Swedish', es: 'sueco', de: 'Schwedisch' },
  pl: { en: 'Polish', es: 'polaco', de: 'Polnisch' },
  cs: { en: 'Czech', es: 'checo', de: 'Tschechisch' },
  ru: { en: 'Russian', es: 'ruso', de: 'Russisch' },
  uk: { en: 'Ukrainian', es: 'ucraniano', de: 'Ukrainisch' },
  tr: { en: 'Turkish', es: 'turco', de: 'Türkisch' },
  el: { en: 'Greek', es: 'griego', de: 'Griechisch' },
  ro: { en: 'Romanian', es: 'rumano', de: 'Rumänisch' },
  hu: { en: 'Hungarian', es: 'húngaro', de: 'Ungarisch' },
  fi: { en: 'Finnish', es: 'finés', de: 'Finnisch' },
  vi: { en: 'Vietnamese', es: 'vietnamita', de: 'Vietnamesisch' },
  id: { en: 'Indonesian', es: 'indonesio', de: 'Indonesisch' },
  hi: { en: 'Hindi', es: 'hindi', de: 'Hindi' },
  ar: { en: 'Arabic', es: 'árabe', de: 'Arabisch' },
  he: { en: 'Hebrew', es: 'hebreo', de: 'Hebräisch' },
  ja: { en: 'Japanese', es: 'japonés', de: 'Japanisch' },
  ko: { en: 'Korean', es: 'coreano', de: 'Koreanisch' },
  zh: { en: 'Chinese', es: 'chino', de: 'Chinesisch' },
};

export function renderLanguage({ language }: LanguageName, locale: string = DEFAULT_LOCALE): string {
  const known = readableLocale(locale);
  const written = LANGUAGE_NAMES[language]?.[known.slice(0, 2)];
  if (written !== undefined) return written;
  return new Intl.DisplayNames([known], { type: 'language', fallback: 'code' }).of(language) ?? language;
}
