import { type Letter, ruleLetters } from './blocked-words-letters.ts';

export interface Rule {
  readonly word: string;
  readonly letters: readonly Run[];
  /** May stand at the end, or the front, of a longer word. */
  readonly anyBefore: boolean;
  readonly anyAfter: boolean;
}

/** The same letter so many times in a row. */
export interface Run {
  readonly letter: string;
  readonly count: number;
}

/** Rules by their letters, those with the same beginning together: a text is gone through once for all of them. */
export interface RuleTree {
  readonly rules: Rule[];
  readonly next: Map<string, { readonly count: number; readonly tree: RuleTree }[]>;
}

/** A letter drawn out longer than this is no longer taken for one; readable text has none so long. */
const LONGEST_DRAWN_OUT = 30;

export function toRule(word: string): Rule {
  const trimmed = word.trim();
  const letters: { letter: string; count: number }[] = [];
  for (const letter of ruleLetters(trimmed.replaceAll(/^\*+|\*+$/gu, ''))) {
    const last = letters.at(-1);
    if (last?.letter === letter) last.count++;
    else letters.push({ letter, count: 1 });
  }
  return { word: trimmed, letters, anyBefore: trimmed.startsWith('*'), anyAfter: trimmed.endsWith('*') };
}

export function ruleTree(rules: readonly Rule[]): RuleTree {
  const root: RuleTree = { rules: [], next: new Map() };
  for (const rule of rules.filter(({ letters }) => letters.length > 0)) {
    let tree = root;
    for (const { letter, count } of rule.letters) {
      const branches = tree.next.get(letter) ?? [];
      tree.next.set(letter, branches);
      let branch = branches.find((one) => one.count === count);
      if (!branch) {
        branch = { count, tree: { rules: [], next: new Map() } };
        branches.push(branch);
      }
      tree = branch.tree;
    }
    tree.rules.push(rule);
  }
  return root;
}

/** The rules whose letters begin at `at`, and where those end. A letter may be there three times or more for being drawn out. */
export function matchesAt(root: RuleTree, letters: readonly Letter[], at: number): { rule: Rule; to: number }[] {
  const matches: { rule: Rule; to: number }[] = [];
  let reached = [{ tree: root, from: at }];
  while (reached.length > 0) {
    const next: typeof reached = [];
    const reach = (tree: RuleTree, from: number) => {
      if (next.some((one) => one.tree === tree && one.from === from)) return;
      next.push({ tree, from });
      for (const rule of tree.rules) matches.push({ rule, to: from });
    };
    for (const { tree, from } of reached) {
      for (const option of letters[from]?.options ?? []) {
        const branches = tree.next.get(option);
        if (!branches) continue;
        // Only letters themselves are drawn out, so that there are never many ways to read a row of signs.
        const drawnOut = letters[from]?.options[0] === option ? repetitions(letters, from, option) : 0;
        for (const { count, tree: branch } of branches) {
          if (repeats(letters, from, option, count)) reach(branch, from + count);
          if (drawnOut >= 3 && drawnOut > count) reach(branch, from + drawnOut);
        }
      }
    }
    reached = next;
  }
  return matches;
}

function repeats(letters: readonly Letter[], from: number, letter: string, count: number): boolean {
  for (let at = from; at < from + count; at++) if (!letters[at]?.options.includes(letter)) return false;
  return true;
}

function repetitions(letters: readonly Letter[], from: number, letter: string): number {
  let count = 0;
  while (count < LONGEST_DRAWN_OUT && letters[from + count]?.options[0] === letter) count++;
  return count;
}
