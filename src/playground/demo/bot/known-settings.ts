import { readFileSync } from 'node:fs';
import { nearestWord } from '../../../process/nearest-word.ts';

const EXAMPLE = new URL('../../../../.env.example', import.meta.url);

/** The names of the bot's settings, as its example lists them. */
function knownSettings(): string[] {
  return [...readFileSync(EXAMPLE, 'utf8').matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].flatMap(([, name]) => name ?? []);
}

/** Throws, with a message for the user, for a name that the bot would ignore. */
export function mustBeSetting(name: string): void {
  const known = knownSettings();
  if (known.includes(name)) return;
  const nearest = nearestWord(name, known);
  const hint = nearest === undefined ? '' : `the nearest name is ${nearest}; `;
  throw new Error(`--set ${name}: the bot has no such setting; ${hint}.env.example lists all of them.`);
}
