import { expect, it } from 'vitest';
import type { CommandCall } from '../../../src/commands/framework/command.ts';
import { settings } from '../../../src/commands/settings/settings.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import { render } from '../../../src/texts/catalogue.ts';
import { replyOf } from '../reply-of.ts';

const OWNER = { total: 200_000, perServer: 100_000, perMember: 20_000 };

const REX = { ...{ id: 'rex', name: 'rex', model: 'ext', language: 'multiple', formats: ['wav'] }, languages: ['en'] };
const ARIA = { id: 'aria', name: 'aria', model: 'gpro', language: 'multiple', formats: ['wav'] };

/** A server whose admins type /settings. */
function server(kept: ServerSettings, ownerLimits = OWNER) {
  let present = kept;
  const services = {
    settings: {
      get: async () => present,
      change: async (_: string, edit: (before: ServerSettings) => ServerSettings) => {
        const before = present;
        present = edit(before);
        return { before, after: present };
      },
    },
    spending: { ownerLimits },
    voices: { list: async () => ({ voices: [ARIA, REX] }), refresh: async () => ({ voices: [ARIA, REX] }) },
    ...{ members: { get: async () => ({}) }, rules: { of: async () => ({}) } },
  };
  return {
    kept: () => present,
    async types(subcommand: string, options: Readonly<Record<string, string | number | boolean>> = {}) {
      const get = (name: string) => options[name] ?? null;
      const interaction = {
        guildId: '9',
        inCachedGuild: () => true,
        user: { id: '7' },
        options: { getSubcommand: () => subcommand, getString: get, getNumber: get, getBoolean: get },
      };
      const { lines } = await replyOf(settings, { interaction, services } as unknown as CommandCall);
      return lines.map((line) => render(line));
    },
  };
}

it('/settings language alone shows the language and takes nothing back', async () => {
  const { types, kept } = server({ language: 'de' });
  const [shown, hint] = await types('language');
  expect(shown).toBe('**Language of announcements and emoji**: Deutsch');
  expect(hint).toContain('with reset');
  expect(kept()).toEqual({ language: 'de' });
});

it('/settings language goes back to the server’s own when told to reset, and to nothing else meanwhile', async () => {
  const { types, kept } = server({ language: 'de' });
  await expect(types('language', { language: 'en-US', reset: true })).rejects.toBeInstanceOf(UserError);
  expect(await types('language', { reset: true })).toEqual([
    'Language of announcements and emoji: now the server’s language in Discord. Before: Deutsch.',
  ]);
  expect(kept()).toEqual({});
  expect((await types('language'))[0]).toContain('the server’s language in Discord');
});

it('/settings limits has nothing to limit where the voice is free', async () => {
  const { types } = server({}, { total: Infinity, perServer: Infinity, perMember: Infinity });
  await expect(types('limits', { server: 5 })).rejects.toThrow('settings.limits.free');
});

it('/settings limits alone shows what holds', async () => {
  const { types, kept } = server({ creditsPerMember: 500 });
  expect(await types('limits')).toEqual([
    '**Credits per day, server**: 100,000 (the bot owner’s limit)',
    '**Credits per day, each member**: 500',
    expect.stringContaining('/settings limits with server or member'),
  ]);
  expect(kept()).toEqual({ creditsPerMember: 500 });
});

it('/settings voice says of a voice that it does not speak the language it is set for', async () => {
  const { types } = server({});
  expect(await types('voice', { voice: 'rex', language: 'ja' })).toEqual([
    'Voices by language: now Japanese: rex (ext). Before: none.',
    '-# rex (ext) doesn’t speak Japanese.',
  ]);
});

it('/settings voice with reset says which voices by language stay, and how to reset those', async () => {
  const puck = { voiceId: 'puck', name: 'puck', model: 'gpro' };
  const { types } = server({ defaultVoice: puck, languageVoices: [{ ...puck, language: 'de' }] });
  const staying =
    '-# Voices by language stay: German: puck (gpro). To reset one: /settings voice with its language and reset.';
  expect(await types('voice', { reset: true })).toEqual([
    expect.stringContaining('aria (gpro). Before: puck'),
    staying,
  ]);
  expect((await types('voice', { reset: true })).at(-1)).toBe(staying);
  expect(await server({ defaultVoice: puck }).types('voice', { reset: true })).toHaveLength(1);
});
