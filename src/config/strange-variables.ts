import type { EnvFile } from '../process/env-file.ts';
import { nearestWord } from '../process/nearest-word.ts';
import { SETTINGS } from './environment.ts';

interface StrangeVariable {
  readonly name: string;
  readonly nearest: string | undefined;
}

/** Outside of `.env`, a variable with more than two typing errors probably belongs to another program. */
const SLIPS = 2;
/** A misspelled variable with one of these prefixes causes a warning: an ignored limit may cost money. */
const OURS = /^(?:SPEECH_ENGINE|SPENDING_)/;
const KNOWN = Object.keys(SETTINGS);
const isKnown = (name: string) => KNOWN.includes(name);

/** True for text that looks like a variable's name. Other text before `=` in .env may be a secret, and is not shown. */
const isName = (name: string) => /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$/.test(name) || nearestSetting(name) !== undefined;
const nearestSetting = (name: string) => nearestWord(name.toUpperCase(), KNOWN);

/** Finds names in .env that are no settings, and environment variables that look like misspelled settings. */
export function strangeVariables(
  environment: Readonly<Record<string, string | undefined>>,
  file: EnvFile | undefined,
): StrangeVariable[] {
  const namesInFile = Object.keys(file ?? {});
  const inFile = namesInFile.filter((name) => !isKnown(name) && isName(name));
  const elsewhere = Object.keys(environment).filter((name) => !isKnown(name) && !namesInFile.includes(name));
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
