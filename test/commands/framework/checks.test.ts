import {
  ChannelType,
  Collection,
  GatewayDispatchEvents,
  InteractionContextType,
  PermissionFlagsBits,
  PermissionsBitField,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import {
  chosenChannel,
  guardRefusal,
  namedChannelWithListeners,
  requesterOf,
  type Situation,
} from '../../../src/commands/framework/checks.ts';
import type { Needs } from '../../../src/commands/framework/command.ts';
import { createDiscordClient } from '../../../src/discord/client/client.ts';
import { render } from '../../../src/texts/catalog.ts';

const MAY = [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.Connect, PermissionFlagsBits.Speak];

/** Bob, who names #lounge; `people` are in it, true: a bot. The bot is elsewhere, with these members. */
function named({
  people = {},
  elsewhere = [],
  room = 0,
  may = MAY,
}: {
  people?: Record<string, boolean>;
  elsewhere?: readonly string[];
  room?: number;
  may?: readonly bigint[];
}) {
  const states = Object.entries(people).map(
    ([id, bot]) => [id, { id, channelId: 'lounge', member: { user: { bot } } }] as const,
  );
  const me = { id: 'crier' };
  const guild = {
    id: '9',
    afkChannelId: null,
    members: { me },
    voiceStates: { cache: new Collection(states) },
    channels: { cache: new Collection<string, unknown>() },
  };
  const permissionsFor = (who: unknown) => new PermissionsBitField(who === me ? [...may] : MAY);
  const lounge = {
    id: 'lounge',
    type: ChannelType.GuildVoice,
    guild,
    userLimit: room,
    permissionsFor,
    isVoiceBased: () => true,
  };
  guild.channels.cache.set('lounge', lounge);
  const interaction = {
    guild,
    guildId: '9',
    user: { id: 'bob' },
    member: {},
    client: { user: { id: 'crier' }, guilds: { cache: new Collection([['9', guild]]) } },
    options: { getChannel: () => lounge },
  } as never;
  const occupiedElsewhere = (_: string, userId: string) => elsewhere.some((member) => member !== userId);
  const speakers = { find: () => ({ channelId: 'general', occupiedElsewhere }) } as never;
  return {
    toSpeakIn: () => namedChannelWithListeners(interaction, speakers, 'lounge').id,
    toJoin: () => chosenChannel(interaction, speakers, 'join').id,
  };
}

const refusal = (key: string) => expect.objectContaining({ text: expect.objectContaining({ key }) });

describe('a channel that is named', () => {
  it('is not spoken in while nobody or only a bot is there, but can be joined', () => {
    for (const { toSpeakIn, toJoin } of [named({}), named({ people: { music: true } })]) {
      expect(toSpeakIn).toThrow(refusal('refused.nobody-there'));
      expect(toJoin()).toBe('lounge');
    }
    expect(named({ people: { ann: false } }).toSpeakIn()).toBe('lounge');
  });

  it('is free for whoever is alone with the bot elsewhere, and not while others are', () => {
    const people = { ann: false };
    expect(named({ people, elsewhere: ['bob'] }).toSpeakIn()).toBe('lounge');
    const { toSpeakIn, toJoin } = named({ people, elsewhere: ['bob', 'carl'] });
    for (const choose of [toSpeakIn, toJoin]) expect(choose).toThrow(refusal('refused.busy-elsewhere'));
  });

  it('that is full is told only where the bot could come, and a missing permission in any case', () => {
    const people = { ann: false };
    expect(named({ people, room: 1 }).toJoin).toThrow(refusal('refused.channel-full'));
    expect(named({ people, room: 1, elsewhere: ['carl'] }).toJoin).toThrow(refusal('refused.busy-elsewhere'));
    const may = MAY.slice(0, 1);
    expect(named({ people, may, elsewhere: ['carl'] }).toJoin).toThrow(refusal('refused.missing-permissions'));
  });
});

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

const inServer: Situation = {
  context: InteractionContextType.Guild,
  callerChannelId: '1',
  mayMoveMembers: false,
};
const nothing: Needs = { contexts: [InteractionContextType.Guild] };
const together: Needs = { contexts: [InteractionContextType.Guild], voice: 'together' };

describe('what a command needs', () => {
  it.each<[string, Needs, Partial<Situation>, string | undefined]>([
    ['all is well', nothing, {}, undefined],
    ['a direct message', nothing, { context: InteractionContextType.BotDM }, 'refused.server-only'],
    ['an unknown context', nothing, { context: null }, 'refused.server-only'],
    ['a bot in another channel that needs nobody', nothing, { botChannelId: '2' }, undefined],
    [
      'a caller in no channel, of a bot in one',
      together,
      { callerChannelId: undefined, botChannelId: '2' },
      'refused.other-channel',
    ],
    ['a bot that is nowhere', together, {}, undefined],
    ['a bot in the caller’s channel', together, { botChannelId: '1' }, undefined],
    ['a bot in another channel', together, { botChannelId: '2' }, 'refused.other-channel'],
    ['a moderator elsewhere', together, { botChannelId: '2', mayMoveMembers: true }, undefined],
  ])('%s', (_, needs, situation, expected) => {
    expect(guardRefusal('say', needs, { ...inServer, ...situation })?.key).toBe(expected);
  });

  it('is told by the name of a command, and without one of a button', () => {
    const apart = { ...inServer, botChannelId: '2' };
    const words = (command?: string) => {
      const refused = guardRefusal(command, together, apart);
      return refused && render(refused);
    };
    expect(words('stop')).toBe('The bot is in <#2>. Join that channel to use /stop.');
    expect(words()).toBe('The bot is in <#2>. Join that channel, then try again.');
  });
});
