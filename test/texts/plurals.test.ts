import { describe, expect, it } from 'vitest';
import { messageOf, render, type TextKey } from '../../src/texts/catalog.ts';
import { en } from '../../src/texts/en.ts';
import { argumentsOf } from './messages.ts';

/** Every plural of every message: a message with two of them is formatted for each. */
const PLURALS = (Object.keys(en) as TextKey[]).flatMap((key) => {
  const all = argumentsOf(en[key]);
  const names = new Set(all.filter(({ kind }) => kind === 'plural').map(({ name }) => name));
  return [...names].map((name) => ({ key, name, all }));
});

/** The words with 0, 1 and 2 of `name`, all else the same. */
function formatted({ key, name, all }: (typeof PLURALS)[number], locale: string): string[] {
  const others = Object.fromEntries(
    all.map(({ name: other, kind, branches }) => {
      if (kind === 'plural' || kind === 'number') return [other, 7];
      return [other, kind === 'select' ? (branches[0] ?? 'other') : `‹${other}›`];
    }),
  );
  return [0, 1, 2].map((count) => render({ key, values: { ...others, [name]: count } }, locale));
}

/** Plurals whose words are the same for one and for two, as 'Server' is in German. */
const SAME_WORDS: Readonly<Record<string, readonly string[]>> = {
  en: [],
  de: ['say.billed characters', 'moderation.characters characters', 'owner.status.discord servers'],
  es: [],
};

describe.each(['en-US', 'de', 'es-ES', 'es-419'])('plurals in %s', (locale) => {
  it('have words of their own for one, unless they name nothing that is counted', () => {
    const without = PLURALS.filter(({ key, name }) => {
      const own = argumentsOf(messageOf(key, locale) ?? '').filter((one) => one.name === name && one.kind === 'plural');
      const isNumberAlone = /\{#\}/u.test(messageOf(key, locale) ?? '') || !/#/u.test(messageOf(key, locale) ?? '');
      return !isNumberAlone && own.some(({ branches }) => !branches.includes('one'));
    });
    expect(without.map(({ key, name }) => `${key} ${name}`)).toEqual([]);
  });

  it('leave no raw argument', () => {
    const raw = PLURALS.filter(({ key, ...plural }) =>
      formatted({ key, ...plural }, locale).some((words) => /[{}]|\bplural\b|undefined|NaN/u.test(words)),
    );
    expect(raw.map(({ key }) => key)).toEqual([]);
    expect(PLURALS.length).toBeGreaterThan(50);
  });

  it('are different for 0, 1 and 2, wherever the number is shown', () => {
    const alike = PLURALS.filter((plural) => {
      const results = formatted(plural, locale);
      const isShown = /#/u.test(messageOf(plural.key, locale) ?? '') && results[2]?.includes('2');
      return results.includes(messageOf(plural.key, locale) ?? '') || (isShown && new Set(results).size < 3);
    });
    expect(alike.map(({ key }) => key)).toEqual([]);
  });

  it('agree with the number: one is worded otherwise than two', () => {
    const alike = PLURALS.filter(({ key, name, all }) => {
      const isCounted = all.some((one) => one.name === name && one.branches.includes('one'));
      const [, one = '', two = ''] = formatted({ key, name, all }, locale).map((words) => words.replaceAll(/\d/gu, ''));
      return isCounted && one === two;
    });
    const [language = ''] = locale.split('-');
    expect(alike.map(({ key, name }) => `${key} ${name}`)).toEqual(SAME_WORDS[language]);
  });
});
