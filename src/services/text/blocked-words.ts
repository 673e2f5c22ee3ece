import { render, type Text, text } from '../../texts/catalogue.ts';
import { EVERY_WORD, SETTINGS_LIMITS } from '../servers/server-settings.ts';
import { APOSTROPHES, brokenWords, GAP, type Letter, lettersOf, spelledOut } from './blocked-words-letters.ts';
import {
  type BlockedWordRule,
  matchesAt,
  type RuleTree,
  ruleTree,
  type Steps,
  TangledText,
  take,
  toRule,
} from './blocked-words-tree.ts';
import { emojiIn } from './readable/patterns.ts';
import { atWordBorder } from './readable/word-borders.ts';

/** Least letters of a word that is to be found inside others: a shorter one would be found everywhere. */
const SHORTEST_PART = 3;

/** Least letters of a word in which n and ñ are the same. */
const SHORTEST_WITH_ANY_N = 5;

/** More than twice what an ordinary text needs with the most words a server can have; about 150 ms. */
const MOST_STEPS = 2_000_000;

export type BlockedWordsMode = 'refuse' | 'bleep';

/** As in a server's settings. */
export interface BlockedWordsRules {
  readonly blockedWords?: readonly string[] | undefined;
  readonly blockedWordsExceptions?: readonly string[] | undefined;
  readonly blockedWordsMode: BlockedWordsMode;
}

type BlockedWordsResult =
  | { readonly outcome: 'clean'; readonly text: string }
  /** The rule is shown to the author of the text and to moderators only. */
  | { readonly outcome: 'refused'; readonly rule: string }
  | { readonly outcome: 'bleeped'; readonly text: string; readonly rules: readonly string[] }
  /** It has too many readings to be searched, in any mode. */
  | { readonly outcome: 'tangled' };

interface RuleTrees {
  /** Rules that begin at the beginning of a word. */
  readonly words: RuleTree;
  /** Rules that may begin within a word. */
  readonly parts: RuleTree;
  /** All of them, for words with signs inside, where each begins at the beginning of a part: 'on-again' holds no other word. */
  readonly broken: Pick<RuleTrees, 'words' | 'parts'>;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Found extends Span {
  readonly rule: BlockedWordRule;
  /** Without the rest of a longer word, which `*` stands for. */
  readonly matched: Span;
}

/** As Discord's clients write an emoji that they have no picture for: ':eggplant:'. */
const EMOJI_CODE = /^\*?:[\w~+-]+:\*?$/;
/** As they send one of a server's own. */
const CUSTOM_EMOJI = /<a?:\w{1,64}:\d{1,20}>/;

/** 'f*ck', or several words in one entry: 'foo* bar'. In '2*3' it is a sign like any other. */
const STAR_INSIDE = /\p{L}\*+\s*[^*\s]|[^*\s]\s*\*+\p{L}/u;

function firstEmoji(word: string): string | undefined {
  const [custom] = CUSTOM_EMOJI.exec(word) ?? [];
  return custom ?? emojiIn(word)[0];
}

/** The words that an emoji is spoken with in a server: several where that depends on the language of the text. */
export type EmojiWords = (emoji: string) => Promise<readonly string[]>;

/** The reason why a word cannot be blocked; undefined when it can. `*` at its ends stands for the rest of a longer word. */
export async function blockedWordProblem(word: string, emojiWords: EmojiWords): Promise<Text | undefined> {
  const tooLong = lengthProblem(word);
  if (tooLong) return tooLong;
  // Texts are searched once their emoji are words.
  const emoji = firstEmoji(word);
  if (emoji !== undefined) return emojiProblem(emoji, await emojiWords(emoji));
  if (EMOJI_CODE.test(word.trim())) return text('blocked.emoji-code');
  return lettersProblem(word);
}

/** The reason why a word cannot be an exception; undefined when it can. */
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
  const { letters, anyBefore, anyAfter } = toRule(word);
  const count = countOf(letters);
  if (count === 0) return text('blocked.empty');
  // One Chinese character may be a word; one or two letters are part of most words.
  return (anyBefore || anyAfter) && count < SHORTEST_PART && isLatin(word)
    ? text('blocked.too-short', { least: SHORTEST_PART })
    : undefined;
}

