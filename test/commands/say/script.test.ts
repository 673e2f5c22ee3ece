import { Collection } from 'discord.js';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { SpeakCall } from '../../../src/commands/framework/command.ts';
import {
  castScript,
  languagesOfLines,
  nameWithin,
  readScript,
  voicesOfLines,
} from '../../../src/commands/say/script.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { NO_PREFERENCES, type Preferences } from '../../../src/services/voices/preferences.ts';
import { createVoiceCatalog } from '../../../src/services/voices/voice-catalog.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { servicesOf } from '../services.ts';

const said = (written: string) => readScript(written).map(({ speaker, words }) => [speaker, words]);
const refusal = (written: string) => {
  try {
    return said(written);
  } catch (error) {
    return error instanceof UserError ? error.text.key : error;
  }
};

describe('a script', () => {
  it('has a speaker before each line', () => {
    expect(said('aria: Hello!\n\n  basil (ext) :  How are you?\nアン：元気です')).toEqual([
      ['aria', 'Hello!'],
      ['basil (ext)', 'How are you?'],
      ['アン', '元気です'],
    ]);
  });

  it('is searched for names within it in one pass, however long a word is', () => {
    const lines = [{ speaker: 'aria', words: 'a'.repeat(40_000) }];
    const before = process.cpuUsage();
    expect(nameWithin(lines, { list: { voices: [] } } as never)).toBeUndefined();
    // Some 1 ms; from each letter of the word anew, 4 s.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(200);
  });

  it('goes on with the same speaker where a line has none: links, emoji and mentions are none', () => {
    expect(said('aria: See\nhttps://example.com now\n<:smile:123> and so on')).toEqual([
      ['aria', 'See\nhttps://example.com now\n<:smile:123> and so on'],
    ]);
  });

  it('ends its lines in any way that a line can end', () => {
    const ends = ['\r\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f'];
    for (const end of ends) {
      expect(said(`aria: Hello!${end}basil: Hi.`)).toEqual([
        ['aria', 'Hello!'],
        ['basil', 'Hi.'],
      ]);
    }
  });

  it('takes a time, a score or a verse for words, and a speaker whose name ends in a digit for one', () => {
    expect(said('aria: Listen.\nWe meet at 10:30: be there.\nIt ended 3：1 for us.')).toEqual([
      ['aria', 'Listen.\nWe meet at 10:30: be there.\nIt ended 3：1 for us.'],
    ]);
    expect(said('aria2: 5 apples\nbasil:7 pears')).toEqual([
      ['aria2', '5 apples'],
      ['basil', '7 pears'],
    ]);
    expect(refusal('We meet at 10:30')).toBe('script.no-name');
  });

  it('begins with a speaker, and each says something', () => {
    expect(refusal('Hello!')).toBe('script.no-name');
    expect(refusal('aria: Hello!\nbasil:')).toBe('script.no-words');
    expect(refusal('')).toEqual([]);
    for (const nobodys of [': Hi.', ' :', '：元気です', ':\u3000Hi.']) {
      expect(refusal(`aria: Hello!\n${nobodys}`)).toBe('script.no-name');
    }
    expect(said('aria: Hello!\n:) :wave:\n:D')).toEqual([['aria', 'Hello!\n:) :wave:\n:D']]);
    expect(said('aria: Yes.\n'.repeat(50))).toHaveLength(50);
    expect(refusal('aria: Yes.\n'.repeat(51))).toBe('script.too-many-lines');
  });
});

it.each([
  ['aria: Hello. Basil: Hello.', 'Basil'],
  ['aria: Hello. basil : Hello.', 'basil'],
  ['aria: Hello.basil：Hello.', 'basil'],
  ['aria: We meet, aria: at ten. Note: see https://basil.example', undefined],
  ['aria: Hello basil.', undefined],
  ['aria: Hello. basil:\ncleo: Hello.', undefined],
])('the name of another voice within the only line of a script is found: %j', (written, name) => {
  const voices = ['aria', 'basil'].map((id) => ({ id, name: id }) as Voice);
  expect(nameWithin(readScript(written), { list: { voices } } as never)).toBe(name);
});

/** The voices of a script, as for any other text: each with its stretch of the lines, and the language that it is told. */
async function castOf(call: SpeakCall, written: string, preferences: Preferences = NO_PREFERENCES) {
  const lines = readScript(written);
  const options = { cast: await castScript(call, lines, {}), preferences, rules: {} };
  return voicesOfLines(call, await languagesOfLines(call, lines, options), options);
}

