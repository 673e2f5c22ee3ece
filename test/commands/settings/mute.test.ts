import { PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ControlCall } from '../../../src/commands/framework/command.ts';
import { settings } from '../../../src/commands/settings/settings.ts';
import { createSettings } from '../../../src/services/servers/server-settings.ts';
import { openMemoryStore } from '../../services/storage/memory-store.ts';
import { callOf, controlOf, linesOf, replyOf } from '../scene.ts';

const store = createSettings(openMemoryStore().store);

const BOT = '99';
const client = { user: { id: BOT } };
const working = {
  settings: store,
  spending: { ownerLimits: {} },
  voices: { list: async () => ({ voices: [] }) },
  reading: { isOn: true, autoJoinProblem: () => undefined, problem: () => undefined },
  moderation: { problem: () => undefined },
};

/** What is answered to /settings mute for a member with these permissions. */
async function muteReply(permissions: 'ManageGuild' | 'SendMessages', on: boolean, id = '7'): Promise<string[]> {
  const options = {
    getSubcommand: () => 'mute',
    getUser: () => ({ id }),
    getMember: () => ({ permissions: new PermissionsBitField(permissions) }),
    getBoolean: () => on,
  };
  return linesOf(settings, callOf({ guildId: '1', client, options }, working));
}

describe('/settings mute', () => {
  it('names the command that undoes it, and says of somebody who manages the server that /say stays theirs', async () => {
    const exempt = 'Members with the Manage Server permission can still use /say.';
    expect(await muteReply('ManageGuild', true)).toContain(exempt);
    expect(await muteReply('ManageGuild', false)).toEqual([expect.stringContaining('now none')]);
    expect(await muteReply('SendMessages', true)).not.toContain(exempt);
    const undo = '/settings mute member:<@8> on:False undoes it.';
    expect(await muteReply('SendMessages', true, '8')).toEqual([expect.stringContaining('<@8>'), undo]);
    expect(await muteReply('SendMessages', false, '8')).toEqual([expect.stringContaining('<@8>')]);
  });

  it('refuses the bot itself, and takes it back where it was muted', async () => {
    await expect(muteReply('SendMessages', true, BOT)).rejects.toMatchObject({ text: { key: 'settings.mute.itself' } });
    await store.change('1', () => ({ mutedMembers: [BOT] }));
    expect(await muteReply('SendMessages', false, BOT)).toEqual([expect.stringContaining('now none')]);
  });
});

it('settings that cannot be read are shown as such, and not edited', async () => {
  const broken = openMemoryStore().store;
  await broken.table('server-settings', z.unknown()).set('1', { allowedRoles: 'everyone' });
  const stored = createSettings(broken);
  const services = { ...working, settings: stored };
  const use = (name: string, argument: string) => {
    const call = callOf<ControlCall>({ guildId: '1', client }, services, { argument, values: ['voices'] });
    return replyOf(controlOf(settings, name), call);
  };
  const panel = JSON.stringify(await use('settings-page', ''));
  expect(panel).toContain('"settings.unreadable"');
  expect(panel).toContain('"settings-reset"');
  expect(panel).not.toContain('"settings-toggle"');
  for (const [control, argument] of [
    ['settings-toggle', 'catchUp on'],
    ['settings-form', 'blockedWords'],
    ['settings-export', ''],
  ] as const)
    await expect(use(control, argument), control).rejects.toMatchObject({ text: { key: 'settings.unreadable' } });
  expect((await use('settings-reset-yes', '')).lines).toMatchObject([
    { key: 'settings.was-reset', values: { file: 'no' } },
  ]);
  expect(await stored.get('1')).toEqual({});
});

describe('the panel’s menu of muted members', () => {
  async function picks(guildId: string, values: readonly string[]) {
    const call = callOf<ControlCall>({ guildId, client }, working, { argument: 'mutedMembers', values });
    await replyOf(controlOf(settings, 'settings-pick'), call);
    return (await store.get(guildId)).mutedMembers;
  }

  it('mutes all that were picked but the bot itself', async () => {
    expect(await picks('2', ['7', BOT, '8'])).toEqual(['7', '8']);
    expect(await picks('2', [])).toBeUndefined();
  });

  it('keeps those that are too many for the menu, each once', async () => {
    const muted = Array.from({ length: 60 }, (_, index) => `${100 + index}`);
    await store.change('4', () => ({ mutedMembers: muted }));
    const others = muted.filter((id) => !['100', '130'].includes(id));
    expect(await picks('4', ['130', ...muted.slice(1, 25)])).toEqual(['130', ...others]);
  });
});
