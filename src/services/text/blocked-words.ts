import { UserError } from '../../errors/user-errors.ts';
import { render, type Text, text } from '../../texts/catalog.ts';
import type { ServerRules } from '../servers/server-rules.ts';
import { EVERY_WORD, SETTINGS_LIMITS } from '../servers/server-settings.ts';
import type { Pause } from '../time/slices.ts';
import { fold, IN_ROW, lettersOf, SIGNS } from './disguise.ts';
import { atWordBorder } from './readable/characters.ts';
import { emojiIn } from './readable/emoji-names.ts';

/**
 * The minimum letters of a blocked word that is found inside other words or spelled out. Shorter words would match
 * everywhere.
 */
const MIN_PART = 3;
/**
 * The minimum letters of a blocked word in which n and ñ are the same. In shorter words they differ: 'año' is not
 * 'ano'.
 */
const MIN_WITH_ANY_N = 5;
/** How many equal letters in a row count as drawn out, as in 'shiiit'. */
const DRAWN_OUT = { min: 3, max: 30 };

type BlockedWordsRules = Pick<ServerRules, 'blockedWords' | 'blockedWordsExceptions' | 'blockedWordsMode'>;

/** Thrown for a text with a blocked word. Only the author and moderators are allowed to see the word. */
export class BlockedWordError extends UserError {
  constructor(content: Text) {
    super(content, { toOthers: text('refused.by-rules'), kind: 'blocked-word' });
  }
}

export const blockedBy = (rule: string): BlockedWordError => new BlockedWordError(text('blocked.refused', { rule }));

export interface Bleeped {
  readonly words: string;
  readonly bleeped: readonly string[];
}

/** Removes the `*` of a blocked word, which stands for the rest of a longer word. */
const withoutStars = (word: string): string => word.trim().replaceAll(/^\*+|\*+$/gu, '');
const starsOf = (word: string) => ({ anyBefore: word.trim().startsWith('*'), anyAfter: word.trim().endsWith('*') });

const isLatin = (word: string): boolean => /^[\p{Script=Latin}*]+$/u.test(word.trim());
const hasEnye = (word: string): boolean => /ñ/iu.test(word.normalize('NFC'));

/**
 * Separates the words of a rule that blocks several words. Between words, a text may have anything but letters. Between
 * numbers, signs matter: '9/11' is not '9, 11', '8=D' is not '8: D'. Some signs belong to their word ('c++', 'C#').
 */
const GAP = ' ';
const ANY_GAP = String.raw`[^\p{L}\p{M}\p{N}]+`;
const BETWEEN_WORDS = new RegExp(String.raw`(?<=[\p{L}\p{M}])[^\p{L}\p{M}\p{N}${SIGNS}+#]+(?=\p{L})|\s+`, 'gu');

interface WordLetter {
  readonly letter: string;
  /** True for ä, ö and ü, which authors may write with a following e. */
  readonly isUmlaut: boolean;
}

function lettersOfRule(word: string): WordLetter[] {
  const written = withoutStars(word).normalize('NFC').replaceAll(BETWEEN_WORDS, GAP).trim();
  return [...written].flatMap((codePoint) =>
    [...fold(codePoint)].map((letter) => ({ letter, isUmlaut: /[äöü]/iu.test(codePoint) })),
  );
}

/**
 * A regular expression for the letters of a blocked word. Letters may be drawn out, and 'ö' may be written 'oe'.
 * `between` is the pattern between each two letters.
 */
function sourceOf(letters: readonly WordLetter[], between: string): string {
  let source = '';
  let count = 0;
  for (const [index, { letter, isUmlaut }] of letters.entries()) {
    count += 1;
    if (!isUmlaut && letters[index + 1]?.letter === letter) continue;
    if (letter === GAP) source += ANY_GAP;
    else {
      const one = letter.replace(/[\\^$.*+?()[\]{}|/]/u, String.raw`\$&`);
      const more = Math.max(1, DRAWN_OUT.min - count);
      source += (source === '' ? '' : between) + Array<string>(count).fill(one).join(between);
      source += `(?:(?:${between}${one}){${more},${DRAWN_OUT.max}})?${isUmlaut ? `(?:${between}e)?` : ''}`;
    }
    count = 0;
  }
  return source;
}

