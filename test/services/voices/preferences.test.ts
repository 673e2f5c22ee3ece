import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/user-errors.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import {
  availablePreferences,
  choosesByLanguage,
  keptPreferences,
  keptVoices,
  NO_PREFERENCES,
  type Preferences,
  plainOptions,
  preferredOptions,
} from '../../../src/services/voices/preferences.ts';
import { chooseVoice } from '../../../src/services/voices/voice-choice.ts';
import type { OwnSettings } from '../../../src/services/voices/voices.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { voiceOf } from '../../commands/scene.ts';
import { silentLog } from '../../silent-log.ts';

const LIST = ['first', 'asked', 'here', 'everywhere', 'server'].map((name) => voiceOf(name));

const choice = (name: string) => ({ voiceId: name, name, model: 'gpro' });

/** What is kept for a member of server 9. */
function keptFor(userId: string | undefined, server: ServerSettings, list = LIST, own: OwnSettings = {}) {
  const services = {
    voices: { members: { get: async () => own }, known: () => undefined, list: async () => ({ voices: list }) },
    settings: { of: async () => server },
  };
  return keptPreferences({ userId, guildId: '9', guildLocale: 'de' }, services as never);
}

it('a voice that is forced but not allowed forces nothing', async () => {
  const kept = async (server: ServerSettings) => (await keptFor('7', server)).server;
  const forcedVoice = choice('server');
  expect(await kept({ forcedVoice, allowedModels: ['orpheus'] })).not.toHaveProperty('forcedVoice');
  expect(await kept({ forcedVoice, allowedModels: ['gpro'] })).toMatchObject({ forcedVoice });
});

describe('a voice of their own for members without one', () => {
  const ON: ServerSettings = { giveOwnVoices: true };
  const voiceFor = async (userId: string | undefined, server = ON, list = LIST, own: OwnSettings = {}) => {
    const kept = keptVoices(await keptFor(userId, server, list, own));
    const chosen = chooseVoice(list, { kept, rules: server });
    return chosen.kind === 'chosen' ? `${chosen.voice.name} ${chosen.voice.model} ${chosen.source}` : chosen.kind;
  };
  const ids = Array.from({ length: 100 }, (_, at) => `15765979851338${at}`);
  const speaking = (languages: readonly string[]) => (voice: Voice) => ({ ...voice, languages: [...languages] });

  it('is the same at each start, and differs between members', async () => {
    const once = await Promise.all(ids.map((id) => voiceFor(id)));
    expect(await Promise.all(ids.map((id) => voiceFor(id)))).toEqual(once);
    expect(new Set(once).size).toBe(LIST.length);
    // Another order would give every member another voice with the next version of the bot.
    expect(once.slice(0, 3)).toEqual(['first gpro given', 'asked gpro given', 'server gpro given']);
  });

  it('is an allowed one, in the server’s language, of the usual model where several have the name', async () => {
    const [first, ...others] = LIST as [Voice, ...Voice[]];
    const german = [...others.map(speaking(['en'])), speaking(['de'])(first)];
    expect(await voiceFor('7', ON, german)).toBe('first gpro given');
    expect(await voiceFor('7', { ...ON, language: 'en-GB' }, german)).not.toContain('first');
    const twice = LIST.flatMap((voice) => [{ ...voice, id: `${voice.id} ext`, model: 'ext' }, voice]);
    expect(await voiceFor('7', ON, twice)).toContain('ext given');
    expect(await voiceFor('7', { ...ON, defaultVoice: choice('server') }, twice)).toContain('gpro given');
    expect(await voiceFor('7', { ...ON, allowedModels: ['gpro'] }, twice)).toContain('gpro given');
  });

  it('is of the usual model while one of its voices speaks the language: another may cost, or take memory', async () => {
    const [usual, ...others] = LIST.map((voice, at) => ({ ...voice, model: at === 0 ? 'gpro' : `engine${at}` }));
    const list = [usual as Voice, ...others];
    expect(new Set(await Promise.all(ids.map((id) => voiceFor(id, ON, list))))).toEqual(new Set(['first gpro given']));
    const english = [speaking(['en'])(usual as Voice), ...others.map(speaking(['de']))];
    expect(await voiceFor('7', ON, english)).not.toContain('gpro');
  });

  it('goes before the server’s default alone, and is nobody’s unless admins want it', async () => {
    const defaultVoice = choice('server');
    expect(await voiceFor('7', { ...ON, defaultVoice })).toContain('given');
    expect(await voiceFor('7', { ...ON, defaultVoice }, LIST, { voice: choice('here') })).toBe('here gpro own-here');
    expect(await voiceFor('7', { ...ON, forcedVoice: choice('here') })).toBe('here gpro forced');
    expect(await voiceFor('7', { defaultVoice })).toBe('server gpro server');
    expect(await voiceFor(undefined, { ...ON, defaultVoice })).toBe('server gpro server');
  });
});

