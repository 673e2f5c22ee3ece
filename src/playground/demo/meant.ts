import { CommandRefused, type Option } from '../people/typed-command.ts';

const asIs = (candidate: unknown): readonly string[] => [String(candidate)];

/**
 * Finds the candidate with the label `typed` in any letter case, or else the only candidate whose label begins with
 * `typed`, or else the only one that contains `typed`.
 */
export function find<T>(
  candidates: readonly T[],
  typed: string,
  labelsOf: (candidate: T) => readonly string[],
): T | undefined {
  const words = typed.toLowerCase();
  const fits = (test: (label: string) => boolean) => candidates.filter((candidate) => labelsOf(candidate).some(test));
  const [exact] = fits((label) => label === typed);
  const [same] = fits((label) => label.toLowerCase() === words);
  if (exact ?? same) return exact ?? same;
  if (words === '') return undefined;
  const beginning = fits((label) => label.toLowerCase().startsWith(words));
  const found = beginning.length > 0 ? beginning : fits((label) => label.toLowerCase().includes(words));
  return found.length === 1 ? found[0] : undefined;
}

/** Finds a candidate by its typed label. Throws an error with all labels if no candidate or several candidates fit. */
export function meant<T>(
  what: string,
  candidates: readonly T[],
  typed: string,
  labelsOf: (candidate: T) => readonly string[] = asIs,
): T {
  const found = find(candidates, typed, labelsOf);
  if (found !== undefined) return found;
  const labels = candidates.map((candidate) => labelsOf(candidate)[0]).join(', ');
  throw new Error(
    `${typed === '' ? `Name a ${what}` : `There is no ${what} ${typed} here`}; there are: ${labels || 'none'}.`,
  );
}

/**
 * The name of an option's choice. Finds the choice by a label in the person's language or English, by its value, or by
 * part of either.
 */
export function choiceOf({ name: option, choices = [] }: Option, typed: string, language: string): string {
  const labels = (choice: (typeof choices)[number]) => [
    choice.name_localizations?.[language] ?? choice.name,
    choice.name,
    String(choice.value),
  ];
  const found = find(choices, typed, labels);
  if (!found)
    throw new CommandRefused(`The option ${option} must be one of: ${choices.map((one) => labels(one)[0]).join(', ')}`);
  return found.name;
}

export const several = (words: string): string[] => words.split(',').map((part) => part.trim());
