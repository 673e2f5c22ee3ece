import { GAP, isGap, type Letter, ruleLetters } from './blocked-words-letters.ts';

export interface BlockedWordRule {
  readonly word: string;
  readonly letters: readonly Run[];
  /** Each of its letters once. */
  readonly alphabet: ReadonlySet<string>;
  /** May be followed, or preceded, by the rest of a longer word. */
  readonly anyBefore: boolean;
  readonly anyAfter: boolean;
}

/** The same letter so many times in a row. */
interface Run {
  readonly letter: string;
  readonly count: number;
}

/** Rules as a tree of their letters, so that a text is searched once for all of them. */
export interface RuleTree {
  /** Within the tree that it is part of. */
  readonly number: number;
  readonly rules: BlockedWordRule[];
  readonly next: Map<string, { readonly count: number; readonly tree: RuleTree }[]>;
}

/** Remaining steps of the search in one text: with signs that stand for letters, a crafted text would take for ever. */
export interface Steps {
  left: number;
}

/** The search ran out of steps: the content of the text is unknown. */
export class TangledText extends Error {
  override name = 'TangledText';
}

export function take(steps: Steps, count: number): void {
  steps.left -= count;
  if (steps.left < 0) throw new TangledText('The text has too many readings to be looked through');
}

/** A longer elongation is not recognised; readable text has none so long. */
const LONGEST_DRAWN_OUT = 30;

export function toRule(word: string): BlockedWordRule {
  const trimmed = word.trim();
  const letters: { letter: string; count: number }[] = [];
  for (const letter of ruleLetters(trimmed.replaceAll(/^\*+|\*+$/gu, ''))) {
    const last = letters.at(-1);
    if (last?.letter === letter) last.count++;
    else letters.push({ letter, count: 1 });
  }
  return {
    word: trimmed,
    letters,
    alphabet: new Set(letters.map(({ letter }) => letter)),
    anyBefore: trimmed.startsWith('*'),
    anyAfter: trimmed.endsWith('*'),
  };
}

export function ruleTree(rules: readonly BlockedWordRule[]): RuleTree {
  let trees = 0;
  const newTree = (): RuleTree => ({ number: trees++, rules: [], next: new Map() });
  const root = newTree();
  for (const rule of rules.filter(({ letters }) => letters.length > 0)) {
    let tree = root;
    for (const { letter, count } of rule.letters) {
      const branches = tree.next.get(letter) ?? [];
      tree.next.set(letter, branches);
      let branch = branches.find((one) => one.count === count);
      if (!branch) {
        branch = { count, tree: newTree() };
        branches.push(branch);
      }
      tree = branch.tree;
    }
    tree.rules.push(rule);
  }
  return root;
}

/**
 * The rules whose letters begin at `at`, and where those end. A letter counts as elongated from three in a row. Throws
 * TangledText.
 */
export function matchesAt(
  root: RuleTree,
  letters: readonly Letter[],
  at: number,
  steps: Steps,
): { rule: BlockedWordRule; to: number }[] {
  const matches: { rule: BlockedWordRule; to: number }[] = [];
  let reached = [{ tree: root, from: at }];
  while (reached.length > 0) {
    const next: typeof reached = [];
    const seen = new Set<number>();
    const reach = (tree: RuleTree, from: number) => {
      const place = tree.number * (letters.length + 1) + from;
      if (seen.has(place)) return;
      seen.add(place);
      next.push({ tree, from });
      take(steps, tree.rules.length);
      for (const rule of tree.rules) matches.push({ rule, to: from });
    };
    for (const { tree, from } of reached) {
      // To each place in the gap: a sign in it may be the first letter of the next word ('bad @pple').
      const gaps = tree.next.get(GAP) ?? [];
      for (let to = from; gaps.length > 0 && isGap(letters[to]); to++) {
        take(steps, 1);
        for (const { tree: branch } of gaps) reach(branch, to + 1);
      }
      for (const option of letters[from]?.options ?? []) {
        take(steps, 1);
        const branches = tree.next.get(option);
        if (!branches) continue;
        // Only letters themselves can be elongated, so that there are never many ways to read a row of signs.
        const drawnOut = letters[from]?.options[0] === option ? repetitions(letters, from, option) : 0;
        const most = mostRepeats(branches, letters, from, option);
        take(steps, drawnOut + most + branches.length);
        for (const { count, tree: branch } of branches) {
          if (count <= most) reach(branch, from + count);
          if (drawnOut >= 3 && drawnOut > count) reach(branch, from + drawnOut);
        }
      }
    }
    reached = next;
  }
  return matches;
}

/** How often a letter is repeated from there on; counted only as far as any of the branches needs. */
function mostRepeats(
  branches: readonly { readonly count: number }[],
  letters: readonly Letter[],
  from: number,
  letter: string,
): number {
  const needed = Math.max(...branches.map(({ count }) => count));
  let count = 0;
  while (count < needed && letters[from + count]?.options.includes(letter)) count++;
  return count;
}

function repetitions(letters: readonly Letter[], from: number, letter: string): number {
  let count = 0;
  while (count < LONGEST_DRAWN_OUT && letters[from + count]?.options[0] === letter) count++;
  return count;
}
