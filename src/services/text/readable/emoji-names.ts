import { readFileSync } from 'node:fs';
import { remembering } from '../../../speech/interface/languages.ts';
import { graphemes } from './characters.ts';

/** `npm run build:emoji` writes this table. Its row `emoji` lists the emoji, and each locale's row has their names. */
const TABLE = new URL('emoji-names.tsv', import.meta.url);

/** Presentation selectors and skin tones. */
const VARIATIONS = /[\uFE0E\uFE0F\u{1F3FB}-\u{1F3FF}]/gu;
/** Two regional indicators make a flag. Members also write words with them, which are spoken as letters. */
const REGIONAL_INDICATOR = /^\p{Regional_Indicator}$/u;
const REGIONAL_INDICATOR_A = 0x1f1e6;

/** The fields of the table's line that begins with `name`. Only that line becomes a string, to keep the rest out of the memory. */
function lineOf(table: Buffer, name: string): string[] | undefined {
  const start = table.indexOf(`\n${name}\t`);
  if (start < 0) return undefined;
  const line = table.toString('utf8', start, table.indexOf('\n', start + 1));
  return line.split('\t').slice(1);
}

/** Names by emoji without skin tone, loaded at the first use (some milliseconds). */
const emojiNames = remembering((locale: string): ReadonlyMap<string, string> => {
  const table = readFileSync(TABLE);
  const labels = lineOf(table, locale) ?? lineOf(table, locale.split('-', 1)[0] ?? '');
  const emoji = lineOf(table, 'emoji') ?? [];
  return labels ? new Map(emoji.map((one, index) => [one, labels[index] ?? ''])) : emojiNames('en');
});

export const bareEmoji = (grapheme: string): string => grapheme.replaceAll(VARIATIONS, '');

/** An emoji usually has one name. A sequence without its own name has the names of its parts. */
export function namesOfEmoji(grapheme: string, locale: string): string[] {
  const names = emojiNames(locale);
  const bare = bareEmoji(grapheme);
  const name = names.get(bare);
  if (name && !REGIONAL_INDICATOR.test(bare)) return [name];
  return bare.split('\u200D').flatMap((part) => {
    if (REGIONAL_INDICATOR.test(part))
      return [String.fromCharCode(65 + (part.codePointAt(0) ?? 0) - REGIONAL_INDICATOR_A)];
    return names.get(part) || [];
  });
}

/** Matches a text with an emoji, and also ©, ® and ™, which isEmoji() leaves out as ordinary signs of running text. */
export const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u;
export const isEmoji = (grapheme: string): boolean => EMOJI.test(grapheme) && !/^[©®™]$/u.test(grapheme);

export const emojiIn = (text: string): readonly string[] => (EMOJI.test(text) ? graphemes(text).filter(isEmoji) : []);