const APOSTROPHES = "'’´`ʼ";
/**
 * Signs that may disguise a blocked word, as in 'stu'pid' or 'ton_to'. After dashes, commas and several dots a new word
 * begins.
 */
const SIGN_INSIDE = String.raw`(?:[${APOSTROPHES}_\-‐‑*+^~·•]|\.(?!\.))`;
const BROKEN = new RegExp(String.raw`[\p{L}\p{M}]${SIGN_INSIDE}{1,3}\p{L}`, 'u');
/** A full stop and a capital letter begin a new sentence, as in 'an.Alles', and thus a new word. */
const NEXT_SENTENCE = /\.\p{Lu}\p{Ll}/u;

type Way = 'plain' | 'spelledOut' | 'broken';

interface Pattern {
  readonly anyBefore: boolean;
  readonly anyAfter: boolean;
  readonly plain: RegExp;
}

type Rule = ReturnType<typeof toRule>;

function toRule(word: string) {
  const letters = lettersOfRule(word);
  const words = letters.map(({ letter }) => letter).join('');
  const isOneWord = /^[\p{L}\p{M}]+$/u.test(words);
  const isLong = letters.length >= MIN_PART;
  return {
    word,
    ...starsOf(word),
    plain: new RegExp(sourceOf(letters, ''), 'gu'),
    spelledOut: isOneWord && isLong ? new RegExp(IN_ROW + sourceOf(letters, String.raw`\k<gap>`), 'gu') : undefined,
    // Blocked words of one or two letters are not found with signs inside, or else 'B.J.' and 'z.B.' would match. A
    // single Chinese character may be a word.
    broken:
      isOneWord && (isLong || !isLatin(word)) ? new RegExp(sourceOf(letters, `${SIGN_INSIDE}{0,3}`), 'gu') : undefined,
    isShort: words.split(GAP).every((one) => one.length < MIN_WITH_ANY_N),
  };
}

/**
 * Compiles an exception from blocked words. Exceptions match as written, except for case and the kinds of spaces and
 * apostrophes.
 */
function toException(exception: string): Pattern {
  const written = withoutStars(exception.normalize('NFC')).trim().replaceAll(/\s+/gu, ' ');
  const source = written
    .replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)
    // Words on different lines are no phrase, so a space in an exception does not match a line break.
    .replaceAll(' ', String.raw`[^\S\n]`)
    .replaceAll(new RegExp(`[${APOSTROPHES}]`, 'gu'), `[${APOSTROPHES}]`)
    .replaceAll(/[iİ]/gu, '[iİ]');
  return { ...starsOf(exception), plain: new RegExp(source, 'giu') };
}

/**
 * A text and its letters. By offset, `wordStart` has the start of the last word that starts at or before the offset.
 * `wordEnd` has the end of the first word that ends at or after the offset.
 */
type Searched = Awaited<ReturnType<typeof searchedOf>>;

/** How many characters are searched for blocked words before other work gets a turn. */
const PLACES_IN_TURN = 250;

async function searchedOf(text: string, locale: string, pause: Pause) {
  const letters = await lettersOf(text, pause);
  const wordStart = new Int32Array(text.length + 1);
  const wordEnd = new Int32Array(text.length + 1).fill(text.length);
  const isBorder: boolean[] = [];
  for (let at = 0; at < text.length; at++) {
    if (at % PLACES_IN_TURN === 0) await pause();
    isBorder.push(atWordBorder(text, at, 'letters'));
  }
  for (let at = 1; at <= text.length; at++) wordStart[at] = (isBorder[at] ?? true) ? at : (wordStart[at - 1] ?? 0);
  for (let at = text.length - 1; at >= 0; at--) wordEnd[at] = isBorder[at] ? at : (wordEnd[at + 1] ?? text.length);
  return { ...letters, text, locale, wordStart, wordEnd };
}

