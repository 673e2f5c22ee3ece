import type { TagSyntax } from './models.ts';

/** Tags of the speech model `ext` for pauses and for vocal sounds, such as a laugh, written `[name]`. */
export const INSTANT_TAGS = [
  'pause',
  'long-pause',
  'laugh',
  'chuckle',
  'giggle',
  'cry',
  'sigh',
  'breath',
  'inhale',
  'exhale',
  'tsk',
  'tongue-click',
  'lip-smack',
  'hum-tune',
] as const;
export type InstantTag = (typeof INSTANT_TAGS)[number];

/** Tags for ways of speaking of the speech model `ext`, written `<name>…</name>` around words. */
export const WRAPPING_TAGS = [
  'soft',
  'whisper',
  'loud',
  'emphasis',
  'slow',
  'fast',
  'higher-pitch',
  'lower-pitch',
  'build-intensity',
  'decrease-intensity',
  'laugh-speak',
  'sing-song',
  'singing',
] as const;
export type WrappingTag = (typeof WRAPPING_TAGS)[number];

/** The `raw` fields of all pieces of a tagged text, joined, are the text itself. */
export type TagSegment =
  | { readonly kind: 'text'; readonly raw: string; readonly index: number }
  /** A tag that stands alone, such as `[laugh]`. If a model accepts any words as a tag, every tag stands alone. */
  | { readonly kind: 'instant'; readonly raw: string; readonly index: number; readonly name: string }
  /** The start or end of a pair of tags around words, such as `<whisper>…</whisper>`. Pairs are complete and nest. */
  | { readonly kind: 'open' | 'close'; readonly raw: string; readonly index: number; readonly name: WrappingTag }
  /** Text that only looks like a tag: the speech service speaks it as words. */
  | { readonly kind: 'stray'; readonly raw: string; readonly index: number; readonly name: string };

/** Words in brackets are a tag only if they have up to 60 characters: longer ones are ordinary text. */
const NAME = String.raw`\p{L}[^<>\[\]\r\n]{0,59}`;
/** Tags of the speech model `ext` have up to four words of letters, joined by hyphens, underscores or single spaces. */
const EXT_NAME = String.raw`\p{L}+(?:[-_ ]\p{L}+){0,3}`;
const PATTERNS: Readonly<Record<Exclude<TagSyntax, 'none'>, RegExp>> = {
  'square-open': new RegExp(String.raw`\[(?<square>${NAME})\]`, 'gu'),
  'angle-open': new RegExp(`<(?<slash>/?)(?<angle>${NAME})>`, 'gu'),
  closed: new RegExp(String.raw`\[(?<square>${EXT_NAME})\]|<(?<slash>/?)(?<angle>${EXT_NAME})>`, 'gu'),
};

const isInstant = (name: string): name is InstantTag => (INSTANT_TAGS as readonly string[]).includes(name);
const isWrapping = (name: string): name is WrappingTag => (WRAPPING_TAGS as readonly string[]).includes(name);

export function parseTags(text: string, syntax: TagSyntax): TagSegment[] {
  if (syntax === 'none') return text === '' ? [] : [{ kind: 'text', raw: text, index: 0 }];
  const segments: TagSegment[] = [];
  const openAt: { name: WrappingTag; position: number }[] = [];
  let end = 0;
  for (const match of text.matchAll(PATTERNS[syntax])) {
    if (match.index > end) segments.push({ kind: 'text', raw: text.slice(end, match.index), index: end });
    end = match.index + match[0].length;
    const { square, angle, slash } = match.groups ?? {};
    const at = { raw: match[0], index: match.index };
    const name = square ?? angle ?? '';
    if (syntax !== 'closed') segments.push({ kind: 'instant', ...at, name });
    else if (square !== undefined && isInstant(square)) segments.push({ kind: 'instant', ...at, name: square });
    else if (square !== undefined || !isWrapping(name)) segments.push({ kind: 'stray', ...at, name });
    else if (slash === '') {
      openAt.push({ name, position: segments.length });
      // An opening tag counts as plain text until its closing tag is found.
      segments.push({ kind: 'stray', ...at, name });
    } else {
      const opener = openAt.findLastIndex((open) => open.name === name);
      const start = openAt[opener];
      const opening = start && segments[start.position];
      if (start && opening) {
        // A tag that is still open when the pair around it closes counts as plain text.
        openAt.length = opener;
        segments[start.position] = { kind: 'open', raw: opening.raw, index: opening.index, name };
        segments.push({ kind: 'close', ...at, name });
      } else segments.push({ kind: 'stray', ...at, name });
    }
  }
  if (end < text.length) segments.push({ kind: 'text', raw: text.slice(end), index: end });
  return segments;
}

/** Removes the tags from a text. Text that only looks like a tag stays, because it is spoken as words. */
export function spokenText(text: string, syntax: TagSyntax): string {
  return parseTags(text, syntax)
    .filter((segment) => segment.kind === 'text' || segment.kind === 'stray')
    .map((segment) => segment.raw)
    .join('');
}

const SPEAKABLE = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Text without a letter, a digit or an emoji would be silent, but billed. */
export const isSpeakable = (words: string): boolean => SPEAKABLE.test(words);

/** `[laugh]` becomes the word. This runs until no tag is left, because `[[laugh]]` would bypass a single run. */
export function removeTags(text: string, syntax: TagSyntax): string {
  let result = text;
  while (true) {
    const segments = parseTags(result, syntax);
    if (segments.every((segment) => segment.kind === 'text')) return result;
    result = segments.map(withoutBrackets).join('');
  }
}

function withoutBrackets(segment: TagSegment): string {
  if (segment.kind === 'text') return segment.raw;
  if (segment.kind === 'open' || segment.kind === 'close') return '';
  return segment.raw.replace(/^(?:<\/?|\[)|[>\]]$/g, '');
}
