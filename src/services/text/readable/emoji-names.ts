import { readFileSync } from 'node:fs';

/** `npm run build:emoji` writes this table. Its row `emoji` lists the emoji, and each locale's row has their names. */
const TABLE = new URL('emoji-names.tsv', import.meta.url);
const ENGLISH = 'en';

const loaded = new Map<string, ReadonlyMap<string, string>>();

/** Presentation selectors and skin tones. */
const VARIATIONS = /[\uFE0E\uFE0F\u{1F3FB}-\u{1F3FF}]/gu;
const REGIONAL_INDICATOR_A = 0x1f1e6;

/** The fields of the table's line that begins with `name`. Only that line becomes a string, to keep the rest out of the memory. */
function lineOf(table: Buffer, name: string): string[] | undefined {
  const start = table.indexOf(`\n${name}\t`);
  return start < 0
    ? undefined
    : table
        .toString('utf8', start, table.indexOf('\n', start + 1))
        .split('\t')
        .slice(1);
}

/** Names by emoji without skin tone, loaded at the first use (some milliseconds). */
function emojiNames(locale: string): ReadonlyMap<string, string> {
  const known = loaded.get(locale);
  if (known) return known;
  const table = readFileSync(TABLE);
  const labels = lineOf(table, locale) ?? lineOf(table, locale.split('-', 1)[0] ?? '');
  const emoji = lineOf(table, 'emoji') ?? [];
  const names = labels ? new Map(emoji.map((one, index) => [one, labels[index] ?? ''])) : emojiNames(ENGLISH);
  loaded.set(locale, names);
  return names;
}

export const bareEmoji = (grapheme: string): string => grapheme.replaceAll(VARIATIONS, '');

/** An emoji usually has one name. A sequence without its own name has the names of its parts. */
export function namesOfEmoji(grapheme: string, locale: string): string[] {
  const names = emojiNames(locale);
  const bare = bareEmoji(grapheme);
  const name = names.get(bare);
  if (name && !isRegionalIndicator(bare)) return [name];
  return bare.split('\u200D').flatMap((part) => {
    if (isRegionalIndicator(part)) return [String.fromCharCode(65 + (part.codePointAt(0) ?? 0) - REGIONAL_INDICATOR_A)];
    return names.get(part) || [];
  });
}

/** Two regional indicators make a flag. Members also write words with them, which are spoken as letters. */
function isRegionalIndicator(part: string): boolean {
  return part.length === 2 && /^\p{Regional_Indicator}$/u.test(part);
}

/** Matches a text with an emoji, and also ©, ® and ™, which isEmoji() leaves out as ordinary signs of running text. */
export const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u;
export const isEmoji = (grapheme: string): boolean => EMOJI.test(grapheme) && !/^[©®™]$/u.test(grapheme);

const segmenter = new Intl.Segmenter();

export const emojiIn = (text: string): readonly string[] =>
  EMOJI.test(text) ? Array.from(segmenter.segment(text), ({ segment }) => segment).filter(isEmoji) : [];
