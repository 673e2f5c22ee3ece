import { readEnvFile } from '../process/env-file.ts';
import { nearestWord } from '../process/nearest-word.ts';
import { SETTINGS } from './environment.ts';

/** A variable that the bot does not read, and that somebody seems to have set for it. */
export interface StrangeVariable {
  readonly name: string;
  /** The setting whose name is nearest, where it is near enough to be meant. */
  readonly nearest: string | undefined;
}

/** Other programs' variables are in the environment too: there only a slip or two of the hand count. */
const SLIPS = 2;
const KNOWN = Object.keys(SETTINGS);

/** Those of the file .env that are no settings, and those of the environment that are misspelt settings. */
export function strangeVariables(
  environment: Readonly<Record<string, string | undefined>>,
  namesInFile: readonly string[] = readNames(),
): StrangeVariable[] {
  const isKnown = (name: string) => KNOWN.includes(name);
  const inFile = namesInFile.filter((name) => !isKnown(name));
  const elsewhere = Object.keys(environment).filter((name) => !isKnown(name) && !inFile.includes(name));
  return [
    ...inFile.map((name) => ({ name, nearest: nearestWord(name.toUpperCase(), KNOWN) })),
    ...elsewhere.flatMap((name) => {
      const nearest = nearestWord(name.toUpperCase(), KNOWN, Math.min(SLIPS, name.length / 4));
      return nearest === undefined ? [] : [{ name, nearest }];
    }),
  ];
}

export function describeStrange({ name, nearest }: StrangeVariable): string {
  return `${name} is not a setting of Crier${nearest === undefined ? '' : `: did you mean ${nearest}?`}`;
}

/** A file that cannot be read is told by whatever reads the settings. */
function readNames(): string[] {
  try {
    return Object.keys(readEnvFile() ?? {});
  } catch {
    return [];
  }
}