interface Found {
  readonly rule: Rule;
  /**
   * Where bleeping starts: at the whole word, including the part that `*` stands for. If only the match were bleeped,
   * listeners could guess the word.
   */
  readonly start: number;
  readonly end: number;
  readonly matchedStart: number;
  readonly matchedEnd: number;
}

function* matchesOf(pattern: RegExp, searched: string): Generator<RegExpExecArray> {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(searched); match; match = pattern.exec(searched)) {
    yield match;
    pattern.lastIndex = match.index + ((searched.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1);
  }
}

/**
 * English contractions that are other words without their apostrophe ('he'll', 'who're', 'can't'), and possessives that
 * look like plurals.
 */
const CONTRACTION = new RegExp(
  [
    `^(?:i|you|he|she|it|we|they|who|what|that|there|here|where|when|why|how)[${APOSTROPHES}](?:ll|re|ve|d|m|s)$`,
    `^(?:is|are|was|were|has|have|had|do|does|did|ca|wo|could|would|should|might|must|need|ai|sha)n[${APOSTROPHES}]t$`,
    `^\\p{L}{3,}[${APOSTROPHES}]s$`,
  ].join('|'),
  'iu',
);
/** Elisions in French, Italian and Catalan: 'l'oser', 'un'amica'. */
const ELISION = new RegExp(`^\\p{L}{0,4}[cdjlmnstu][${APOSTROPHES}][aeiouhàâèéêìíîïòóôùúû]`, 'iu');
const LANGUAGES_WITH_ELISIONS = /^(?:fr|it|ca)(?![a-z])/i;

const PART_BEFORE = new RegExp(String.raw`[\p{L}\p{M}\p{N}${SIGNS}]$`, 'u');
const PART_AFTER = new RegExp(String.raw`^[\p{L}\p{M}\p{N}${SIGNS}]`, 'u');

/**
 * True if a blocked word with signs inside is an ordinary spelling, or the end of one word and the start of the next.
 */
function isOtherWords({ text: words, locale, wordEnd }: Searched, { rule, start, end, matchedEnd }: Found): boolean {
  const written = words.slice(start, end);
  // True for a match of a blocked word that begins with the ending of another word, like the 's' of 'it's-hit'.
  const isEnding = start > 0 && APOSTROPHES.includes(words.charAt(start - 1)) && wordEnd[start + 1] === start + 1;
  return (
    isEnding ||
    PART_BEFORE.test(words.slice(Math.max(0, start - 2), start)) ||
    (!rule.anyAfter && PART_AFTER.test(words.slice(matchedEnd, matchedEnd + 2))) ||
    CONTRACTION.test(written) ||
    (LANGUAGES_WITH_ELISIONS.test(locale) && ELISION.test(written)) ||
    NEXT_SENTENCE.test(words.slice(start, matchedEnd + 1))
  );
}

const isWholeRow = ({ rowStarts, rowEnds }: Searched, { rule, matchedStart, matchedEnd }: Found): boolean =>
  (rule.anyBefore || rowStarts.has(matchedStart)) && (rule.anyAfter || rowEnds.has(matchedEnd));

/**
 * True if at least one letter of a blocked word is written as a letter. Signs that resemble letters make no word alone.
 */
function holdsLetter(letters: string, written: string, start: number, end: number): boolean {
  for (let unit = start; unit < end; unit++) if (letters[unit] === written[unit]) return true;
  return false;
}

