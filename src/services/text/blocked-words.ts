import { render, text } from '../../texts/catalogue.ts';
import { EVERY_WORD } from '../servers/server-settings.ts';
import type { Pause } from '../time/slices.ts';
import {
  ANY_GAP,
  APOSTROPHES,
  brokenReading,
  GAP,
  lettersOfRule,
  plainReading,
  type Reading,
  spelledOutReading,
} from './disguise.ts';
import { atWordBorder } from './readable/word-borders.ts';

/** Least letters of a word that is to be found inside others: a shorter one would be found everywhere. */
export const SHORTEST_PART = 3;

/** Least letters of a word in which n and ñ are the same. */
const SHORTEST_WITH_ANY_N = 5;

/** Letters of a word are drawn out from three in a row, up to as many. */
const DRAWN_OUT = { least: 3, most: 30 };

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
  | { readonly outcome: 'bleeped'; readonly text: string; readonly rules: readonly string[] };

interface Rule {
  readonly word: string;
  readonly letters: RegExp;
  /** May be preceded, or followed, by the rest of a longer word. */
  readonly anyBefore: boolean;
  readonly anyAfter: boolean;
  /** Not of one or two letters: 'B.J.' and 'z.B.' would be some. */
  readonly mayBeBroken: boolean;
  /** 'año' is not 'ano'; in longer words, ñ is taken for an n in disguise. */
  readonly isShort: boolean;
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly rule: Rule;
  /** Without the rest of a longer word, which `*` stands for. */
  readonly matchedStart: number;
  readonly matchedEnd: number;
}

/** Without the `*` at its ends, which stands for the rest of a longer word. */
export const withoutStars = (word: string): string => word.trim().replaceAll(/^\*+|\*+$/gu, '');

export const isLatin = (word: string): boolean => /^[\p{Script=Latin}*]+$/u.test(word.trim());

function toRule(word: string): Rule {
  const trimmed = word.trim();
  const letters = lettersOfRule(withoutStars(trimmed));
  const words = letters.map(({ letter }) => letter).join('');
  return {
    word,
    letters: new RegExp(sourceOf(letters), 'gu'),
    anyBefore: trimmed.startsWith('*'),
    anyAfter: trimmed.endsWith('*'),
    mayBeBroken: letters.length >= SHORTEST_PART || !isLatin(word),
    isShort: words.split(GAP).every((one) => one.length < SHORTEST_WITH_ANY_N),
  };
}

