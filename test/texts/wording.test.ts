import { describe, expect, it } from 'vitest';
import { messageOf, render, type TextKey, text } from '../../src/texts/catalogue.ts';
import { en } from '../../src/texts/en.ts';

const KEYS = Object.keys(en) as TextKey[];

/** Words of an earlier wording that native speakers do not use, by language. */
const UNNATURAL: Readonly<Record<string, RegExp>> = {
  'en-US':
    /[Ww]hoever|those who manage|memory does not|[Mm]ade before|at hand|[Mm]aking the speech|[Tt]aken? back|as the bot has it|in no voice channel|[Gg]oing on|left out|leaves nothing of|\/voices alone|Because you own/u,
  de: /Gedächtnis|vorrätig|[Dd]ie, die|[Ww]er diesen (?:Bot|Server)|zurücknehm|als üblich|ohne ein Wort|lässt den Bot|ohne wer|je Zeile/u,
  'es-ES':
    /[Dd]icho en|memoria del bot|hacer? decir|gestiona[rn]?|Quien administra|mis deseos|[Ss]olo \/voices|tuya habitual|Llegada de|\p{L} …/u,
};

describe.each(Object.entries(UNNATURAL))('in %s', (locale, unnatural) => {
  it('nothing is worded as only this bot would say it', () => {
    const found = KEYS.filter((key) => unnatural.test(messageOf(key, locale) ?? ''));
    expect(found).toEqual([]);
  });
});

it.each<readonly [string, TextKey, string]>([
  ['en-US', 'spent.cached', 'Cached, no credits used.'],
  ['en-US', 'say.synthesising', 'Generating speech …'],
  ['en-US', 'refused.member-muted', 'A server manager muted you here.'],
  ['en-US', 'skip.not-yours', 'Only they or a moderator can.'],
  ['en-US', 'opt-out.description', 'Never read my messages or announce me'],
  ['en-US', 'store.failed', 'The bot’s database is unavailable'],
  ['en-US', 'voice.reset.description', 'Reset your saved voice settings'],
  ['en-US', 'refused.not-in-voice', 'You’re not in a voice channel.'],
  ['de', 'setting.hushed', 'Still verlassen'],
  ['de', 'save-speech.description', 'als Audiodatei speichern'],
  ['de', 'store.failed', 'Die Datenbank ist nicht erreichbar'],
  ['de', 'credits.renews', 'Die Tageslimits werden'],
  ['es-ES', 'say.spoken', 'Leído en {channel} con la voz {voice}'],
  ['es-ES', 'refused.blocked-role', 'usar el bot'],
  ['es-ES', 'settings.mute.description', 'Silenciar a un miembro'],
  ['es-ES', 'forget.yes-wishes', 'Borrar también la exclusión'],
  ['es-419', 'setting.queueLimit', 'textos en espera'],
])('in %s %s is said as people say it', (locale, key, words) => {
  expect(messageOf(key, locale)).toContain(words);
});

it.each([
  ['en-US', /[„«»‚‹›"]/u, /“[^”]*”/gu],
  ['de', /[”«»‘‚‹›"]/u, /„[^“]*“/gu],
  ['es-ES', /[„«»‚‹›"]/u, /“[^”]*”/gu],
])('in %s every quotation has the marks of the language', (locale, others, pair) => {
  const wrong = KEYS.filter((key) => {
    const message = messageOf(key, locale) ?? '';
    return others.test(message) || /[„“”]/u.test(message.replaceAll(pair, ''));
  });
  expect(wrong).toEqual([]);
});

it('parameters that a voice ignores are named in the case that the language wants', () => {
  const parameters = { list: [text('ignored.speed'), text('ignored.style')] };
  const words = (locale: string) => render(text('say.ignored', { voice: 'ivy', parameters }), locale);
  expect(words('en-US')).toBe('-# ivy ignores speed, style.');
  expect(words('de')).toBe('-# ivy unterstützt keine Änderung des Tempos, keinen Stil.');
  expect(words('es-ES')).toBe('-# ivy no admite cambiar la velocidad, indicar un estilo.');
});
