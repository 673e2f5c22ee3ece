import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { en } from '../../src/texts/en.ts';

const root = join(import.meta.dirname, '..', '..');

export interface Source {
  readonly file: string;
  readonly code: string;
}

/** The bot's own sources below these folders, the catalogs aside. */
export function sources(...folders: readonly string[]): Source[] {
  return folders
    .flatMap((folder) => globSync(`src/${folder}/**/*.ts`, { cwd: root }))
    .filter((file) => !/^src\/texts\/..\.ts$/u.test(file))
    .map((file) => ({ file, code: readFileSync(join(root, file), 'utf8') }));
}

/** The keys that a piece of code names, whole or as a pattern such as `page.${name}`. */
export function keysNamedIn(code: string): string[] {
  const whole = [...code.matchAll(/'([a-zA-Z][\w.-]*)'/gu)].map(([, key = '']) => key).filter((key) => key in en);
  const patterns = [...code.matchAll(/`([a-z-]+\.[^`\n]*\$\{[^`\n]*)`/gu)].map(([, template = '']) => {
    const parts = template.split(/\$\{[^}]*\}/u).map((part) => part.replaceAll('.', '\\.'));
    return new RegExp(`^${parts.join('[\\w-]+')}$`, 'u');
  });
  return [...whole, ...Object.keys(en).filter((key) => patterns.some((pattern) => pattern.test(key)))];
}

/** Where a text is shown, with as many characters as Discord takes there. */
export interface Place {
  readonly key: string;
  readonly limit: number;
  readonly what: string;
}

const SHOWN = /\b(label|title|placeholder|description): ([^\n]*?\btext\([^\n]*)/gu;
const BUTTON = /\bbutton\([^,\n]+, (text\([^\n]*)/gu;

/** The texts of buttons, selects and forms, found by the property that they are given as. */
export function placesIn({ file, code }: Source): Place[] {
  const buttons = [...code.matchAll(BUTTON)].flatMap(([, rest = '']) => {
    const label = rest.split(/\), /u, 1)[0] ?? '';
    return keysNamedIn(label).map((key) => ({ key, limit: 80, what: `a button in ${file}` }));
  });
  const shown = [...code.matchAll(SHOWN)].flatMap(({ 1: property = '', 2: rest = '', index }) => {
    const expression = rest.split(/, \w+:(?![^{]*\}\))/u, 1)[0] ?? '';
    const { limit, what } = placeOf(property, objectAround(code, index));
    return keysNamedIn(expression).map((key) => ({ key, limit, what: `${what} in ${file}` }));
  });
  return [...buttons, ...shown];
}

/** https://discord.com/developers/docs/components/reference */
function placeOf(property: string, around: string): Omit<Place, 'key'> {
  const isField = /\bkind: '(?:line|paragraph|file)'/u.test(around) || /\bname: /u.test(around);
  if (property === 'title') return { limit: 45, what: 'the title of a form' };
  if (property === 'placeholder') return isField ? { limit: 100, what: 'a field' } : { limit: 150, what: 'a select' };
  if (property === 'description') return { limit: 100, what: 'a description' };
  if (isField) return { limit: 45, what: 'the label of a field' };
  return /\bvalue[:,]/u.test(around) ? { limit: 100, what: 'an option' } : { limit: 80, what: 'a button' };
}

/** The innermost object that this is a property of. */
function objectAround(code: string, index: number): string {
  const edge = (step: 1 | -1, [deeper, out]: readonly [string, string]) => {
    let depth = 0;
    for (let at = index; at >= 0 && at < code.length; at += step) {
      if (code[at] === deeper) depth++;
      if (code[at] === out && --depth < 0) return at;
    }
    return index;
  };
  return code.slice(edge(-1, ['}', '{']), edge(1, ['{', '}']) + 1);
}
