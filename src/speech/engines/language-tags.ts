/** By tag: hundreds of voices may each name a hundred. */
const languages = new Map<string, string | undefined>();

/**
 * The language (mostly ISO 639-1) of a tag as servers write it ('en', 'en_US', 'zh-CN', 'cmn'); undefined where it is none.
 */
export function languageOfTag(tag: string): string | undefined {
  if (languages.has(tag)) return languages.get(tag);
  const language = canonical(tag)?.language;
  // Tags are few; a service with thousands of different ones must not fill the memory.
  if (languages.size < 1000) languages.set(tag, language);
  return language;
}

const namesByLocale = new Map<string, Intl.DisplayNames>();

/** Names of languages in a locale, or else in English; made at the first use, from which on they take 8 MB. */
export function languageNamesIn(locale: string): Intl.DisplayNames {
  const names =
    namesByLocale.get(locale) ?? new Intl.DisplayNames([locale, 'en'], { type: 'language', fallback: 'none' });
  namesByLocale.set(locale, names);
  return names;
}

/** Whether it is the tag of a language that has a name: 'german' and 'xx' have the form of one alone. */
export function isKnownLanguage(tag: string): boolean {
  const language = languageOfTag(tag);
  return language !== undefined && languageNamesIn('en').of(language) !== undefined;
}

/** The tag in its canonical form: 'en-US' for 'en_us'. */
export function canonicalTag(tag: string): string | undefined {
  return canonical(tag)?.toString();
}

function canonical(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag.trim().replaceAll('_', '-'));
  } catch {
    return undefined;
  }
}

/** By the first letter of Kokoro's voice names: https://huggingface.co/hexgrad/Kokoro-82M/blob/main/VOICES.md */
const KOKORO: Readonly<Record<string, string>> = {
  a: 'en-US',
  b: 'en-GB',
  e: 'es',
  f: 'fr',
  h: 'hi',
  i: 'it',
  j: 'ja',
  p: 'pt-BR',
  z: 'zh',
};

/** The language of a voice that is named as Kokoro's are, such as af_heart: its servers do not say. */
export function languageOfKokoroName(name: string): string | undefined {
  const [, letter = ''] = /^([a-z])[fm]_[a-z0-9]+$/.exec(name) ?? [];
  return KOKORO[letter];
}
