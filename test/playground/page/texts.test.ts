import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFaultBoard } from '../../../src/playground/demo/faults/fault-switches.ts';
import { startWorld } from '../../../src/playground/world/world.ts';

const PLAYGROUND = join(import.meta.dirname, '../../../src/playground');
const CLIENT = join(PLAYGROUND, 'page/client');

type Catalogue = Readonly<Record<string, string>>;
const { en } = (await import(`${CLIENT}/texts/en.js`)) as { en: Catalogue };
const { de } = (await import(`${CLIENT}/texts/de.js`)) as { de: Catalogue };
const { es } = (await import(`${CLIENT}/texts/es.js`)) as { es: Catalogue };
const { problemIn, aboutFault } = (await import(`${CLIENT}/texts.js`)) as {
  problemIn(language: string, words: string): string;
  aboutFault(language: string, fault: { readonly name: string; readonly about: string }): string;
};

/** The same word in both languages. */
const SAME = {
  de: new Set([
    'app',
    'apps',
    'admin',
    'credits',
    'transport',
    'decoder',
    'step.interaction',
    'botOnline',
    'botOffline',
  ]),
  es: new Set(['app', 'admin', 'no', 'bytes', 'quoted']),
};

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const marks = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([mark]) => mark).sort();

/** Of what the page can be refused: every template of an error, with something in place of its values. */
function refusals(): string[] {
  const sources = ['actor', 'command-data', 'command-use', 'component-use', 'typed-command', 'voice-life', 'writing'];
  const paths = [
    ...sources.map((name) => join(PLAYGROUND, 'people', `${name}.ts`)),
    join(PLAYGROUND, 'page/connection.ts'),
    join(PLAYGROUND, 'demo/faults/fault-switches.ts'),
    join(PLAYGROUND, 'demo/faults/machine-switches.ts'),
  ];
  const thrown = /(?:throw new \w+|missing = new \w+)\(\s*(`(?:\$\{(?:[^{}]|\{[^{}]*\})*\}|[^`])*`|'[^'\n]*')/g;
  return paths.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(thrown)].map(([, literal = '']) => literal));
}

/** Acts that the page does not have. */
const NOT_ON_THE_PAGE = [
  'Say first who looks.',
  'A reply stands below what it answers',
  'A forward holds nothing of its own',
  'Only bots defer their replies',
];

describe('the words of the page', () => {
  test('are in English, German and Spanish, with the same values in them', () => {
    for (const [language, catalogue] of Object.entries({ de, es })) {
      expect(Object.keys(catalogue), language).toEqual(Object.keys(en));
      for (const [key, english] of Object.entries(en)) {
        const words = catalogue[key] ?? '';
        expect(marks(words), `${language} ${key}`).toEqual(marks(english));
        const isSame = words === english;
        expect(isSame, `${language} ${key}: ${words}`).toBe(SAME[language as 'de' | 'es'].has(key) && isSame);
      }
    }
  });

  test('are there for every key that the page asks for', () => {
    const used = files(CLIENT)
      .filter((path) => /\.(js|html)$/.test(path) && !path.includes('texts/'))
      .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/\bt\('([\w.-]+)'|data-t(?:-label)?="([\w.-]+)"/g)])
      .map(([, called, marked]) => called ?? marked ?? '');
    expect(used.length).toBeGreaterThan(80);
    expect(used.filter((key) => !Object.hasOwn(en, key))).toEqual([]);
  });

  test('say every refusal of the loopback Discord, and of its switches', () => {
    const said = refusals()
      .map((literal) => literal.slice(1, -1).replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'X'))
      .filter((words) => !NOT_ON_THE_PAGE.includes(words));
    expect(said.length).toBeGreaterThan(50);
    const untranslated = (language: string) => said.filter((words) => problemIn(language, words) === words);
    expect(untranslated('de')).toEqual([]);
    expect(untranslated('es')).toEqual([]);
    expect(problemIn('en', 'alice cannot join Full: the channel is full')).toBe(
      'alice cannot join Full: the channel is full',
    );
    expect(problemIn('de', 'alice cannot join Full: the channel is full')).toBe(
      'alice kann Full nicht beitreten: Der Kanal ist voll.',
    );
  });

  test('describe every fault', async () => {
    const world = await startWorld();
    const faults = createFaultBoard(world).list();
    await world.close();
    const same = (language: string) =>
      faults.filter((fault) => aboutFault(language, fault) === aboutFault('en', fault)).map(({ name }) => name);
    expect(same('de')).toEqual([]);
    expect(same('es')).toEqual([]);
  });
});
