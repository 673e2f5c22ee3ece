import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import type { Text } from '../../src/texts/catalog.ts';

/** What a message takes in: '{name}', '{count, number}', '{count, plural}' with the branches that it must have. */
export interface Argument {
  readonly name: string;
  readonly kind: 'words' | 'number' | 'plural' | 'select' | 'other';
  readonly branches: readonly string[];
}

function kindOf({ type }: MessageFormatElement): Argument['kind'] {
  if (type === TYPE.argument) return 'words';
  if (type === TYPE.number) return 'number';
  if (type === TYPE.plural) return 'plural';
  return type === TYPE.select ? 'select' : 'other';
}

/** Every argument of a message, those inside branches too. */
export function argumentsOf(message: string): Argument[] {
  const visit = (elements: readonly MessageFormatElement[]): Argument[] =>
    elements.flatMap((element) => {
      if (element.type === TYPE.literal || element.type === TYPE.pound) return [];
      const options = 'options' in element && element.options ? element.options : {};
      const argument = { name: String(element.value), kind: kindOf(element), branches: Object.keys(options) };
      return [argument, ...Object.values(options).flatMap(({ value }) => visit(value))];
    });
  return visit(parse(message, { ignoreTag: true }));
}

/** The values a message can be given so that each of its branches is taken once; words show where they are put in. */
export function samplesOf(message: string): Text['values'][] {
  const all = argumentsOf(message);
  const values = (turn: number): Text['values'] =>
    Object.fromEntries(
      all.map(({ name, kind, branches }) => {
        if (kind === 'words') return [name, `‹${name}›`];
        if (kind === 'select') return [name, branches[turn % branches.length] ?? 'other'];
        if (kind === 'number') return [name, [3, 12_345, 1][turn % 3] ?? 3];
        const branch = branches[turn % branches.length] ?? 'other';
        return [name, branch.startsWith('=') ? Number(branch.slice(1)) : branch === 'one' ? 1 : 1234.5];
      }),
    );
  const turns = Math.max(1, ...all.map(({ branches }) => branches.length));
  return Array.from({ length: turns }, (_, turn) => values(turn));
}
