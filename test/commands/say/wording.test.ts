import { Collection } from 'discord.js';
import { describe, expect, it, vi } from 'vitest';
import type { MessageCommandCall, SpeakCall } from '../../../src/commands/framework/command.ts';
import { saveSpeech, speakMessage } from '../../../src/commands/say/say.ts';
import { castScript, leaveOutTags, messageWords, readScript } from '../../../src/commands/say/wording.ts';
import { DEFAULT_RULES } from '../../../src/services/servers/admission.ts';
import { createDictionary } from '../../../src/services/text/dictionary.ts';
import { SpokenTexts } from '../../../src/services/text/spoken-text.ts';
import { NO_PREFERENCES, type Preferences } from '../../../src/services/voices/preferences.ts';
import { createVoiceCatalog } from '../../../src/services/voices/voice-catalog.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { orderOf } from '../../services/queue/items.ts';
import { silentLog } from '../../silent-log.ts';
import { callOf, voiceOf } from '../scene.ts';

describe('the tags that a voice would read aloud', () => {
  const aria = voiceOf('aria');
  const said = (input: string, voice: Voice) => ({ input, voice, language: undefined });
  const spoken = (input: string) => leaveOutTags({ passages: [said(input, aria)], notes: [], isBleeped: false });

  it.each([
    ['[whispering] good evening', 'good evening'],
    ['uno[pause]dos', 'uno dos'],
    ['Well <sigh> there <Short pause> it is', 'Well there it is'],
    ['a <soft>quiet</soft> word', 'a quiet word'],
    ['He said [sic] so', 'He said [sic] so'],
  ])('are left out as /tags names them, and words stay apart: %s', (input, words) => {
    expect(spoken(input).passages[0]?.input).toBe(words);
  });

  it('are refused alone; among other passages the next one’s voice speaks first', () => {
    expect(() => spoken('[laugh]')).toThrow('say.only-tags');
    const basil = said('Well [sigh] then.\n', voiceOf('basil', { model: 'ext' }));
    const cast = { passages: [said('[laugh]\n', aria), basil], notes: [], isBleeped: false };
    expect(leaveOutTags(cast)).toMatchObject({ passages: [basil], notes: [{ key: 'say.tags-ignored' }] });
  });
});

/** Somebody's use of a command on a message with a sound, in a Spanish person's Discord and an English server. */
function usedOn(author: 'bot' | 'somebody' | 'hermit', userId = '7') {
  const nothing = { cache: new Map() };
  const targetMessage = {
    author: { id: author },
    content: 'Listen:',
    embeds: [],
    stickers: [],
    mentions: { users: new Map() },
    attachments: [{ name: 'a.ogg', contentType: 'audio/ogg', waveform: null, spoiler: false }],
    messageSnapshots: { first: () => undefined },
  };
  const interaction = {
    user: { id: userId },
    inGuild: () => true,
    guildLocale: 'en-US',
    locale: 'es-ES',
    guild: null,
    targetMessage,
    client: { user: { id: 'bot' }, users: nothing, channels: nothing },
  };
  const settings = { of: async () => DEFAULT_RULES };
  const texts = new SpokenTexts(settings as never, { of: async () => createDictionary([]) } as never);
  const optOuts = { has: async (id: string) => id === 'hermit' };
  return callOf<MessageCommandCall>(interaction, { settings, texts, optOuts, speakers: {} });
}

describe.each([speakMessage, saveSpeech])('$name', (command) => {
  const refusalOf = async (...used: Parameters<typeof usedOn>) =>
    Promise.resolve(command.begin(usedOn(...used))).catch((error: { text?: { key: string } }) => error.text?.key);

  it('does not read out what the bot says of its own speech, nor an opted-out author to others', async () => {
    expect(await refusalOf('bot')).toBe('speak-message.bots-own');
    expect(await refusalOf('hermit')).toBe('speak-message.opted-out');
    expect(await refusalOf('hermit', 'hermit')).not.toBe('speak-message.opted-out');
  });
});