/** Voices of a service that has one more each time it is asked; outside of servers, where nobody is a member. */
function casting(...added: readonly string[]) {
  let asked = 0;
  const voice = (id: string): Voice => ({
    ...{ id, name: id, model: 'gpro', language: 'multiple', formats: ['wav'], supports_style: true },
  });
  const speech = {
    voices: async () => ({ voices: added.slice(0, ++asked).map(voice) }),
    models: async () => ({ models: [] }),
  };
  const voices = createVoiceCatalog({ speech: speech as never, log: pino({ level: 'silent' }), minRefreshMs: 0 });
  const services = servicesOf({ voices, members: { get: async () => ({}) } });
  const interaction = { inCachedGuild: () => false, locale: 'en-US', guildId: null, user: { id: 'alice' } };
  const call = { interaction, services } as unknown as SpeakCall;
  const cast = async (written: string) => (await castOf(call, written)).map(({ input, voice }) => [voice.id, input]);
  return { cast, asked: () => asked };
}

describe('the voices of a script', () => {
  it('are looked for in a fresh list, once, before a name counts as nobody’s', async () => {
    const { cast, asked } = casting('aria', 'basil', 'cleo');
    expect(await cast('aria: Hello!')).toEqual([['aria', 'Hello!']]);
    expect(asked()).toBe(1);
    expect(await cast('aria: Hello!\nbasil: Hi.')).toEqual([
      ['aria', 'Hello!'],
      ['basil', 'Hi.'],
    ]);
    expect(asked()).toBe(2);
    await expect(cast('dora: Hello!')).rejects.toMatchObject({ text: { key: 'script.unknown-names' } });
    expect(asked()).toBe(3);
  });

  it('are those of all members that are known, and Discord is asked for ten of the others', async () => {
    const log = pino({ level: 'silent' });
    const aria: Voice = { id: 'aria', name: 'aria', model: 'gpro', language: 'multiple', formats: ['wav'] };
    const speech = { voices: async () => ({ voices: [aria] }), models: async () => ({ models: [] }) };
    const member = (name: string) => ({ id: name, displayName: name, user: { username: name } });
    const members = (...names: string[]) => new Collection(names.map((name) => [name, member(name)]));
    const known = Array.from({ length: 12 }, (_, at) => `known${at}`);
    const asked: string[] = [];
    const search = async ({ query }: { readonly query: string }) => {
      asked.push(query);
      return members(query);
    };
    const guild = { id: '1', members: { cache: members(...known), search } };
    const none = { get: async () => ({}) };
    const services = servicesOf({
      voices: createVoiceCatalog({ speech: speech as never, log }),
      members: none,
      settings: { of: async () => ({}) },
      log,
    });
    const interaction = { inCachedGuild: () => true, guild, guildId: '1', user: { id: '7' } };
    const { signal } = new AbortController();
    const call = { interaction, services, signal } as unknown as SpeakCall;
    const cast = (names: readonly string[]) => castOf(call, names.map((name) => `${name}: Hello!`).join('\n'));
    const others = Array.from({ length: 11 }, (_, at) => `other${at}`);
    expect(await cast([...others.slice(0, 10), ...known])).toHaveLength(1);
    expect(asked).toEqual(others.slice(0, 10));
    await expect(cast([...known, ...others])).rejects.toMatchObject({ text: { key: 'script.unknown-names' } });
    expect(asked).toHaveLength(20);
  });
});