/** Each letter as often as the rule has it in a row, or drawn out; 'oe' for 'ö', too. */
function sourceOf(letters: ReturnType<typeof lettersOfRule>): string {
  let source = '';
  let count = 0;
  for (const [index, { letter, isUmlaut }] of letters.entries()) {
    count += 1;
    const isRepeated = !isUmlaut && letters[index + 1]?.letter === letter;
    if (isRepeated) continue;
    if (letter === GAP) source += ANY_GAP;
    else {
      const one = letter.replace(/[\\^$.*+?()[\]{}|/]/u, String.raw`\$&`);
      const more = Math.max(1, DRAWN_OUT.least - count);
      source += `${one}{${count}}(?:${one}{${more},${DRAWN_OUT.most}})?${isUmlaut ? 'e?' : ''}`;
    }
    count = 0;
  }
  return source;
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
  let rules: readonly Rule[] | undefined;

  return {
    /** Searches readable text; `locale` is the language of the bleep. */
    async check(written: string, locale: string, pause: Pause): Promise<BlockedWordsResult> {
      if (blockedWords.includes(EVERY_WORD)) return { outcome: 'refused', rule: EVERY_WORD };
      rules ??= blockedWords.filter((word) => lettersOfRule(withoutStars(word)).length > 0).map(toRule);
      if (rules.length === 0) return { outcome: 'clean', text: written };
      const words = written.normalize('NFC');
      const found = withoutExceptions(await allFound(words, locale, rules, pause), words, exceptions);
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

async function allFound(words: string, locale: string, rules: readonly Rule[], pause: Pause): Promise<Found[]> {
  const found: Found[] = [];
  for (const read of [plainReading, spelledOutReading]) {
    await pause();
    const reading = read(words);
    for (const rule of rules) {
      await pause();
      found.push(...foundIn(reading, rule, rule.anyBefore));
    }
  }
  await pause();
  const broken = brokenReading(words);
  const elides = LANGUAGES_WITH_ELISIONS.test(locale);
  for (const rule of rules.filter(({ mayBeBroken }) => mayBeBroken)) {
    await pause();
    // Also with `*`, at the beginning of a part: 'on-again' holds no other word.
    for (const one of foundIn(broken, rule, false)) {
      const word = words.slice(one.start, one.end);
      if (!CONTRACTION.test(word) && !(elides && ELISION.test(word))) found.push(one);
    }
  }
  return found.filter(
    ({ rule, matchedStart, matchedEnd }) =>
      !rule.isShort || hasEnye(rule.word) === hasEnye(words.slice(matchedStart, matchedEnd)),
  );
}

const hasEnye = (word: string): boolean => /ñ/iu.test(word.normalize('NFC'));

function foundIn({ variants, starts, ends, wordStart, wordEnd }: Reading, rule: Rule, anyBefore: boolean): Found[] {
  const found: Found[] = [];
  const [written = ''] = variants;
  const { letters, anyAfter } = rule;
  for (const variant of variants) {
    letters.lastIndex = 0;
    for (let match = letters.exec(variant); match; match = letters.exec(variant)) {
      const { index: at } = match;
      const to = at + match[0].length;
      const matchedStart = starts[at] ?? 0;
      const matchedEnd = ends[to - 1] ?? 0;
      const isWord = anyBefore || wordStart[matchedStart] === matchedStart;
      const isWhole = anyAfter || wordEnd[matchedEnd] === matchedEnd;
      if (!isWord || !isWhole || !holdsLetter(variant, written, at, to)) {
        letters.lastIndex = at + 1;
        continue;
      }
      // Bleeped but for its end, 'damned' would be a word that can still be told.
      const start = wordStart[matchedStart] ?? matchedStart;
      const end = wordEnd[matchedEnd] ?? matchedEnd;
      found.push({ rule, start, end, matchedStart, matchedEnd });
    }
  }
  return found;
}

/** Signs that only resemble letters make no word without a letter. */
function holdsLetter(variant: string, written: string, at: number, to: number): boolean {
  for (let unit = at; unit < to; unit++) if (variant[unit] === written[unit]) return true;
  return false;
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
    core: comparable(withoutStars(written).trim().replaceAll(/\s+/g, ' ')),
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

/** Of what was found, what is no part of an exception: from the front, without overlaps, the longest where several begin. */
function withoutExceptions(found: readonly Found[], words: string, exceptions: readonly Exception[]): readonly Found[] {
  const kept: Found[] = [];
  if (found.length === 0) return kept;
  const searched = comparable(words);
  const atBorder = (offset: number) => atWordBorder(words, offset, 'letters');
  /** By offset, how far the exceptions go that begin there or before. */
  const reach = new Int32Array(words.length);
  for (const { core, anyBefore, anyAfter } of exceptions) {
    for (let start = searched.indexOf(core); start >= 0; start = searched.indexOf(core, start + 1)) {
      const end = start + core.length;
      if ((anyBefore || atBorder(start)) && (anyAfter || atBorder(end))) {
        reach[start] = Math.max(reach[start] ?? 0, end);
      }
    }
  }
  for (const [offset, end] of reach.entries()) reach[offset] = Math.max(end, reach[offset - 1] ?? 0);
  for (const one of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    // Not the whole of a longer word: 'fuckklasse' is no 'klasse'.
    const isExcepted = (reach[one.matchedStart] ?? 0) >= one.matchedEnd;
    if (!isExcepted && one.start >= (kept.at(-1)?.end ?? 0)) kept.push(one);
  }
  return kept;
}