function* foundIn(searched: Searched, rule: Rule, how: Way): Generator<Found> {
  const { text: words, variants, starts, ends, wordStart, wordEnd } = searched;
  const { [how]: pattern } = rule;
  if (!pattern) return;
  const [written = ''] = variants;
  for (const letters of variants) {
    for (const match of matchesOf(pattern, letters)) {
      const to = match.index + match[0].length;
      const matchedStart = starts[match.index] ?? 0;
      const matchedEnd = ends[to - 1] ?? 0;
      const start = wordStart[matchedStart] ?? matchedStart;
      const end = wordEnd[matchedEnd] ?? matchedEnd;
      const found = { rule, start, end, matchedStart, matchedEnd };
      // A blocked word with signs inside must begin at a word start, even if its rule begins with `*`: 'on-again'
      // contains no other word.
      const isWord = start === matchedStart || (rule.anyBefore && how !== 'broken');
      if (!isWord || !(rule.anyAfter || end === matchedEnd) || !holdsLetter(letters, written, match.index, to))
        continue;
      if (rule.isShort && hasEnye(rule.word) !== hasEnye(words.slice(matchedStart, matchedEnd))) continue;
      if (how === 'spelledOut' && !isWholeRow(searched, found)) continue;
      if (how === 'broken' && isOtherWords(searched, found)) continue;
      yield found;
    }
  }
}

/**
 * For each offset in the text: the end of the furthest exception from blocked words that begins at or before the
 * offset.
 */
async function reachOf(
  exceptions: readonly Pattern[],
  { text: words, wordStart, wordEnd }: Searched,
  pause: Pause,
): Promise<Int32Array> {
  const reach = new Int32Array(words.length);
  for (const { plain, anyBefore, anyAfter } of exceptions) {
    await pause();
    for (const { index, 0: match } of matchesOf(plain, words)) {
      const end = index + match.length;
      const isWhole = (anyBefore || wordStart[index] === index) && (anyAfter || wordEnd[end] === end);
      if (isWhole) reach[index] = Math.max(reach[index] ?? 0, end);
    }
  }
  for (const [offset, end] of reach.entries()) reach[offset] = Math.max(end, reach[offset - 1] ?? 0);
  return reach;
}

async function compiled(words: readonly string[], pause: Pause): Promise<readonly Rule[]> {
  const rules: Rule[] = [];
  for (const word of words) {
    await pause();
    if (lettersOfRule(word).length > 0) rules.push(toRule(word));
  }
  return rules;
}

/**
 * Finds blocked words in spite of disguise: case, accents, lookalike signs ('$h1t'), 'oe' for 'ö', repeated letters
 * ('shiiit'), spelling out ('s.h.i.t'), signs inside ('sh'it'). Only whole words match unless a rule has `*` at an end,
 * so that Scunthorpe can be spoken of.
 */
export class BlockedWords {
  readonly #settings: BlockedWordsRules;
  readonly #exceptions: readonly Pattern[];
  #rules: readonly Rule[] | undefined;

  constructor(settings: BlockedWordsRules) {
    this.#settings = settings;
    this.#exceptions = (settings.blockedWordsExceptions ?? []).filter((word) => withoutStars(word)).map(toException);
  }

  /**
   * Searches readable text for blocked words, and bleeps them in the language `locale`. Rejects with a BlockedWordError
   * if the server refuses blocked words.
   */
  async check(written: string, locale: string, pause: Pause): Promise<Bleeped> {
    const { blockedWords = [], blockedWordsMode } = this.#settings;
    if (blockedWords.includes(EVERY_WORD)) throw blockedBy(EVERY_WORD);
    this.#rules ??= await compiled(blockedWords, pause);
    const words = written.normalize('NFC');
    const found = this.#rules.length === 0 ? [] : await this.#foundIn(this.#rules, words, locale, pause);
    const [first] = found;
    if (!first) return { words: written, bleeped: [] };
    if (blockedWordsMode === 'refuse') throw blockedBy(first.rule.word);
    const bleep = render(text('blocked.bleep'), locale);
    let spoken = '';
    let copiedTo = 0;
    for (const { start, end } of found) {
      spoken += words.slice(copiedTo, start) + bleep;
      copiedTo = end;
    }
    return { words: spoken + words.slice(copiedTo), bleeped: [...new Set(found.map(({ rule }) => rule.word))] };
  }

