import { ChannelType, Collection, GatewayDispatchEvents, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { requesterOf } from '../../../src/commands/framework/requester.ts';
import { createDiscordClient } from '../../../src/discord/client/client.ts';

/** Where discord.js and the server's rules take an interaction to come from. */
function askedIn(channel: object | null, told: object = {}) {
  const { client } = createDiscordClient({ token: 'x', readsMessages: false } as never);
  client.ws.emit(GatewayDispatchEvents.InteractionCreate, { channel: { id: '7', ...told } });
  const member = {
    roles: { cache: new Collection() },
    permissions: new PermissionsBitField(),
    voice: { channelId: null },
  };
  return requesterOf({ member, channel, channelId: '7', client, user: { id: '1' } } as never).textChannelId;
}

describe('something is asked for', () => {
  it('in its channel, or in the one above a thread', () => {
    expect(askedIn({ id: '7', isThread: () => false }, { type: ChannelType.GuildText, parent_id: '3' })).toBe('7');
    expect(askedIn({ id: '7', isThread: () => true, parentId: '5' })).toBe('5');
  });

  it('in the channel above a private thread that the bot is not in', () => {
    expect(askedIn(null, { type: ChannelType.PrivateThread, parent_id: '5' })).toBe('5');
  });

  it('in a channel of which nothing is known but its id', () => {
    expect(askedIn(null, { type: ChannelType.GuildText, parent_id: '3' })).toBe('7');
  });
});
