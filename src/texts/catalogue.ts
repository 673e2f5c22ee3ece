import { IntlMessageFormat } from 'intl-messageformat';
import { en } from './en.ts';

export type TextKey = keyof typeof en;

/** A language other than English: every key, with messages of its own. */
export type Catalogue = Readonly<Record<TextKey, string>>;

/** One argument of a message (what stands before the first comma), or never for the words inside a plural's branch. */
type Argument<Name extends string> = Name extends ''
  ? never
  : Name extends `${string}${' ' | '#' | '{' | '\n'}${string}`
    ? never
    : Name;

type NumberNames<Message extends string> = Message extends `${string}{${infer Inside}}${infer Rest}`
  ? (Inside extends `${infer Name}, ${'number' | 'plural'}${string}` ? Argument<Name> : never) | NumberNames<Rest>
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

/** What a message needs, read from its English words. */
export type TextValues<K extends TextKey> = { readonly [Name in NumberNames<(typeof en)[K]>]: number } & {
  readonly [Name in WordNames<(typeof en)[K]>]: string | Text | TextList;
};

/** Keys of the messages that need no values, such as descriptions. */
export type PlainTextKey = { [K in TextKey]: keyof TextValues<K> extends never ? K : never }[TextKey];

/** Texts that read as one enumeration ('a, b'). */
export interface TextList {
  readonly list: readonly Text[];
}

/** A text that is not yet in any language: its key and what goes into it (other texts included). */
export interface Text {
  readonly key: TextKey;
  readonly values: Readonly<Record<string, Value>>;
}

type Value = string | number | Text | TextList;

/** Names a text of the catalogue together with the values its message needs. */
export function text<K extends TextKey>(
  key: K,
  ...values: keyof TextValues<K> extends never ? [] : [TextValues<K>]
): Text {
  return { key, values: (values[0] ?? {}) as Text['values'] };
}

const DEFAULT_LOCALE = 'en-US';

/** Discord's locale codes that have a catalogue. */
const CATALOGUES: Readonly<Record<string, Catalogue>> = { [DEFAULT_LOCALE]: en, 'en-GB': en };

export const LOCALES: readonly string[] = Object.keys(CATALOGUES);

/** The languages to choose from, each by its own name. */
export const LANGUAGES: readonly { readonly locale: string; readonly name: string }[] = [
  { locale: DEFAULT_LOCALE, name: 'English' },
];

const compiled = new Map<string, IntlMessageFormat>();

function messageFormat(key: TextKey, locale: string): IntlMessageFormat {
  const id = `${locale} ${key}`;
  let format = compiled.get(id);
  if (!format) {
    const message = CATALOGUES[locale]?.[key] ?? en[key];
    // Discord's own `<#1>` and `<t:1:R>` are not tags.
    format = new IntlMessageFormat(message, locale, undefined, { ignoreTag: true });
    compiled.set(id, format);
  }
  return format;
}

/** The words of a text in one of Discord's locales; a language without a catalogue gets English. */
export function render(content: Text, locale: string = DEFAULT_LOCALE): string {
  const known = locale in CATALOGUES ? locale : DEFAULT_LOCALE;
  const values = Object.entries(content.values).map(([name, value]) => [name, renderValue(value, known)]);
  return String(messageFormat(content.key, known).format(Object.fromEntries(values)));
}

function renderValue(value: Value, locale: string): string | number {
  if (typeof value !== 'object') return value;
  if ('key' in value) return render(value, locale);
  return value.list.map((item) => render(item, locale)).join(render(text('list.separator'), locale));
}
