import { readFileSync } from 'node:fs';

/** A line a language, after a line with the emoji themselves; `npm run build:emoji` writes it. */
const TABLE = new URL('emoji-names.tsv', import.meta.url);
const ENGLISH = 'en';

const loaded = new Map<string, ReadonlyMap<string, string>>();

/** Presentation selectors and skin tones: the spoken name is the same without them. */
const VARIATIONS = /[\uFE0E\uFE0F\u{1F3FB}-\u{1F3FF}]/gu;
const REGIONAL_INDICATOR_A = 0x1f1e6;

/** The cells of the line that begins with `name`. Only that line becomes strings: they would keep all of the table in memory. */
function lineOf(table: Buffer, name: string): string[] | undefined {
  const start = table.indexOf(`\n${name}\t`);
  return start < 0
    ? undefined
    : table
        .toString('utf8', start, table.indexOf('\n', start + 1))
        .split('\t')
        .slice(1);
}

/** Emoji names of a locale, without variations; read from disk at the first use (some milliseconds), then kept. */
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

/** An emoji grapheme without the marks that do not change its name. */
export const bareEmoji = (grapheme: string): string => grapheme.replaceAll(VARIATIONS, '');

/** The names of one emoji grapheme: usually one; a sequence without a name of its own gives those of its parts. */
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

/** A letter that is half a flag stands for itself: members write words with them. */
function isRegionalIndicator(part: string): boolean {
  return part.length === 2 && /^\p{Regional_Indicator}$/u.test(part);
}

/** A grapheme that holds an emoji; also ©, ® and ™ as they are in running text. */
export const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u;
export const isEmoji = (grapheme: string): boolean => EMOJI.test(grapheme) && !/^[©®™]$/u.test(grapheme);

const segmenter = new Intl.Segmenter();

/** The emoji of a text, in its order. */
export const emojiIn = (text: string): readonly string[] =>
  EMOJI.test(text) ? Array.from(segmenter.segment(text), ({ segment }) => segment).filter(isEmoji) : [];
