import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Discord's locales by the folder of their emoji names. */
const FOLDERS: Readonly<Record<string, string>> = {
  ...{ da: 'da', de: 'de', 'en-GB': 'en-gb', 'es-419': 'es-mx', 'es-ES': 'es', fi: 'fi', fr: 'fr', hi: 'hi', hu: 'hu' },
  ...{ it: 'it', ja: 'ja', ko: 'ko', lt: 'lt', nl: 'nl', no: 'nb', pl: 'pl', 'pt-BR': 'pt', ru: 'ru', 'sv-SE': 'sv' },
  ...{ th: 'th', uk: 'uk', vi: 'vi', 'zh-CN': 'zh', 'zh-TW': 'zh-hant' },
};
const ENGLISH = 'en';

const require = createRequire(import.meta.url);
const loaded = new Map<string, ReadonlyMap<string, string>>();

/** Presentation selectors and skin tones: the spoken name is the same without them. */
const VARIATIONS = /[\uFE0E\uFE0F\u{1F3FB}-\u{1F3FF}]/gu;
const REGIONAL_INDICATOR_A = 0x1f1e6;

/** Emoji names of a locale, without variations; read from disk at the first use (some 10 ms), then kept. */
function emojiNames(locale: string): ReadonlyMap<string, string> {
  const folder = FOLDERS[locale] ?? FOLDERS[locale.split('-', 1)[0] ?? ''] ?? ENGLISH;
  const known = loaded.get(folder);
  if (known) return known;
  // Not required as a module: that would keep the keywords too, which are most of it.
  const file = readFileSync(require.resolve(`emojibase-data/${folder}/compact.json`), 'utf8');
  const list: readonly { unicode?: string; label: string }[] = JSON.parse(file);
  const names = new Map(
    list.map(({ unicode = '', label }) => [unicode.replaceAll(VARIATIONS, ''), label.replaceAll(': ', ' ')]),
  );
  // The skin tones by themselves, which are not announced.
  names.delete('');
  loaded.set(folder, names);
  return names;
}

/** The names of one emoji grapheme: usually one; a sequence without a name of its own gives those of its parts. */
export function namesOfEmoji(grapheme: string, locale: string): string[] {
  const names = emojiNames(locale);
  const bare = grapheme.replaceAll(VARIATIONS, '');
  const name = names.get(bare);
  if (name !== undefined && !isRegionalIndicator(bare)) return [name];
  return bare.split('\u200D').flatMap((part) => {
    if (isRegionalIndicator(part)) return [String.fromCharCode(65 + (part.codePointAt(0) ?? 0) - REGIONAL_INDICATOR_A)];
    return names.get(part) ?? [];
  });
}

/** A letter that is half a flag stands for itself: members write words with them. */
function isRegionalIndicator(part: string): boolean {
  return part.length === 2 && /^\p{Regional_Indicator}$/u.test(part);
}
