import { cutAt, firstGraphemes } from '../services/readable/characters.ts';
import { nameOr } from '../services/readable/names.ts';
import { render, text } from '../texts/catalogue.ts';

/** What is heard of one message. */
export interface LineParts {
  /** Its readable words; what hangs on it included. */
  readonly words: string;
  /** Its author's name as it is spoken; absent where it is clear who it is. */
  readonly name?: string | undefined;
  /** 'reply': the words begin with whom it answers; 'files': they are only what hangs on it. */
  readonly kind: 'text' | 'reply' | 'files';
  readonly locale: string;
  /** Characters; what is beyond is announced. */
  readonly limit: number;
}

/** Graphemes. Names have up to 32; the first words of one tell who it is. */
const LONGEST_NAME = 20;

/** 'Alice says: hello' */
export function lineOf({ words, name, kind, locale, limit }: LineParts): string {
  const around = (spoken: string) => {
    if (name === undefined) return spoken;
    if (kind === 'files') return render(text('reading.sent', { name, words: spoken }), locale);
    return render(text(kind === 'reply' ? 'reading.replies' : 'reading.says', { name, words: spoken }), locale);
  };
  return around(shortened(words, limit - around('').length, locale));
}

/** The words that fit, and an announcement where that is not all of them. */
function shortened(words: string, room: number, locale: string): string {
  if (words.length <= room) return words;
  const more = render(text('reading.more'), locale);
  const cut = cutAt(words, Math.max(1, room - more.length - 1));
  const beforeLastWord = cut.replace(/\s+\S*$/u, '');
  // Scripts without spaces are cut between any two signs.
  const kept = beforeLastWord.length > cut.length / 2 ? beforeLastWord : cut;
  return `${kept.replace(/[\s.,:;…-]+$/u, '')} ${more}`;
}

/** A member's shown name as it is spoken: no decoration, no emoji, and not more of it than is needed. */
export function shortName(name: string, locale: string): string {
  const spoken = nameOr(name, text('readable.somebody'), locale);
  const first = firstGraphemes(spoken, LONGEST_NAME);
  if (first === spoken) return spoken;
  const whole = first.replace(/\s+\S*$/u, '');
  return spoken[first.length] === ' ' || whole === '' ? first : whole;
}
