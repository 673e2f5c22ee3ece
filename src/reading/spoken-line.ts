import { cutAt, firstGraphemes } from '../services/text/readable/characters.ts';
import { nameOr } from '../services/text/readable/names.ts';
import { render, text } from '../texts/catalog.ts';

/** The spoken parts of one message. */
export interface LineParts {
  /** Its readable words, including announced attachments. */
  readonly words: string;
  /** Its author's spoken name; undefined when it is not announced. */
  readonly name: string | undefined;
  /** 'reply': the words begin with the addressee; 'files': they only announce attachments. */
  readonly kind: 'text' | 'reply' | 'files';
  readonly locale: string;
  /** Limit in characters; the rest is announced. */
  readonly limit: number;
}

/** Graphemes. Names have up to 32; their beginning identifies the author. */
const LONGEST_NAME = 20;

/** 'Alice says: hello' */
export function lineOf(parts: LineParts): string {
  const { limit } = parts;
  const room = limit - withName('', parts).length;
  return withName(shortened(parts.words, room, parts.locale), parts);
}

function withName(words: string, { name, kind, locale }: LineParts): string {
  if (name === undefined) return words;
  if (kind === 'files') return render(text('reading.sent', { name, words }), locale);
  return render(text(kind === 'reply' ? 'reading.replies' : 'reading.says', { name, words }), locale);
}

/** The words that fit, with an announcement when they are not complete. */
function shortened(words: string, room: number, locale: string): string {
  if (words.length <= room) return words;
  const more = ` ${render(text('reading.more'), locale)}`;
  const cut = cutAt(words, Math.max(1, room - more.length));
  const beforeLastWord = cut.replace(/\s+\S*$/u, '');
  // Scripts without spaces are cut between any two graphemes.
  const kept = beforeLastWord.length > cut.length / 2 ? beforeLastWord : cut;
  return `${kept.replace(/[\s.,:;…-]+$/u, '')}${more}`;
}

/** A member's display name in spoken form: no decoration, no emoji, and shortened. */
export function shortName(name: string, locale: string): string {
  const spoken = nameOr(name, text('readable.somebody'), locale);
  const first = firstGraphemes(spoken, LONGEST_NAME);
  if (first === spoken) return spoken;
  const whole = first.replace(/\s+\S*$/u, '');
  return spoken[first.length] === ' ' || whole === '' ? first : whole;
}