it.each([
  [{ as: 'voice' }, 'an audio file'],
  [{ as: 'voice', privately: true }, 'an audio file'],
  [{ as: 'file', privately: true }, 'un archivo de audio'],
] as const)('a message is announced in the language of its hearers: %j', async (audience, words) => {
  const call = usedOn('somebody');
  const { targetMessage } = call.interaction;
  expect(await messageWords(call, targetMessage, orderOf(audience), DEFAULT_RULES)).toContain(words);
});

describe('the lines of a script', () => {
  const lines = (written: string) => readScript(written).map(({ speaker, words }) => `${speaker} says ${words}`);
  const noName = 'See\nhttps://example.com now\n<:smile:123> and so on\n:) :wave:\n:D';
  const noSpeaker = 'Listen.\nWe meet at 10:30: be there.\nIt ended 3：1 for us.';
  it.each<[string, string, string[]]>([
    [
      'have a speaker each',
      'aria: Hello!\n\n  basil (ext) :  How are you?\nアン：元気です',
      ['aria says Hello!', 'basil (ext) says How are you?', 'アン says 元気です'],
    ],
    ['have no speakers in links, emoji and mentions', `aria: ${noName}`, [`aria says ${noName}`]],
    ['have no speakers in times, scores and verses', `aria: ${noSpeaker}`, [`aria says ${noSpeaker}`]],
    ['may have a name that ends in a digit', 'aria2: 5 apples\nbo:7 pears', ['aria2 says 5 apples', 'bo says 7 pears']],
    ['are up to 50', 'aria: Yes.\n'.repeat(50), Array(50).fill('aria says Yes.')],
  ])('%s', (_, written, said) => {
    expect(lines(written)).toEqual(said);
  });

  it.each(['\r\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f'])('end in %j', (end) => {
    expect(lines(`aria: Hello!${end}basil: Hi.`)).toEqual(['aria says Hello!', 'basil says Hi.']);
  });

  it.each([
    ['script.no-name', 'Hello!'],
    ['script.no-name', 'We meet at 10:30'],
    ...[': Hi.', ' :', '：元気です', ':\u3000Hi.'].map((nobodys) => ['script.no-name', `aria: Hello!\n${nobodys}`]),
    ['script.no-words', 'aria: Hello!\nbasil:'],
    ['script.too-many-lines', 'aria: Yes.\n'.repeat(51)],
    ['say.empty', ''],
  ])('are refused (%s): %j', (key = '', written = '') => {
    expect(() => readScript(written)).toThrow(key);
  });
});

const LOCAL = voiceOf('local', { takes_language: true, languages: ['en', 'de', 'ru'] });
const ENGLISH = voiceOf('english', { languages: ['en'] });
const choiceOf = (id: string) => ({ voiceId: id, name: id, model: 'gpro' });

/**
 * A server whose members Discord finds by any name that begins with "other". discord.js has the `known` ones, of whom
 * bob has preferences; `preferences` are the writer's. The service lists the next of `lists` each time it is asked.
 */
function theatre({
  lists = [[ENGLISH, LOCAL]] as readonly (readonly Voice[])[],
  known = ['bob'],
  bob = NO_PREFERENCES,
  preferences = NO_PREFERENCES,
}) {
  const asked: string[] = [];
  let listed = 0;
  const speech = {
    voices: async () => ({ voices: lists[Math.min(listed++, lists.length - 1)] }),
    models: async () => ({ models: [] }),
  };
  const members = (names: readonly string[]) =>
    new Collection(names.map((name) => [name, { id: name, displayName: name, user: { username: name } }]));
  const search = async ({ query }: { readonly query: string }) => {
    asked.push(query);
    return members(query.startsWith('other') ? [query] : []);
  };
  const nothing = { cache: new Map() };
  const guild = { id: '1', members: { cache: members(known), search, me: null }, channels: nothing, roles: nothing };
  const settings = { of: async () => DEFAULT_RULES };
  const services = {
    settings,
    voices: createVoiceCatalog({ speech: speech as never, log: silentLog, hasEngines: false }),
    texts: new SpokenTexts(settings as never, { of: async () => createDictionary([]) } as never),
    members: {
      get: async ({ userId, guildId }: { userId: string; guildId?: string }) =>
        (userId === 'alice' ? NO_PREFERENCES : bob)[guildId === undefined ? 'everywhere' : 'here'],
    },
  };
  const client = { users: nothing, channels: nothing };
  const call = callOf<SpeakCall>({ guild, guildLocale: 'en-US', user: { id: 'alice' }, client }, services);
  const cast = (words: string) => castScript(call, orderOf({ words }), { preferences, rules: DEFAULT_RULES });
  const spoken = async (words: string) =>
    (await cast(words)).passages.map(({ voice: { id }, language, input }) => [id, language, input.trim()]);
  return { cast, spoken, asked, listed: () => listed };
}

