import type { Voice } from './schemas.ts';

/** Tags and labels are few; a service with thousands of different ones must not fill the memory. */
const MAX_REMEMBERED = 1000;

/** `make`, asked once for each text: hundreds of voices may each name a hundred languages. */
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
    // It only resembles a tag.
    return undefined;
  }
}

/** The language (mostly ISO 639-1) of a tag as servers write it ('en', 'en_US', 'zh-CN', 'cmn'). */
export const languageOfTag = remembering((tag) => localeOf(tag)?.language);

/** The tag in its canonical form: 'en-US' for 'en_us'. */
export const canonicalTag = remembering((tag) => localeOf(tag)?.toString());

/** Names of languages in a locale, or else in English; made at the first use, from which on they take 8 MB. */
export const languageNamesIn = remembering(
  (locale) => new Intl.DisplayNames([locale, 'en'], { type: 'language', fallback: 'none' }),
);

/** Whether it is the tag of a language that has a name: 'german' and 'xx' have the form of one alone. */
export function isKnownLanguage(tag: string): boolean {
  const language = languageOfTag(tag);
  return language !== undefined && languageNamesIn(ENGLISH).of(language) !== undefined;
}

export const ANY_LANGUAGE = 'multiple';

/** A language tag, as a label of the list begins with one: 'en-GB 🇬🇧'. */
const TAG = /^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*(?![\p{L}\p{N}_-])/iu;
const ENGLISH = 'en';

/**
 * The language meant by a label of the list, by a code, or by its name in the reader's language, in English or in itself: as a
 * label or a tag. Undefined without a match.
 */
export function languageNamed(named: string, labels: readonly string[], locale: string): string | undefined {
  const wanted = searchable(named);
  if (wanted === '') return undefined;
  const label = labels.find((one) => searchable(one) === wanted);
  if (label !== undefined) return label;
  const tags = labels.flatMap((one) => knownTag(one) ?? []);
  // 'he speaks' is not Hebrew.
  const typed = /\s/.test(wanted) ? undefined : knownTag(named);
  return typed ?? tagCalled(wanted, tags, locale) ?? tagCalled(wanted, tags, ENGLISH) ?? tagsByOwnName().get(wanted);
}

/** The labels of voices that speak a language, which is a label or a tag itself. */
export function labelsThatSpeak(language: string, labels: readonly string[]): ReadonlySet<string> {
  const tag = tagOfLabel(language);
  return new Set(
    labels.filter((label) => {
      if (label === language) return true;
      if (language === ANY_LANGUAGE) return false;
      return label === ANY_LANGUAGE || (tag !== undefined && goTogether(tag, label));
    }),
  );
}

/** The voices that speak a language, which is a label or a tag; of a voice of any language, as far as it names its languages. */
export function voicesThatSpeak(language: string, voices: readonly Voice[]): readonly Voice[] {
  const labels = labelsThatSpeak(language, [...new Set(voices.map((voice) => voice.language))]);
  return voices.filter(
    ({ language: label, languages }) =>
      labels.has(label) &&
      (label === language || languages === undefined || labelsThatSpeak(language, languages).size > 0),
  );
}

/** The language codes that detection reports: it does not distinguish Norwegian's two written forms. */
const FOUND_AS: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', fil: 'tl', yue: 'zh' };

/** Read once: a text is held against hundreds of voices, each of which may speak a hundred languages. */
const languagesByVoice = new WeakMap<Voice, readonly string[] | undefined>();

/** The language codes of a voice; undefined where its service does not say: such a voice is taken to speak everything. */
export function languagesOfVoice(voice: Voice): readonly string[] | undefined {
  if (!languagesByVoice.has(voice)) languagesByVoice.set(voice, languagesIn(voice));
  return languagesByVoice.get(voice);
}

function languagesIn({ languages, language }: Voice): readonly string[] | undefined {
  if (languages) return languages.map((tag) => (/-Hrkt$/i.test(tag) ? tag : foundAs(languageOfTag(tag) ?? tag)));
  const label = /^[a-z]{2}(?![a-z])/u.exec(language)?.[0];
  return label === undefined ? undefined : [foundAs(label)];
}

/** Cantonese alone, which is written in Chinese characters and found to be Chinese, but sounds otherwise. */
export const isCantonese = ({ languages = [] }: Voice): boolean =>
  languages.length > 0 && languages.every((tag) => languageOfTag(tag) === 'yue');

const foundAs = (language: string): string => FOUND_AS[language] ?? language;

/** 'English' includes 'en-GB', and a voice of 'en' matches 'en-GB'. */
function goTogether(tag: string, label: string): boolean {
  const other = tagOfLabel(label);
  return other !== undefined && (`${other}-`.startsWith(`${tag}-`) || `${tag}-`.startsWith(`${other}-`));
}

/** A language's name in the language of a locale, beside a label that is more than a tag; words of a label say it themselves. */
export function languageLabel(language: string, locale: string): string {
  const tag = knownTag(language);
  const name = tag === undefined ? undefined : languageNamesIn(locale).of(tag);
  const more = language.trim().replace(TAG, '');
  if (name === undefined || /\p{L}/u.test(more)) return language;
  return more === '' ? name : `${language} · ${name}`;
}

/** The tag that a text begins with, in its canonical form, where it is one of a language that has a name. */
function knownTag(text: string): string | undefined {
  const tag = canonicalTag(TAG.exec(text.trim())?.[0] ?? '');
  return tag !== undefined && languageNamesIn(ENGLISH).of(tag) !== undefined ? tag : undefined;
}

/** The same, also of a language's English name. */
export const tagOfLabel = (label: string): string | undefined =>
  knownTag(label) ?? tagCalled(searchable(label), [], ENGLISH);

function tagCalled(name: string, tags: readonly string[], locale: string): string | undefined {
  return tags.find((tag) => searchable(languageNamesIn(locale).of(tag) ?? '') === name) ?? tagsByName(locale).get(name);
}

const A_TO_Z = Array.from('abcdefghijklmnopqrstuvwxyz');

/** The languages that have a code of two letters, by their names in one of them: Intl cannot list them. */
const tagsByName = remembering((locale) => {
  const tags = new Map<string, string>();
  for (const code of A_TO_Z.flatMap((first) => A_TO_Z.map((second) => first + second))) {
    const name = languageNamesIn(locale).of(code);
    if (name !== undefined) tags.set(searchable(name), Intl.getCanonicalLocales(code)[0] ?? code);
  }
  return tags;
});

/** The names of all languages would take too long at the first use. */
export const COMMON_LANGUAGES = 'en es de fr it pt nl sv pl cs ru uk tr el ro hu fi vi id hi ar he ja ko zh'.split(' ');
let ownNames: ReadonlyMap<string, string> | undefined;

/** What they call themselves: '日本語'. */
function tagsByOwnName(): ReadonlyMap<string, string> {
  ownNames ??= new Map(COMMON_LANGUAGES.map((tag) => [searchable(languageNamesIn(tag).of(tag) ?? tag), tag]));
  return ownNames;
}

/** Without case and accents, so that 'espanol' is understood and 'zoe' finds 'Zoë'. */
export function searchable(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