function emojiProblem(emoji: string, words: readonly string[]): Text {
  if (words.length === 0) return text('blocked.emoji-silent', { emoji });
  const list = words.map((word) => text('blocked.emoji-word', { word }));
  return text('blocked.emoji', { emoji, words: { list }, count: words.length });
}

const isLatin = (word: string): boolean => /^[\p{Script=Latin}*]+$/u.test(word.trim());

const countOf = (letters: BlockedWordRule['letters']): number => letters.reduce((sum, { count }) => sum + count, 0);

/** Umlauts of a word that may each be written out or not; further ones are as the last of these. */
const MOST_UMLAUTS = 3;
const UMLAUTS = /[äöü]/giu;

/** As German is written where there are no umlauts, or where some are; nothing for a word without one. */
function withoutUmlauts(word: string): string[] {
  const written = word.normalize('NFC');
  const count = Math.min(MOST_UMLAUTS, written.match(UMLAUTS)?.length ?? 0);
  // A bit for each umlaut that is written out.
  return Array.from({ length: 2 ** count - 1 }, (_, index) => {
    let at = 0;
    return written.replace(UMLAUTS, (letter) => {
      const isWrittenOut = (((index + 1) >> Math.min(at, count - 1)) & 1) === 1;
      at += 1;
      return isWrittenOut ? `${letter.normalize('NFD').charAt(0)}e` : letter;
    });
  });
}

/**
 * Finds words in spite of case, accents, signs that look like letters ('$h1t'), 'oe' for 'ö', elongation ('shiiit'),
 * spelling out ('s.h.i.t') and signs inside ('sh'it'). Whole words unless a rule has `*` at an end, so that Scunthorpe can be
 * spoken of.
 */
export function createBlockedWords({
  blockedWords = [],
  blockedWordsExceptions = [],
  blockedWordsMode,
}: BlockedWordsRules) {
  const exceptions = blockedWordsExceptions.map(toException).filter(({ core }) => core !== '');
  const rules = blockedWords.flatMap((word) => [
    toRule(word),
    ...withoutUmlauts(word).map((other) => ({ ...toRule(other), word })),
  ]);
  const trees = {
    words: ruleTree(rules.filter(({ anyBefore }) => !anyBefore)),
    parts: ruleTree(rules.filter(({ anyBefore }) => anyBefore)),
    // Of one or two letters 'B.J.' and 'z.B.' would be some.
    broken: {
      words: ruleTree(rules.filter(({ letters, word }) => countOf(letters) >= SHORTEST_PART || !isLatin(word))),
      parts: ruleTree([]),
    },
  };

  return {
    /** Searches readable text in at most so many steps; `locale` is the language of the bleep. */
    check(written: string, locale: string, steps = MOST_STEPS): BlockedWordsResult {
      if (blockedWords.includes(EVERY_WORD)) return { outcome: 'refused', rule: EVERY_WORD };
      const words = written.normalize('NFC');
      const left: Steps = { left: steps };
      const found = rules.length === 0 ? [] : inTime(() => foundFor(words, locale, { trees, exceptions }, left));
      if (found === 'tangled') return { outcome: 'tangled' };
      const [first] = found;
      if (!first) return { outcome: 'clean', text: written };
      if (blockedWordsMode === 'refuse') return { outcome: 'refused', rule: first.rule.word };
      const bleep = render(text('blocked.bleep'), locale);
      let spoken = '';
      let copiedTo = 0;
      for (const { start, end } of found) {
        spoken += words.slice(copiedTo, start) + bleep;
        copiedTo = end;
      }
      return {
        outcome: 'bleeped',
        text: spoken + words.slice(copiedTo),
        rules: [...new Set(found.map(({ rule }) => rule.word))],
      };
    },
  };
}

export type BlockedWords = ReturnType<typeof createBlockedWords>;

function inTime<Result>(search: () => Result): Result | 'tangled' {
  try {
    return search();
  } catch (error) {
    if (error instanceof TangledText) return 'tangled';
    throw error;
  }
}

