import { PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { CommandCall, Services } from '../../src/commands/command.ts';
import { settings } from '../../src/commands/settings.ts';
import { createSettings } from '../../src/services/settings.ts';
import { render } from '../../src/texts/catalogue.ts';
import { openMemoryStore } from '../services/memory-store.ts';
import { replyOf } from './reply-of.ts';

const store = createSettings(openMemoryStore().store);

/** What is answered to /settings mute for a member with these permissions. */
async function muteReply(permissions: 'ManageGuild' | 'SendMessages', on: boolean): Promise<string[]> {
  const interaction = {
    inCachedGuild: () => true,
    guildId: '1',
    options: {
      getSubcommand: () => 'mute',
      getUser: () => ({ id: '7' }),
      getMember: () => ({ permissions: new PermissionsBitField(permissions) }),
      getBoolean: () => on,
    },
  };
  const services = { settings: store, spending: { ownerLimits: {} } } as unknown as Services;
  const { lines } = await replyOf(settings, { interaction, services } as unknown as CommandCall);
  return lines.map((line) => render(line));
}

describe('/settings mute', () => {
  it('says of somebody who manages the server that /say stays theirs', async () => {
    const exempt = 'Those who manage the server can still use /say.';
    expect(await muteReply('ManageGuild', true)).toEqual([expect.stringContaining('<@7>'), exempt]);
    expect(await muteReply('ManageGuild', false)).toEqual([expect.stringContaining('now none')]);
    expect(await muteReply('SendMessages', true)).toEqual([expect.stringContaining('<@7>')]);
  });
});
