/** How many equal letters or signs in a row are spoken; further ones are removed. */
const MAX_REPEAT = 3;

/** Invisible characters that no script needs: zero-width spaces, fillers, bidirectional overrides, private use. */
const UNHEARD =
  /[[\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}\p{Cc}\uFFFC\uFFFD]--[\n\u200C-\u200F\u061C\uFE00-\uFE0F\u{E0020}-\u{E007F}]]/gv;

/** Letters and digits drawn as symbols (𝓐, Ⓐ, Ａ), which most voices read as symbols or not at all. */
const STYLED_LETTERS = /[\u{1D400}-\u{1D7FF}\u2460-\u2473\u24B6-\u24E9\uFF10-\uFF19\uFF21-\uFF3A\uFF41-\uFF5A]/gu;

/** Marks piled on a letter ('zalgo'). Words need up to two marks that scripts share (accents), and up to eight of their own script. */
const PILED_MARKS =
  /(?<kept>[[\p{M}&&\p{Script=Inherited}]--[\uFE00-\uFE0F]]{2})[[\p{M}&&\p{Script=Inherited}]--[\uFE00-\uFE0F]]+/gv;
const PILED_SCRIPT_MARKS = /(?<kept>\p{M}{8})\p{M}+/gu;
/** Matches more combining marks in a row than any letter has; 32 are kept. Unicode composing takes quadratic time for marks in a row. */
const ENDLESS_MARKS = /(?<kept>\p{M}{32})\p{M}+/gu;

/** Variation selectors and tag characters, which have a meaning only as a part of emoji. */
const EMOJI_SELECTORS = /[\uFE00-\uFE0F\u{E0020}-\u{E007F}]/gu;
/** Joiners that mean nothing to a voice. Arabic and Indic words are spelled with joiners after a letter or sign. */
const IDLE_JOINERS =
  /(?<![[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Inherited}]])[\u200C\u200D]+|(?<=[\u200C\u200D])[\u200C\u200D]+/gv;

const segmenter = new Intl.Segmenter();
export const graphemes = (words: string): string[] => Array.from(segmenter.segment(words), ({ segment }) => segment);

const DIGIT = /\p{N}/u;

/** Makes a text well formed and composed, unifies newlines, and removes invisible characters and piled-up marks. */
export function cleanCharacters(content: string): string {
  return (
    content
      .toWellFormed()
      .replaceAll(/\r\n?|[\v\f\x85\u2028\u2029]/gu, '\n')
      .replaceAll('\t', ' ')
      // Invisible characters would keep a letter and its mark apart, so they are removed before composing.
      .replaceAll(UNHEARD, '')
      .replaceAll(ENDLESS_MARKS, '$<kept>')
      .replaceAll(STYLED_LETTERS, (letter) => letter.normalize('NFKC'))
      .normalize('NFC')
      .replaceAll(PILED_MARKS, '$<kept>')
      .replaceAll(PILED_SCRIPT_MARKS, '$<kept>')
  );
}

/** Removes leftover characters of emoji from a text whose emoji have been replaced by words. */
export function dropJoiners(words: string): string {
  return words.replaceAll(EMOJI_SELECTORS, '').replaceAll(IDLE_JOINERS, '');
}

/** Divider lines such as `====`, which a voice would read out. Lines of hyphens or dashes stay: they make a pause. */
const DIVIDER = /[=*~#+_^|•·\u2500-\u259F\\\-–—]{3,}/gu;
const DASHES = /^[-–—]+$/u;
/** Matches exactly two dots, which a voice would say as 'dot'. */
const TWO_POINTS = /(?<!\.)\.\.(?!\.)/gu;

const IN_WORD = /[\p{L}\p{N}]/u;

/** Replaces rows of signs such as ===== by spaces. Rows within a word stay: the search for blocked words must see words as written. */
export function dropDividers(words: string): string {
  const isKept = (divider: string, at: number) =>
    DASHES.test(divider) || (IN_WORD.test(words[at - 1] ?? '') && IN_WORD.test(words[at + divider.length] ?? ''));
  return words
    .replaceAll(DIVIDER, (divider, at: number) => (isKept(divider, at) ? divider : ' '))
    .replaceAll(TWO_POINTS, '…');
}

/** Shortens repeated characters ('loooool' to 'loool', '!!!!!!' to '!!!'). Digits stay: 1000000 is a number. */
export function tameRepeats(words: string): string {
  let tamed = '';
  let previous = '';
  let count = 0;
  for (const grapheme of graphemes(words)) {
    const folded = grapheme.toLowerCase();
    count = folded === previous ? count + 1 : 1;
    previous = folded;
    if (count <= MAX_REPEAT || DIGIT.test(grapheme)) tamed += grapheme;
  }
  return tamed;
}

export const firstGraphemes = (words: string, limit: number): string => graphemes(words).slice(0, limit).join('');

/** Cuts a text to up to `limit` UTF-16 units, without splitting a grapheme. */
export function cutAt(words: string, limit: number): string {
  if (words.length <= limit) return words;
  const around = segmenter.segment(words.slice(0, limit + 64)).containing(limit);
  return words.slice(0, around?.index ?? limit);
}

const ENDS_A_SENTENCE = /[.!?…。！？｡।॥؟۔։።,;:،؛、，；：\-–—][\p{Pe}\p{Pf}"'*_~]*$/u;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][\p{Pe}\p{Pf}"']*$/u;
const INDIC = /[\p{Script=Devanagari}\p{Script=Bengali}][\p{Pe}\p{Pf}"']*$/u;
const ENDS_WITH_TAG = /[\]>]$/u;

/** Joins lines as sentences: a full stop makes a line break audible. */
export function joinLines(words: string): string {
  const lines = words
    .split('\n')
    .map((line) => line.replaceAll(/\s+/gu, ' ').trim())
    .filter((line) => line !== '');
  return lines.map((line, index) => (index < lines.length - 1 ? line + pauseAfter(line) : line)).join('');
}

function pauseAfter(line: string): string {
  if (ENDS_A_SENTENCE.test(line) || ENDS_WITH_TAG.test(line)) return ' ';
  if (CJK.test(line)) return '。';
  return INDIC.test(line) ? '। ' : '. ';
}

/** Scripts without spaces between words: a word may begin or end at every grapheme. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30FC]/u;
const LETTER = /[\p{L}\p{M}]/u;
const LETTER_OR_DIGIT = /[\p{L}\p{M}\p{N}]/u;
/** Matches the continuation of a character: a combining mark, a joiner, or the second half of a surrogate pair. */
const GOES_WITH_BEFORE = /[\p{M}\p{Cs}\u200C\u200D]/u;

/** True if a cut at the offset separates no mark from its letter. */
export function betweenGraphemes(text: string, index: number): boolean {
  return !GOES_WITH_BEFORE.test(codePointAt(text, index));
}

/** True if a word may begin or end at an offset. Digits are part of words unless `words` is 'letters'. */
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

const codePointBefore = (text: string, index: number): string =>
  Array.from(text.slice(Math.max(0, index - 2), index)).at(-1) ?? '';

/** Folds case: 'ß' becomes 'ss', 'ı' and 'İ' become 'i'. Callers that need each letter's offset must pass single code points. */
export function foldCase(codePoint: string): string {
  // `toLowerCase()` would turn the Turkish 'İ' into an i and a combining dot, which does not equal a plain i.
  return codePoint.replaceAll('İ', 'i').toUpperCase().toLowerCase();
}