const APOSTROPHE = `[${APOSTROPHES}]`;
/** English words that are others without their apostrophe ('he'll', 'who're', 'can't'), and possessives that are plurals. */
const CONTRACTION = new RegExp(
  [
    `^(?:i|you|he|she|it|we|they|who|what|that|there|here|where|when|why|how)${APOSTROPHE}(?:ll|re|ve|d|m|s)$`,
    `^(?:is|are|was|were|has|have|had|do|does|did|ca|wo|could|would|should|might|must|need|ai|sha)n${APOSTROPHE}t$`,
    `^\\p{L}{3,}${APOSTROPHE}s$`,
  ].join('|'),
  'iu',
);
/** French, Italian and Catalan words before a vowel: 'l'oser', 'un'amica'. */
const ELISION = new RegExp(`^\\p{L}{0,4}[cdjlmnstu]${APOSTROPHE}[aeiouhàâèéêìíîïòóôùúû]`, 'iu');
const LANGUAGES_WITH_ELISIONS = /^(?:fr|it|ca)(?![a-z])/i;

/** From the front, without overlaps; the longest where several begin. Throws TangledText. */
function foundFor(
  words: string,
  locale: string,
  { trees, exceptions }: { readonly trees: RuleTrees; readonly exceptions: readonly Exception[] },
  steps: Steps,
): Found[] {
  const found = withoutExceptions(allFound(words, locale, trees, steps), words, exceptions, steps);
  const kept: Found[] = [];
  for (const one of found.toSorted((a, b) => a.start - b.start || b.end - a.end))
    if (one.start >= (kept.at(-1)?.end ?? 0)) kept.push(one);
  return kept;
}

/** Throws TangledText. */
function allFound(words: string, locale: string, trees: RuleTrees, steps: Steps): Found[] {
  const atBorder = (offset: number) => atWordBorder(words, offset, 'letters');
  const found = foundIn(lettersOf(words), trees, steps, atBorder, atBorder);
  for (const letters of spelledOut(words)) {
    // Spelled-out letters are one word, matched from the first to the last: 'a s s e t s' holds no shorter one.
    const start = letters[0]?.start;
    const end = letters.at(-1)?.end;
    found.push(
      ...foundIn(
        letters,
        trees,
        steps,
        (offset) => offset === start,
        (offset) => offset === end,
      ),
    );
  }
  const elides = LANGUAGES_WITH_ELISIONS.test(locale);
  for (const parts of brokenWords(words)) {
    const starts = new Set(parts.filter((part) => !isEnding(part, words)).map(([first]) => first?.start));
    const ends = new Set(parts.map((letters) => letters.at(-1)?.end));
    const begins = (offset: number) => starts.has(offset);
    const all = foundIn(parts.flat(), trees.broken, steps, begins, (offset) => ends.has(offset));
    found.push(
      ...all.filter(({ start, end }) => {
        const word = words.slice(start, end);
        return !CONTRACTION.test(word) && !(elides && ELISION.test(word));
      }),
    );
  }
  return found.filter((each) => !isOtherWord(each, words));
}

interface Exception {
  /** Comparable, without the `*` at its ends. */
  readonly core: string;
  /** Of a longer word may stand before it, or behind it. */
  readonly anyBefore: boolean;
  readonly anyAfter: boolean;
}

const ANY_APOSTROPHE = new RegExp(APOSTROPHE, 'g');

/** For comparison without case, with one kind of space and apostrophe. Keeps offsets. */
function comparable(words: string): string {
  // Of all letters, İ alone has a longer lower case.
  const lower = words.replaceAll('İ', 'i').toLowerCase();
  // A line's end is no space: what goes from one line of a script to the next was not written as one phrase.
  return lower.replaceAll(/[^\S\n]/g, ' ').replaceAll(ANY_APOSTROPHE, "'");
}

function toException(exception: string): Exception {
  const written = exception.normalize('NFC').trim();
  return {
    core: comparable(
      written
        .replaceAll(/^\*+|\*+$/g, '')
        .trim()
        .replaceAll(/\s+/g, ' '),
    ),
    anyBefore: written.startsWith('*'),
    anyAfter: written.endsWith('*'),
  };
}

/** Blocked words that block only what is written otherwise, because they are exceptions, too. */
export function bothBlockedAndExcepted({
  blockedWords = [],
  blockedWordsExceptions = [],
}: Omit<BlockedWordsRules, 'blockedWordsMode'>): readonly string[] {
  const exceptions = blockedWordsExceptions.map(toException);
  return blockedWords.filter((word) => {
    const { core, anyBefore, anyAfter } = toException(word);
    return exceptions.some((one) => one.core === core && (one.anyBefore || !anyBefore) && (one.anyAfter || !anyAfter));
  });
}

