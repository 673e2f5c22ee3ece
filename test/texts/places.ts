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
  const patterns = [...code.matchAll(/`((?:[a-z-]+\.[^`\n]*\$\{|\$\{\w+\}\.[a-z])[^`\n]*)`/gu)].map(
    ([, template = '']) => {
      const parts = template.split(/\$\{[^}]*\}/u).map((part) => part.replaceAll('.', '\\.'));
      return new RegExp(`^${parts.join('[\\w-]+')}$`, 'u');
    },
  );
  return [...whole, ...Object.keys(en).filter((key) => patterns.some((pattern) => pattern.test(key)))];
}

/** Where a text is shown, with as many characters as Discord takes there. */
export interface Place {
  readonly key: string;
  readonly limit: number;
  readonly file: string;
}

const SHOWN = /\b(label|title|placeholder|description): ([^\n]*?\btext\([^\n]*)/gu;
const BUTTON = /\bbutton\([^,\n]+, (text\([^\n]*)/gu;

/** https://discord.com/developers/docs/components/reference: a label is of a field, or of an option behind its value. */
const LIMITS: Readonly<Record<string, number>> = { title: 45, label: 45, placeholder: 150, description: 100 };
const BUTTON_LIMIT = 80;
const OPTION_LIMIT = 100;

/** The texts of buttons, selects and forms, found by the property that they are given as. */
export function placesIn({ file, code }: Source): Place[] {
  const buttons = [...code.matchAll(BUTTON)].flatMap(([, rest = '']) => {
    const label = rest.split(/\), /u, 1)[0] ?? '';
    return keysNamedIn(label).map((key) => ({ key, limit: BUTTON_LIMIT, file }));
  });
  const shown = [...code.matchAll(SHOWN)].flatMap(({ 1: property = '', 2: rest = '', index }) => {
    const expression = rest.split(/, \w+:(?![^{]*\}\))/u, 1)[0] ?? '';
    const isOption = property === 'label' && /\bvalue[:,][^\n]*$/u.test(code.slice(0, index));
    const limit = isOption ? OPTION_LIMIT : (LIMITS[property] ?? 0);
    return keysNamedIn(expression).map((key) => ({ key, limit, file }));
  });
  return [...buttons, ...shown];
}
