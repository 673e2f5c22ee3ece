import type { EnvFile } from '../process/env-file.ts';
import { nearestWord } from '../process/nearest-word.ts';
import { SETTINGS } from './environment.ts';

interface StrangeVariable {
  readonly name: string;
  readonly nearest: string | undefined;
}

/**
 * A line of `.env` that probably does not do what its author intended. Never contains the value, which may be a secret.
 */
interface StrangeLine {
  readonly found: string;
  readonly means: string;
  readonly remedy: string;
}

/**
 * How many typing errors may separate a variable outside of `.env` from a setting's name: other programs' variables
 * exist there, too.
 */
const SLIPS = 2;
/** Variables with these prefixes always belong to the bot; ignoring a misspelled limit may cost money. */
const OURS = /^(?:SPEECH_ENGINE|SPENDING_)/;
const KNOWN = Object.keys(SETTINGS);
const isKnown = (name: string) => KNOWN.includes(name);

/** True if the text before = in a line of .env looks like a setting's name. A secret that ends with = does not. */
const isName = (name: string) => /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$/.test(name) || nearestSetting(name) !== undefined;
const nearestSetting = (name: string) => nearestWord(name.toUpperCase(), KNOWN);

/** Finds names in .env that are no settings, and environment variables that look like misspelled settings. */
export function strangeVariables(
  environment: Readonly<Record<string, string | undefined>>,
  file: EnvFile | undefined,
): StrangeVariable[] {
  const namesInFile = new Set(file?.assignments.map(({ name }) => name));
  const inFile = [...namesInFile].filter((name) => !isKnown(name) && isName(name));
  const elsewhere = Object.keys(environment).filter((name) => !isKnown(name) && !namesInFile.has(name));
  return [
    ...inFile.map((name) => ({ name, nearest: nearestSetting(name) })),
    ...elsewhere.flatMap((name) => {
      const nearest = nearestWord(name.toUpperCase(), KNOWN, Math.min(SLIPS, name.length / 4));
      return nearest === undefined && !OURS.test(name) ? [] : [{ name, nearest }];
    }),
  ];
}

export function describeStrange({ name, nearest }: StrangeVariable): string {
  return `${name} is not a setting of Crier${nearest === undefined ? '' : `: did you mean ${nearest}?`}`;
}

const WRITE_IT = 'Write it as NAME=VALUE, or with # in front as a comment.';

/** Finds settings that .env sets twice, and lines of .env that set nothing. */
export function strangeLines(file: EnvFile | undefined): StrangeLine[] {
  const { assignments = [], others = [] } = file ?? {};
  // A setting may have an empty line, as in .env.example, and a later line with its value: that is not twice.
  const twice = assignments.flatMap(({ name, line }, index) => {
    const before = assignments.slice(0, index).findLast((other) => other.name === name && !other.isEmpty);
    if (before === undefined || !isKnown(name)) return [];
    const found = `line ${line} sets ${name} again, after line ${before.line}`;
    return [{ found, means: 'The last one counts.', remedy: 'Leave one of them out.' }];
  });
  const unread = others.map(({ line, beforeColon = '' }) => ({
    // The word before a colon in a line of .env may be part of a secret, so it is shown only if it is a setting's name.
    found: isKnown(beforeColon) ? `line ${line} has a colon after ${beforeColon}` : `line ${line} sets nothing`,
    means: 'It is not read.',
    remedy: isKnown(beforeColon) ? `Write ${beforeColon}= and the value.` : WRITE_IT,
  }));
  const unnamed = assignments
    .filter(({ name }) => !isKnown(name) && !isName(name))
    .map(({ line }) => ({
      found: `line ${line} sets nothing that Crier reads`,
      means: 'It is not used.',
      remedy: WRITE_IT,
    }));
  return [...twice, ...unread, ...unnamed];
}

export const describeStrangeLine = ({ found, means, remedy }: StrangeLine): string =>
  `In .env, ${found}. ${means} ${remedy}`;
