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

/**
 * The language (mostly ISO 639-1) of a tag as servers write it ('en', 'en_US', 'zh-CN', 'cmn'); undefined where it is none.
 */
export const languageOfTag = remembering((tag) => canonical(tag)?.language);

/** Names of languages in a locale, or else in English; made at the first use, from which on they take 8 MB. */
export const languageNamesIn = remembering(
  (locale) => new Intl.DisplayNames([locale, 'en'], { type: 'language', fallback: 'none' }),
);

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
