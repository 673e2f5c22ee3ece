import { readFileSync } from 'node:fs';

const EXAMPLE = new URL('../../../../.env.example', import.meta.url);

/** The names of the bot's settings, as its example lists them. */
function knownSettings(): string[] {
  return [...readFileSync(EXAMPLE, 'utf8').matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].flatMap(([, name]) => name ?? []);
}

/** How many letters to put in, take out or exchange to make one word of the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [column, other] of [...to].entries()) {
      const exchanged = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(exchanged, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Throws, with a message for the user, for a name that the bot would ignore. */
export function mustBeSetting(name: string): void {
  const known = knownSettings();
  if (known.includes(name)) return;
  const byDistance = known.map((candidate) => ({ candidate, away: distance(name, candidate) }));
  const [nearest] = byDistance.sort((a, b) => a.away - b.away);
  // Farther away, a name is another word and not this one mistyped.
  const hint = nearest && nearest.away <= name.length / 3 ? `the nearest name is ${nearest.candidate}; ` : '';
  throw new Error(`--set ${name}: the bot has no such setting; ${hint}.env.example lists all of them.`);
}
