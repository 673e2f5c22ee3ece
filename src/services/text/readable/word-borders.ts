/** Scripts that put no spaces between words: there, every grapheme may be where a word begins or ends. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30FC]/u;
const LETTER = /[\p{L}\p{M}]/u;
const LETTER_OR_DIGIT = /[\p{L}\p{M}\p{N}]/u;
/** Belongs to the character before it: a mark, a joiner, or the second half of a surrogate pair. */
const GOES_WITH_BEFORE = /[\p{M}\p{Cs}\u200C\u200D]/u;

/** Whether graphemes end at an offset: no mark is torn off its letter there. */
export function betweenGraphemes(text: string, index: number): boolean {
  return !GOES_WITH_BEFORE.test(codePointAt(text, index));
}

/** Whether a word may begin or end at an offset. Digits are part of words unless `words` says otherwise. */
export function atWordBorder(text: string, index: number, words: 'with-digits' | 'letters' = 'with-digits'): boolean {
  const before = codePointBefore(text, index);
  const after = codePointAt(text, index);
  if (before === '' || after === '') return true;
  if (GOES_WITH_BEFORE.test(after)) return false;
  const inWord = words === 'letters' ? LETTER : LETTER_OR_DIGIT;
  return !inWord.test(before) || !inWord.test(after) || WITHOUT_SPACES.test(before) || WITHOUT_SPACES.test(after);
}

function codePointAt(text: string, index: number): string {
  const codePoint = text.codePointAt(index);
  return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
}

function codePointBefore(text: string, index: number): string {
  if (index === 0) return '';
  const unit = text.charCodeAt(index - 1);
  const low = unit >= 0xdc00 && unit <= 0xdfff;
  return codePointAt(text, index - (low && index > 1 ? 2 : 1));
}

/** Case-folded, 'ß' like 'ss'; each i is one letter, with its dot or without. By code point, so that offsets stay known. */
export function foldCase(codePoint: string): string {
  // Lower case would be an i and a second dot.
  return codePoint.replaceAll('İ', 'i').toUpperCase().toLowerCase();
}
