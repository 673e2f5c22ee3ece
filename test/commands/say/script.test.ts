import { Collection } from 'discord.js';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { castScript, readScript } from '../../../src/commands/say/script.ts';
import type { SpeakCall } from '../../../src/commands/say/speak-call.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { createVoiceCatalogue } from '../../../src/services/voices/voice-catalogue.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';

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
    expect(said('aria: Yes.\n'.repeat(50))).toHaveLength(50);
    expect(refusal('aria: Yes.\n'.repeat(51))).toBe('script.too-many-lines');
  });
});

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
  const voices = createVoiceCatalogue({ speech, log: pino({ level: 'silent' }), minRefreshMs: 0 });
  const services = { voices, members: { get: async () => ({}) } };
  const interaction = { inCachedGuild: () => false, user: { id: '7' } };
  const call = { interaction, services } as unknown as SpeakCall;
  const cast = async (written: string) =>
    (await castScript(call, readScript(written), {})).map(({ input, voice }) => [voice.id, input]);
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
    const services = { voices: createVoiceCatalogue({ speech, log }), members: none, settings: none, log };
    const interaction = { inCachedGuild: () => true, guild, guildId: '1', user: { id: '7' } };
    const { signal } = new AbortController();
    const call = { interaction, services, signal } as unknown as SpeakCall;
    const cast = (names: readonly string[]) =>
      castScript(call, readScript(names.map((name) => `${name}: Hello!`).join('\n')), {});
    const others = Array.from({ length: 11 }, (_, at) => `other${at}`);
    expect(await cast([...others.slice(0, 10), ...known])).toHaveLength(1);
    expect(asked).toEqual(others.slice(0, 10));
    await expect(cast([...known, ...others])).rejects.toMatchObject({ text: { key: 'script.unknown-names' } });
    expect(asked).toHaveLength(20);
  });
});
