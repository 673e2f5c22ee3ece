import { z } from 'zod';
import { render, type Text, text } from '../texts/catalogue.ts';
import { type Letter, lettersOf, spelledOut } from './blocked-words-letters.ts';
import { matchesAt, type Rule, type RuleTree, ruleTree, toRule } from './blocked-words-rules.ts';
import { atWordBorder } from './readable/word-borders.ts';

/** Most words of a server, and UTF-16 units of one. */
export const MOST_BLOCKED_WORDS = 500;
export const LONGEST_BLOCKED_WORD = 50;
/** Letters of a word that is to be found inside others: fewer would be in everything. */
const SHORTEST_PART = 3;

export type BlockedWordsMode = 'refuse' | 'bleep';

export type BlockedWordsResult =
  | { readonly outcome: 'clean'; readonly text: string }
  /** The rule is for the one who wrote the text and for moderators, not for others. */
  | { readonly outcome: 'refused'; readonly rule: string }
  | { readonly outcome: 'bleeped'; readonly text: string; readonly rules: readonly string[] };

export interface BlockedWords {
  /** Looks at readable text; `locale` is the language of the bleep. */
  check(words: string, locale: string): BlockedWordsResult;
}

interface RuleTrees {
  /** Rules that begin where a word does. */
  readonly words: RuleTree;
  /** Rules that may begin within a word. */
  readonly parts: RuleTree;
}

interface Found {
  readonly rule: Rule;
  readonly start: number;
  readonly end: number;
}

/** Why a word cannot be blocked; undefined when it can. `*` at its ends stands for the rest of a longer word. */
export function blockedWordProblem(word: string): Text | undefined {
  const { length } = word.trim();
  if (length > LONGEST_BLOCKED_WORD) return text('blocked.too-long', { length, limit: LONGEST_BLOCKED_WORD });
  const { letters, anyBefore, anyAfter } = toRule(word);
  const count = letters.reduce((sum, run) => sum + run.count, 0);
  if (count === 0) return text('blocked.empty');
  // One sign of Chinese may be a word; one or two letters are in every other.
  return (anyBefore || anyAfter) && count < SHORTEST_PART && /^[\p{Script=Latin}*]+$/u.test(word.trim())
    ? text('blocked.too-short', { least: SHORTEST_PART })
    : undefined;
}

/** A server's blocked words as they are kept. */
export const blockedWordsSchema = z.object({
  mode: z.enum(['refuse', 'bleep']),
  words: z
    .array(
      z
        .string()
        .trim()
        .refine((word) => blockedWordProblem(word) === undefined),
    )
    .max(MOST_BLOCKED_WORDS),
});

/**
 * Finds words in spite of case, accents, signs that look like letters ('$h1t'), elongation ('shiiit') and spelling out
 * ('s.h.i.t'). Whole words unless a rule has `*` at an end, so that Scunthorpe can be spoken of.
 */
export function createBlockedWords(words: readonly string[], mode: BlockedWordsMode): BlockedWords {
  const rules = words.map(toRule);
  const trees = {
    words: ruleTree(rules.filter(({ anyBefore }) => !anyBefore)),
    parts: ruleTree(rules.filter(({ anyBefore }) => anyBefore)),
  };

  return {
    check(written, locale) {
      const words = written.normalize('NFC');
      const found = rules.length === 0 ? [] : allFound(words, trees);
      const [first] = found;
      if (!first) return { outcome: 'clean', text: written };
      if (mode === 'refuse') return { outcome: 'refused', rule: first.rule.word };
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

/** From the front, without overlaps; the longest where several begin. */
function allFound(words: string, trees: RuleTrees): Found[] {
  const atBorder = (offset: number) => atWordBorder(words, offset, 'letters');
  const found = foundIn(lettersOf(words), trees, atBorder, atBorder);
  for (const letters of spelledOut(words)) {
    // Spelled out, letters are a word from the first to the last of them: 'a s s e t s' is none.
    const start = letters[0]?.start;
    const end = letters.at(-1)?.end;
    found.push(
      ...foundIn(
        letters,
        trees,
        (offset) => offset === start,
        (offset) => offset === end,
      ),
    );
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: Found[] = [];
  for (const one of found) if (one.start >= (kept.at(-1)?.end ?? 0)) kept.push(one);
  return kept;
}

function foundIn(
  letters: readonly Letter[],
  trees: RuleTrees,
  canBegin: (offset: number) => boolean,
  canEnd: (offset: number) => boolean,
): Found[] {
  const found: Found[] = [];
  for (const [at, { start }] of letters.entries()) {
    const matches = matchesAt(trees.parts, letters, at);
    if (canBegin(start)) matches.push(...matchesAt(trees.words, letters, at));
    for (const { rule, to } of matches) {
      const end = letters[to - 1]?.end ?? start;
      if ((rule.anyAfter || canEnd(end)) && holdsLetterOf(rule, letters, at, to)) found.push({ rule, start, end });
    }
  }
  return found;
}

/** Signs that only look like letters make no word by themselves. */
function holdsLetterOf(rule: Rule, letters: readonly Letter[], from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if (rule.letters.some(({ letter }) => letter === letters[at]?.options[0])) return true;
  }
  return false;
}
