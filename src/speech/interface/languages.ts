import type { Voice } from './schemas.ts';

/** The cache of language tags and labels is limited, because thousands of different ones would fill the memory. */
const MAX_REMEMBERED = 1000;

/** Wraps `make` with a cache of its results, because hundreds of voices may each name the same hundred languages. */
export function remembering<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (known.has(text)) return known.get(text) as T;
    const made = make(text);
    if (known.size < MAX_REMEMBERED) known.set(text, made);
    return made;
  };
}

function localeOf(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag.trim().replaceAll('_', '-'));
  } catch {
    return undefined;
  }
}

/** The language code (mostly ISO 639-1) of a language tag in any spelling ('en', 'en_US', 'zh-CN', 'cmn'). */
export const languageOfTag = remembering((tag) => localeOf(tag)?.language);

export const canonicalTag = remembering((tag) => localeOf(tag)?.toString());

/** Language names in a locale, with English as the fallback. Created at first use, because the data takes 8 MB. */
export const languageNamesIn = remembering(
  (locale) => new Intl.DisplayNames([locale, 'en'], { type: 'language', fallback: 'none' }),
);

/** True if the language of a tag has a name: 'german' and 'xx' have a tag's form, but no name. */
export function isKnownLanguage(tag: string): boolean {
  const language = languageOfTag(tag);
  return language !== undefined && languageNamesIn(ENGLISH).of(language) !== undefined;
}

export const ANY_LANGUAGE = 'multiple';

/** Matches the language tag at the start of a voice's language label, such as 'en-GB 🇬🇧'. */
const TAG = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*(?![\p{L}\p{N}_-])/iu;
const ENGLISH = 'en';

/** Finds the language that a user means by a label, a code, or a name in `locale`, English or the language itself. */
export function languageNamed(named: string, labels: readonly string[], locale: string): string | undefined {
  const wanted = searchable(named);
  if (wanted === '') return undefined;
  const label = labels.find((one) => searchable(one) === wanted);
  if (label !== undefined) return label;
  const tags = labels.flatMap((one) => knownTag(one) ?? []);
  // Only a text without spaces can be a language code: 'he speaks' does not mean 'he' (Hebrew).
  const typed = /\s/.test(wanted) ? undefined : knownTag(named);
  return typed ?? tagCalled(wanted, tags, locale) ?? tagCalled(wanted, tags, ENGLISH) ?? tagsByOwnName().get(wanted);
}

/** `language` is a label or a tag. A multilingual voice with a list of languages matches only if the list has it. */
export function voicesThatSpeak(language: string, voices: readonly Voice[]): readonly Voice[] {
  const tag = tagOfLabel(language);
  const covers = (label: string) => {
    if (label === language) return true;
    if (language === ANY_LANGUAGE) return false;
    return label === ANY_LANGUAGE || (tag !== undefined && goTogether(tag, label));
  };
  return voices.filter(
    ({ language: label, languages }) => label === language || (covers(label) && (languages?.some(covers) ?? true)),
  );
}

/** Language detection reports these codes as another one: both written forms of Norwegian as 'no', for example. */
const FOUND_AS: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', fil: 'tl', yue: 'zh' };

/** Language codes are cached, because each text is compared with hundreds of voices of up to a hundred languages. */
const languagesByVoice = new WeakMap<Voice, readonly string[] | undefined>();

/** The language codes of a voice. Undefined if the service names none: the voice then counts as speaking everything. */
export function languagesOfVoice(voice: Voice): readonly string[] | undefined {
  if (!languagesByVoice.has(voice)) languagesByVoice.set(voice, languagesIn(voice));
  return languagesByVoice.get(voice);
}

function languagesIn({ languages, language }: Voice): readonly string[] | undefined {
  if (languages) return languages.map((tag) => (/-Hrkt$/i.test(tag) ? tag : foundAs(languageOfTag(tag) ?? tag)));
  const label = /^[a-z]{2}(?![a-z])/u.exec(language)?.[0];
  return label === undefined ? undefined : [foundAs(label)];
}

/** True if a voice speaks only Cantonese, which language detection reports as Chinese but which sounds different. */
export const isCantonese = ({ languages = [] }: Voice): boolean =>
  languages.length > 0 && languages.every((tag) => languageOfTag(tag) === 'yue');

const foundAs = (language: string): string => FOUND_AS[language] ?? language;

/** True if a language tag and the tag of a voice's label are equal or include each other: 'en' includes 'en-GB'. */
function goTogether(tag: string, label: string): boolean {
  const other = tagOfLabel(label);
  return other !== undefined && (`${other}-`.startsWith(`${tag}-`) || `${tag}-`.startsWith(`${other}-`));
}

/** A label gets its language's name: 'en-GB 🇬🇧 · British English'. A label of words stays as it is. */
export function languageLabel(language: string, locale: string): string {
  const tag = knownTag(language);
  const name = tag === undefined ? undefined : languageNamesIn(locale).of(tag);
  const more = language.trim().replace(TAG, '');
  if (name === undefined || /\p{L}/u.test(more)) return language;
  return more === '' ? name : `${language} · ${name}`;
}

/** The language tag at the start of a text, in its canonical form; undefined if its language has no name. */
function knownTag(text: string): string | undefined {
  const tag = canonicalTag(TAG.exec(text.trim())?.[0] ?? '');
  return tag !== undefined && languageNamesIn(ENGLISH).of(tag) !== undefined ? tag : undefined;
}

/** The language tag at the start of a voice's label, or the tag of an English language name. */
export const tagOfLabel = (label: string): string | undefined =>
  knownTag(label) ?? tagCalled(searchable(label), [], ENGLISH);

function tagCalled(name: string, tags: readonly string[], locale: string): string | undefined {
  return tags.find((tag) => searchable(languageNamesIn(locale).of(tag) ?? '') === name) ?? tagsByName(locale).get(name);
}

const A_TO_Z = Array.from('abcdefghijklmnopqrstuvwxyz');

/** Language tags by their names in a locale. Every two-letter code is tried, because Intl cannot list languages. */
const tagsByName = remembering((locale) => {
  const tags = new Map<string, string>();
  for (const code of A_TO_Z.flatMap((first) => A_TO_Z.map((second) => first + second))) {
    const name = languageNamesIn(locale).of(code);
    if (name !== undefined) tags.set(searchable(name), Intl.getCanonicalLocales(code)[0] ?? code);
  }
  return tags;
});

/** Voices can be found by these languages' own names ('Deutsch'). Every language's own name would load too slowly. */
export const COMMON_LANGUAGES = 'en es de fr it pt nl sv pl cs ru uk tr el ro hu fi vi id hi ar he ja ko zh'.split(' ');
let ownNames: ReadonlyMap<string, string> | undefined;

function tagsByOwnName(): ReadonlyMap<string, string> {
  ownNames ??= new Map(COMMON_LANGUAGES.map((tag) => [searchable(languageNamesIn(tag).of(tag) ?? tag), tag]));
  return ownNames;
}

/** Removes case and accents from searched text: 'espanol' finds 'español', and 'zoe' finds 'Zoë'. */
export function searchable(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