it('style, speed and temperature are each taken from the strongest: option > own here > own everywhere', () => {
  const here: OwnSettings = { speed: 1, temperature: 0 };
  const everywhere: OwnSettings = { speed: 1.5, temperature: 2, style: 'calm' };
  const preferred = preferredOptions({ speed: 0.7 }, { ...NO_PREFERENCES, here, everywhere });
  const { speed, temperature, style } = preferred;
  expect([speed?.source, temperature?.source, style?.source]).toEqual(['option', 'own-here', 'own-everywhere']);
  expect(plainOptions(preferred)).toEqual({ speed: 0.7, temperature: 0, style: 'calm' });
});

describe('stored preferences', () => {
  const get = async ({ guildId }: { guildId: string | undefined }) => ({ speed: guildId === undefined ? 1 : 2 });
  const server = { hushed: true };
  const available = (whose: { userId: string | undefined; guildId: string | undefined }, members: object = { get }) => {
    const services = { voices: { members }, settings: { of: async () => server }, log: silentLog };
    return availablePreferences({ ...whose, guildLocale: 'de' }, services as never);
  };

  it('is the member’s own in a server and everywhere, and the server’s', async () => {
    const all = { here: { speed: 2 }, everywhere: { speed: 1 }, server };
    expect(await available({ userId: '1', guildId: '9' })).toEqual(all);
    expect(await available({ userId: undefined, guildId: '9' })).toEqual({ ...NO_PREFERENCES, server });
    const direct = { ...NO_PREFERENCES, everywhere: all.everywhere };
    expect(await available({ userId: '1', guildId: undefined })).toEqual(direct);
  });

  it('is the server’s alone while the store does not answer, as it was last seen', async () => {
    const members = { get: () => Promise.reject(new StoreError('down')) };
    expect(await available({ userId: '1', guildId: '9' }, members)).toEqual({ ...NO_PREFERENCES, server });
  });
});

describe('voices by language: forced > own for the language > own > server’s for the language > server', () => {
  const forGerman = (name: string) => [{ language: 'de', ...choice(name) }];
  const all = {
    here: { voice: choice('here') },
    everywhere: { voice: choice('everywhere'), languageVoices: forGerman('own-de') },
    server: { defaultVoice: choice('server'), languageVoices: forGerman('server-de') },
  };
  const order = (preferences: Preferences, language?: string) =>
    keptVoices(preferences, language).map(({ choice: { name } }) => name);

  it('for a text in that language', () => {
    const forced = { ...all, server: { ...all.server, forcedVoice: choice('forced') } };
    expect(order(forced, 'de')).toEqual(['forced', 'own-de', 'here', 'everywhere', 'server-de', 'server']);
    expect(order({ ...all, here: {} }, 'de')).toEqual(['own-de', 'everywhere', 'server-de', 'server']);
  });

  it('make no difference for another language, and for none', () => {
    for (const language of ['fr', undefined]) expect(order(all, language)).toEqual(['here', 'everywhere', 'server']);
    expect(keptVoices(all).map(({ source }) => source)).toEqual(['own-here', 'own-everywhere', 'server']);
  });

  it('need the language of a text only where there are any', () => {
    expect(choosesByLanguage(all)).toBe(true);
    expect(choosesByLanguage(NO_PREFERENCES)).toBe(false);
    expect(choosesByLanguage({ ...all, server: { forcedVoice: choice('forced') } })).toBe(false);
  });
});