describe('the voices of a script', () => {
  it('are looked for in a fresh list, once, before a name counts as nobody’s', async () => {
    const [aria, basil] = [voiceOf('aria'), voiceOf('basil')];
    vi.useFakeTimers({ toFake: ['Date'] });
    const { spoken, listed } = theatre({ lists: [[aria], [aria, basil]] });
    expect(await spoken('aria: Hello!')).toHaveLength(1);
    expect(listed()).toBe(1);
    vi.advanceTimersByTime(10_000);
    expect(await spoken('aria: Hello!\nbasil: Hi.')).toHaveLength(2);
    expect(listed()).toBe(2);
    vi.advanceTimersByTime(10_000);
    await expect(spoken('dora: Hello!')).rejects.toThrow('script.unknown-names');
    expect(listed()).toBe(3);
  });

  it('are those of all members that are known, and Discord is asked for ten of the others', async () => {
    const known = Array.from({ length: 12 }, (_, at) => `known${at}`);
    const others = Array.from({ length: 11 }, (_, at) => `other${at}`);
    const { cast, asked } = theatre({ known });
    const castOf = (names: readonly string[]) => cast(names.map((name) => `${name}: Hello!`).join('\n'));
    expect((await castOf([...others.slice(0, 10), ...known])).passages).toHaveLength(1);
    expect(asked).toEqual(others.slice(0, 10));
    await expect(castOf([...known, ...others])).rejects.toThrow('script.unknown-names');
  });

  const english: Preferences = { ...NO_PREFERENCES, everywhere: { voice: choiceOf('english') } };

  it('of a member that cannot speak a line gives way, and one that was named is refused', async () => {
    const { spoken, cast } = theatre({ bob: english });
    expect(await spoken('bob: Good morning!\nbob: Доброе утро всем!')).toEqual([
      ['english', undefined, 'Good morning!'],
      ['local', undefined, 'Доброе утро всем!'],
    ]);
    expect(await cast('bob: Доброе утро всем!')).toMatchObject({ notes: [{ key: 'say.instead-of' }] });
    await expect(cast('english: Доброе утро всем!')).rejects.toThrow('refused.cannot-speak');
  });

  it('are found by a name with the @ that a mention would have, and by one that begins with @', async () => {
    for (const name of ['@bob', '@lice']) {
      const { spoken } = theatre({ bob: english, known: ['bob', '@lice'] });
      expect(await spoken(`${name}: Good morning!`)).toEqual([['english', undefined, 'Good morning!']]);
    }
    expect((await theatre({}).spoken('@english: Good morning!'))[0]?.[0]).toBe('english');
    await expect(theatre({ bob: english }).spoken('@ bob: Good morning!')).rejects.toThrow('script.unknown-names');
  });
});

it('where somebody chose by language, each line’s is told to a voice that takes one, and parts neighbors of one voice', async () => {
  const LINES = 'local: Guten Morgen zusammen, wie geht es euch?\nlocal: Good morning everyone, how are you?';
  const [GERMAN, ENGLISH_LINE] = LINES.split('\n').map((line) => line.replace('local: ', ''));
  const writesGerman: Preferences = { ...NO_PREFERENCES, everywhere: { language: 'de' } };
  const { spoken } = theatre({ preferences: writesGerman });
  expect(await spoken(LINES)).toEqual([
    ['local', 'de', GERMAN],
    ['local', 'en', ENGLISH_LINE],
  ]);
  expect(await spoken(LINES.replaceAll('local', 'english'))).toHaveLength(1);
  expect(await theatre({}).spoken(LINES)).toHaveLength(1);
});