/** Of what was found, what is no part of an exception. Throws TangledText. */
function withoutExceptions(
  found: readonly Found[],
  words: string,
  exceptions: readonly Exception[],
  steps: Steps,
): readonly Found[] {
  if (found.length === 0 || exceptions.length === 0) return found;
  const searched = comparable(words);
  const atBorder = (offset: number) => atWordBorder(words, offset, 'letters');
  /** By offset, how far the exceptions go that begin there or before. */
  const reach = new Array<number>(words.length).fill(0);
  for (const { core, anyBefore, anyAfter } of exceptions)
    for (let start = searched.indexOf(core); start >= 0; start = searched.indexOf(core, start + 1)) {
      take(steps, core.length);
      const end = start + core.length;
      if ((anyBefore || atBorder(start)) && (anyAfter || atBorder(end)))
        reach[start] = Math.max(reach[start] ?? 0, end);
    }
  for (const [offset, end] of reach.entries()) reach[offset] = Math.max(end, reach[offset - 1] ?? 0);
  // Not the whole of a longer word: 'fuckklasse' is no 'klasse'.
  return found.filter(({ matched: { start, end } }) => (reach[start] ?? 0) < end);
}

/** 'año' for 'ano', and the other way round: of longer words, ñ is taken for an n in disguise. */
const isOtherWord = ({ rule: { word, letters }, matched: { start, end } }: Found, words: string): boolean =>
  longestOf(letters) < SHORTEST_WITH_ANY_N && hasEnye(word) !== hasEnye(words.slice(start, end));

/** Letters of the longest word of a rule. */
function longestOf(letters: BlockedWordRule['letters']): number {
  let longest = 0;
  let length = 0;
  for (const { letter, count } of letters) {
    length = letter === GAP ? 0 : length + count;
    longest = Math.max(longest, length);
  }
  return longest;
}

const hasEnye = (word: string): boolean => /ñ/iu.test(word.normalize('NFC'));

/** The 's' of 'it's-hit'. */
const isEnding = ([first, ...more]: readonly Letter[], words: string): boolean =>
  more.length === 0 && first !== undefined && first.start > 0 && APOSTROPHES.includes(words.charAt(first.start - 1));

function foundIn(
  letters: readonly Letter[],
  trees: Pick<RuleTrees, 'words' | 'parts'>,
  steps: Steps,
  canBegin: (offset: number) => boolean,
  canEnd: (offset: number) => boolean,
): Found[] {
  const found: Found[] = [];
  const lastEnd = letters.at(-1)?.end ?? 0;
  for (const [at, { start }] of letters.entries()) {
    const matches = matchesAt(trees.parts, letters, at, steps);
    if (canBegin(start)) matches.push(...matchesAt(trees.words, letters, at, steps));
    for (const { rule, to } of matches) {
      const end = letters[to - 1]?.end ?? start;
      if ((rule.anyAfter || canEnd(end)) && holdsLetterOf(rule, letters.slice(at, to), steps)) {
        const matched = { start, end };
        found.push({ rule, matched, ...wholeWord(rule, matched, canBegin, canEnd, lastEnd, steps) });
      }
    }
  }
  return found;
}

/** With the rest of a longer word where the rule has `*`: 'damned', bleeped but for its end, is a word that can still be told. */
function wholeWord(
  { anyBefore, anyAfter }: BlockedWordRule,
  part: Span,
  canBegin: (offset: number) => boolean,
  canEnd: (offset: number) => boolean,
  lastEnd: number,
  steps: Steps,
) {
  let { start, end } = part;
  while (anyBefore && start > 0 && !canBegin(start)) start -= 1;
  while (anyAfter && end < lastEnd && !canEnd(end)) end += 1;
  take(steps, part.start - start + end - part.end);
  return { start, end };
}

/** Signs that only resemble letters make no word without a letter. */
function holdsLetterOf({ alphabet }: BlockedWordRule, letters: readonly Letter[], steps: Steps): boolean {
  take(steps, letters.length);
  return letters.some(({ options: [written = ''] }) => alphabet.has(written));
}