describe('the language of each line of a script', () => {
  const voice = (id: string, more: Partial<Voice> = {}): Voice => ({
    ...{ id, name: id, model: 'gpro', language: 'multiple', formats: ['wav'], ...more },
  });
  const local = voice('local', { takes_language: true, languages: ['en', 'de', 'ru'] });
  const english = voice('english', { languages: ['en'] });
  const written = (language: string): Preferences => ({ ...NO_PREFERENCES, everywhere: { language } });

  /** In a server where `bob` is a member with these preferences. */
  function theatre(bob: Preferences = NO_PREFERENCES, displayName = 'Bob') {
    const speech = { voices: async () => ({ voices: [english, local] }), models: async () => ({ models: [] }) };
    const log = pino({ level: 'silent' });
    const member = { id: 'bob', displayName, user: { username: 'bob' } };
    const cache = new Collection([['bob', member]]);
    const guild = { id: '1', members: { cache, search: async () => new Collection() } };
    const services = servicesOf({
      ...{ log, voices: createVoiceCatalog({ speech: speech as never, log }) },
      members: {
        get: async ({ guildId }: { guildId?: string }) => (guildId === undefined ? bob.everywhere : bob.here),
      },
      settings: { of: async () => bob.server },
    });
    const interaction = { inCachedGuild: () => true, guild, guildId: '1', locale: 'en-US', user: { id: 'alice' } };
    return { interaction, services, signal: new AbortController().signal } as unknown as SpeakCall;
  }
  const spoken = async (call: SpeakCall, script: string, preferences?: Preferences) =>
    (await castOf(call, script, preferences)).map(({ voice: { id }, language, input }) => [id, language, input]);
  const LINES = 'local: Guten Morgen zusammen, wie geht es euch?\nlocal: Good morning everyone, how are you?';

  it('is told to a voice that takes one, and parts neighbors of one voice', async () => {
    expect(await spoken(theatre(), LINES, written('de'))).toEqual([
      ['local', 'de', 'Guten Morgen zusammen, wie geht es euch?'],
      ['local', 'en', 'Good morning everyone, how are you?'],
    ]);
    expect(await spoken(theatre(), LINES.replaceAll('local', 'english'), written('de'))).toHaveLength(1);
  });

  it('makes no difference where nobody chose anything by language', async () => {
    const call = theatre();
    expect(await spoken(call, LINES)).toHaveLength(1);
  });

  it('decides what is read out, where the voice of the line speaks it', async () => {
    const call = theatre();
    const lines = readScript(
      LINES.replace('local: Good', 'english: Good').concat('\nenglish: Guten Abend zusammen, bis morgen!'),
    );
    const options = { cast: await castScript(call, lines, {}), preferences: written('de'), rules: {} };
    const known = await languagesOfLines(call, lines, options);
    expect(known.map(({ language, locale }) => [language, locale])).toEqual([
      ['de', 'de'],
      ['en', 'en-US'],
      ['de', undefined],
    ]);
  });

  it('goes from a member’s voice that cannot speak it to one that can, and is refused of a voice that was named', async () => {
    const bob = { ...NO_PREFERENCES, everywhere: { voice: { voiceId: 'english', name: 'english', model: 'gpro' } } };
    const call = theatre(bob);
    expect(await spoken(call, 'bob: Good morning!\nbob: Доброе утро всем!')).toEqual([
      ['english', undefined, 'Good morning!'],
      ['local', undefined, 'Доброе утро всем!'],
    ]);
    const [only] = await castOf(call, 'bob: Доброе утро всем!');
    expect(only).toMatchObject({ voice: local, insteadOf: english });
    await expect(castOf(call, 'english: Доброе утро всем!')).rejects.toMatchObject({
      text: { key: 'refused.cannot-speak' },
    });
  });

  it('finds a member by a name with the @ that a mention would have, and by one that begins with @', async () => {
    const bob = { ...NO_PREFERENCES, everywhere: { voice: { voiceId: 'english', name: 'english', model: 'gpro' } } };
    for (const name of ['@bob', '@lice']) {
      expect(await spoken(theatre(bob, '@lice'), `${name}: Good morning!`)).toEqual([
        ['english', undefined, 'Good morning!'],
      ]);
    }
    const own = { ...NO_PREFERENCES, everywhere: { voice: { voiceId: 'local', name: 'local', model: 'gpro' } } };
    expect((await spoken(theatre(own, 'english'), '@english: Good morning!'))[0]?.[0]).toBe('local');
    expect(await spoken(theatre(), '@english: Good morning!')).toEqual([['english', undefined, 'Good morning!']]);
    await expect(castOf(theatre(bob), '@ bob: Good morning!')).rejects.toMatchObject({
      text: { key: 'script.unknown-names' },
    });
  });

  it('chooses among a member’s voices for each line', async () => {
    const choice = { voiceId: 'local', name: 'local', model: 'gpro' };
    const bob: Preferences = {
      ...NO_PREFERENCES,
      everywhere: { voice: { ...choice, voiceId: 'english' }, languageVoices: [{ ...choice, language: 'de' }] },
    };
    expect(await spoken(theatre(bob), LINES.replaceAll('local', 'bob'))).toEqual([
      ['local', 'de', 'Guten Morgen zusammen, wie geht es euch?'],
      ['english', undefined, 'Good morning everyone, how are you?'],
    ]);
  });
});