  /**
   * Finds blocked words from the front, without overlaps and the longest first. Matches inside an exception are left
   * out.
   */
  async #foundIn(rules: readonly Rule[], words: string, locale: string, pause: Pause): Promise<readonly Found[]> {
    const all: Found[] = [];
    const searched = await searchedOf(words, locale, pause);
    const ways: Way[] = ['plain'];
    if (searched.rowStarts.size > 0) ways.push('spelledOut');
    if (BROKEN.test(words)) ways.push('broken');
    for (const rule of rules) {
      for (const how of ways) {
        await pause();
        all.push(...foundIn(searched, rule, how));
      }
    }
    const kept: Found[] = [];
    if (all.length === 0) return kept;
    const reach = await reachOf(this.#exceptions, searched, pause);
    for (const one of all.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      // An exception must cover the whole blocked word: 'klasse' does not except 'fuckklasse'.
      const isExcepted = (reach[one.matchedStart] ?? 0) >= one.matchedEnd;
      if (!isExcepted && one.start >= (kept.at(-1)?.end ?? 0)) kept.push(one);
    }
    return kept;
  }
}

/** A code like ':eggplant:', which Discord's clients show for an emoji without a picture. */
const EMOJI_CODE = /^\*?:[\w~+-]+:\*?$/;
/** A server's custom emoji, as Discord's clients send it. */
const CUSTOM_EMOJI = /<a?:\w{1,64}:\d{1,20}>/;
/**
 * A star inside a blocked word, as in 'f*ck', or several words in one entry: 'foo* bar'. In '2*3', the star is an
 * ordinary sign.
 */
const STAR_INSIDE = /\p{L}\*+\s*[^*\s]|[^*\s]\s*\*+\p{L}/u;

const firstEmoji = (word: string): string | undefined => CUSTOM_EMOJI.exec(word)?.[0] ?? emojiIn(word)[0];

/**
 * Looks up the words that stand for an emoji when a server's text is spoken. There are several if they depend on the
 * language of the text.
 */
export type EmojiWords = (emoji: string) => Promise<readonly string[]>;

/** The reason why a word cannot be blocked; undefined if it can. */
export async function blockedWordProblem(word: string, emojiWords: EmojiWords): Promise<Text | undefined> {
  const tooLong = lengthProblem(word);
  if (tooLong) return tooLong;
  const emoji = firstEmoji(word);
  if (emoji === undefined) return EMOJI_CODE.test(word.trim()) ? text('blocked.emoji-code') : lettersProblem(word);
  // Emoji are spoken as words, and texts are searched for blocked words after that: the emoji's own words are checked.
  const words = await emojiWords(emoji);
  if (words.length === 0) return text('blocked.emoji-silent', { emoji });
  const list = words.map((one) => text('quoted', { words: one }));
  return text('blocked.emoji', { emoji, words: { anyOf: list }, count: words.length });
}

export function exceptionProblem(word: string): Text | undefined {
  const isEmoji = firstEmoji(word) !== undefined || EMOJI_CODE.test(word.trim());
  return lengthProblem(word) ?? (isEmoji ? text('blocked.exception-emoji') : lettersProblem(word));
}

function lengthProblem(word: string): Text | undefined {
  const { length } = word.trim();
  const { blockedWordCharacters: limit } = SETTINGS_LIMITS;
  return length > limit ? text('blocked.too-long', { length, limit }) : undefined;
}

function lettersProblem(word: string): Text | undefined {
  if (STAR_INSIDE.test(word)) return text('blocked.star-inside');
  const { length: count } = lettersOfRule(word);
  if (count === 0) return text('blocked.empty');
  // A blocked word of one or two letters would be part of most words, but a single Chinese character may be a word.
  return withoutStars(word) !== word.trim() && count < MIN_PART && isLatin(word)
    ? text('blocked.too-short', { least: MIN_PART })
    : undefined;
}
