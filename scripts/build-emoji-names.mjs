// `npm run build:emoji`: writes the spoken names of emoji into one table, a line a language. The package they come from
// (emojibase-data, 49 MB) is needed for that alone, so it is a development dependency. Run it after that package's updates.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './runtime-node.mjs';

export const EMOJI_NAMES_FILE = join(root, 'src', 'services', 'text', 'readable', 'emoji-names.tsv');

/** Discord's locales, or their language, by the folder of their emoji names. */
const FOLDERS = {
  ...{ en: 'en', da: 'da', de: 'de', 'en-GB': 'en-gb', 'es-419': 'es-mx', 'es-ES': 'es', fi: 'fi', fr: 'fr', hi: 'hi' },
  ...{ hu: 'hu', it: 'it', ja: 'ja', ko: 'ko', lt: 'lt', nl: 'nl', no: 'nb', pl: 'pl', 'pt-BR': 'pt', ru: 'ru' },
  ...{ 'sv-SE': 'sv', th: 'th', uk: 'uk', vi: 'vi', 'zh-CN': 'zh', 'zh-TW': 'zh-hant' },
};

/** Presentation selectors and skin tones: the spoken name is the same without them. */
const VARIATIONS = /[\uFE0E\uFE0F\u{1F3FB}-\u{1F3FF}]/gu;

function namesIn(folder) {
  const file = createRequire(import.meta.url).resolve(`emojibase-data/${folder}/compact.json`);
  const list = JSON.parse(readFileSync(file, 'utf8'));
  return new Map(
    list.map(({ unicode = '', label }) => [unicode.replaceAll(VARIATIONS, ''), label.replaceAll(': ', ' ')]),
  );
}

/** The whole table: an empty line, so that each line has a line break before it, the emoji, then a line a locale. */
export function emojiTable() {
  const locales = Object.entries(FOLDERS).map(([locale, folder]) => ({ locale, names: namesIn(folder) }));
  const emoji = [...new Set(locales.flatMap(({ names }) => [...names.keys()]))].filter((one) => one !== '').sort();
  const lines = locales.map(({ locale, names }) => [locale, ...emoji.map((one) => names.get(one) ?? '')]);
  return ['', ...[['emoji', ...emoji], ...lines].map((cells) => cells.join('\t')), ''].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(EMOJI_NAMES_FILE, emojiTable());
