import { cutAt, firstGraphemes } from '../services/text/readable/characters.ts';
import { nameOr } from '../services/text/readable/names.ts';
import { render, text } from '../texts/catalog.ts';

interface LineParts {
  readonly words: string;
  readonly name: string | undefined;
  /** 'replies': `words` begin with “replying to” and a name. 'sent': the message has no text, and `words` describe its files or stickers. */
  readonly form: 'says' | 'replies' | 'sent';
  readonly locale: string;
  readonly limit: number;
}

/** Maximum graphemes of an author's name. Discord allows 32, but the beginning is enough to identify the author. */
const MAX_NAME = 20;

/** Cuts the spoken text to `limit` characters, and adds that more was written. */
export function lineOf({ words: all, name, form, locale, limit }: LineParts): string {
  const withName = (words: string) =>
    name === undefined ? words : render(text(`reading.${form}`, { name, words }), locale);
  return withName(shortened(all, limit - withName('').length, locale));
}

function shortened(words: string, room: number, locale: string): string {
  if (words.length <= room) return words;
  const more = ` ${render(text('reading.more'), locale)}`;
  const cut = cutAt(words, Math.max(1, room - more.length));
  const beforeLastWord = cut.replace(/\s+\S*$/u, '');
  // In languages without spaces between words, such as Chinese, the text is cut between any two graphemes.
  const kept = beforeLastWord.length > cut.length / 2 ? beforeLastWord : cut;
  return `${kept.replace(/[\s.,:;…-]+$/u, '')}${more}`;
}

export function shortName(name: string, locale: string): string {
  const spoken = nameOr(name, text('readable.somebody'), locale);
  const first = firstGraphemes(spoken, MAX_NAME);
  if (first === spoken) return spoken;
  const whole = first.replace(/\s+\S*$/u, '');
  return spoken[first.length] === ' ' || whole === '' ? first : whole;
}
