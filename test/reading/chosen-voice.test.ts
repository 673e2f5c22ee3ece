import { describe, expect, it } from 'vitest';
import { chosenVoice, createNaming, createNotices } from '../../src/reading/chosen-voice.ts';
import type { ReadingServices } from '../../src/reading/decision.ts';
import type { ServerSettings } from '../../src/services/servers/server-settings.ts';
import { languageOfTexts } from '../../src/services/voices/preferences.ts';
import type { OwnSettings } from '../../src/services/voices/voices.ts';
import { toWire } from '../../src/speech/interface/schemas.ts';
import { voiceOf } from '../commands/scene.ts';
import { silentLog } from '../silent-log.ts';

const LOCAL = voiceOf('aria', { id: '1', languages: ['en', 'es', 'de'], takes_language: true });

function chosen({ voices = [LOCAL], own = {} as OwnSettings, server = {} as ServerSettings, guildLocale = 'en-US' }) {
  const list = { voices, models: [], fetchedAtMs: 0 };
  const blockedInStyle = async (style: string) => (style.includes('rascal') ? new Error('blocked') : undefined);
  const services = {
    settings: { of: async () => server },
    voices: { members: { get: async () => own }, list: async () => list, known: () => list },
    ...{ log: silentLog, texts: { blockedInStyle } },
  } as unknown as ReadingServices;
  return chosenVoice({ guildId: '9', userId: '7', guildLocale }, services);
}

async function language(words: string, circumstances: Parameters<typeof chosen>[0]) {
  const voice = await chosen(circumstances);
  return toWire(await voice.requestFor(words, await voice.languageOf(words))).language;
}

it('a message is spoken in the language that its writer set, where it is no proof of another', async () => {
  expect(await language('No', { own: { language: 'es' } })).toBe('es');
  expect(await language('The music is far too loud for all of us.', { own: { language: 'es' } })).toBe('en');
});

it('a style that its writer kept is left out where the server blocks a word in it', async () => {
  const styleOf = async (style: string) =>
    (await (await chosen({ own: { style } })).requestFor('Hello', undefined)).style;
  expect(await styleOf('calm')).toBe('calm');
  expect(await styleOf('a rascal')).toBeUndefined();
});

it('kanji alone are Japanese to a writer, or in a server, of that language', async () => {
  const voices = [{ ...LOCAL, languages: ['en', 'zh', 'ja'] }];
  const japanese = [{ guildLocale: 'ja' }, { server: { language: 'ja' } }, { own: { language: 'ja' } }] as const;
  for (const so of japanese) expect(await language('了解', { voices, ...so })).toBe('ja');
  expect(await language('了解', { voices, own: { language: 'zh' }, guildLocale: 'ja' })).toBe('zh');
  for (const guildLocale of ['en-US', 'zh-TW']) expect(await language('了解', { voices, guildLocale })).toBeUndefined();
  // The voice finds these by itself.
  expect(await language('了解です', { voices, guildLocale: 'ja' })).toBeUndefined();
  const kanaAlone = [{ ...LOCAL, languages: ['en', 'zh', 'ja-Hrkt'] }];
  await expect(language('了解', { voices: kanaAlone, guildLocale: 'ja' })).rejects.toMatchObject({
    text: { key: 'reading.nobody-speaks' },
  });
});

describe('in a server with voices by language', () => {
  const all = ['en', 'de', 'fr', 'ru'];
  const voices = ['usual', ...all].map((id) => ({ ...LOCAL, id, name: id, languages: all }));
  const languageVoices = all.map((one) => ({ language: one, voiceId: one, name: one, model: 'gpro' }));
  const spokenBy = async (words: string, language: string) => {
    const voice = await chosen({ voices, server: { languageVoices } });
    const request = await voice.requestFor(words, language);
    return [request.voice.voiceId, request.language];
  };

  it('a message and what announces it are spoken by the voice for the message', async () => {
    const written = 'Bonjour, ça va?';
    expect(await (await chosen({ voices, server: { languageVoices } })).languageOf(written)).toBe('fr');
    // By all of its words it would be English.
    expect(await spokenBy(`The Great Alice of Wonderland says: ${written}`, 'fr')).toEqual(['fr', 'fr']);
    expect(await spokenBy('Alice sagt: Guten Morgen zusammen', 'de')).toEqual(['de', 'de']);
  });

  it('the bot’s own words are spoken by one voice, in the language that they are in, whatever names are in them', async () => {
    expect(await spokenBy('Dazugekommen: Ann', languageOfTexts('de'))).toEqual(['de', 'de']);
    // For French the bot has no words: these are English.
    expect(await spokenBy('Ann joined', languageOfTexts('fr'))).toEqual(['en', 'en']);
    const names = 'Анна Мария Петрова and The Great Alice of Wonderland joined';
    expect(await spokenBy(names, languageOfTexts('en-US'))).toEqual(['en', 'en']);
  });
});

it('an author is named again after a long silence, after the bot was away, and after a name that was not heard', () => {
  let now = 0;
  const naming = createNaming(() => now);
  const undo = naming.follows('9', 'ann');
  now = 5 * 60_000 + 1;
  expect(naming.isNamed('9', 'ann', 'on-change')).toBe(true);
  now = 0;
  undo();
  expect(naming.isNamed('9', 'ann', 'on-change')).toBe(true);
  naming.follows('9', 'ann');
  naming.forget('9');
  expect(naming.isNamed('9', 'ann', 'on-change')).toBe(true);
});

it('a notice tells one trouble a minute in a server, and the same one seldom', () => {
  let now = 0;
  const notices = createNotices(() => now);
  expect(notices.take('9', 'credits')).toBe(true);
  expect(notices.take('9', 'credits')).toBe(false);
  expect(notices.take('9', 'permissions')).toBe(false);
  expect(notices.take('8', 'credits')).toBe(true);
  now = 60_000;
  expect(notices.take('9', 'credits')).toBe(false);
  expect(notices.take('9', 'permissions')).toBe(true);
  now = 30 * 60_000;
  expect(notices.take('9', 'credits')).toBe(true);
});
