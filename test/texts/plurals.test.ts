import { describe, expect, it } from 'vitest';
import { messageOf, render, type TextKey } from '../../src/texts/catalogue.ts';
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
  de: [
    'say.confirm-free characters',
    'say.billed characters',
    'moderation.characters characters',
    'owner.status.discord servers',
    'owner.message.ask servers',
    'owner.message.sent sent',
    'owner.message.missed missed',
  ],
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

/** Sentences with 0, 1 and 2 of the value named second; those that are about somebody, about a server. */
const EXACT: readonly (readonly [locale: string, key: TextKey, name: string, sentences: readonly string[]])[] = [
  [
    'de',
    'credits.cached',
    'month',
    [
      '-# Dieser Server: 0 Texte kamen in diesem Monat aus dem Cache; sie kosteten nichts.',
      '-# Dieser Server: 1 Text kam in diesem Monat aus dem Cache; er kostete nichts.',
      '-# Dieser Server: 2 Texte kamen in diesem Monat aus dem Cache; sie kosteten nichts.',
    ],
  ],
  [
    'de',
    'stop.stopped',
    'waiting',
    [
      'Gestoppt.',
      'Gestoppt und 1 Text aus der Warteschlange entfernt.',
      'Gestoppt und 2 Texte aus der Warteschlange entfernt.',
    ],
  ],
  [
    'de',
    'account.left',
    'left',
    ['Es sind keine Credits übrig.', 'Es ist nur noch 1 Credit übrig.', 'Es sind nur noch 2 Credits übrig.'],
  ],
  [
    'de',
    'refused.queue-full',
    'limit',
    [
      'Die Warteschlange ist voll (0 Texte). Versuche es wieder, wenn Platz ist.',
      'Die Warteschlange ist voll (1 Text). Versuche es wieder, wenn Platz ist.',
      'Die Warteschlange ist voll (2 Texte). Versuche es wieder, wenn Platz ist.',
    ],
  ],
  [
    'de',
    'failed.credits-used',
    'used',
    ['0 Credits wurden verbraucht.', '1 Credit wurde verbraucht.', '2 Credits wurden verbraucht.'],
  ],
  [
    'es-ES',
    'credits.cached',
    'month',
    [
      '-# Este servidor: este mes, 0 textos estaban en caché y no costaron nada.',
      '-# Este servidor: este mes, 1 texto estaba en caché y no costó nada.',
      '-# Este servidor: este mes, 2 textos estaban en caché y no costaron nada.',
    ],
  ],
  [
    'es-ES',
    'stop.stopped',
    'waiting',
    ['Detenido.', 'Detenido; se ha quitado 1 texto de la cola.', 'Detenido; se han quitado 2 textos de la cola.'],
  ],
  ['es-ES', 'account.left', 'left', ['No quedan créditos.', 'Solo queda 1 crédito.', 'Solo quedan 2 créditos.']],
  [
    'es-419',
    'resumed.messages',
    'count',
    [
      '-# El bot se reinició: no se leyeron 0 mensajes.',
      '-# El bot se reinició: no se leyó 1 mensaje.',
      '-# El bot se reinició: no se leyeron 2 mensajes.',
    ],
  ],
];

it.each(EXACT)('in %s the words of %s are exact', (locale, key, name, sentences) => {
  expect([0, 1, 2].map((count) => render({ key, values: { who: 'server', [name]: count } }, locale))).toEqual(
    sentences,
  );
});
