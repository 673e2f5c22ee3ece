import { ChannelType, Collection, PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { chosenChannel, namedChannelWithListeners } from '../../../../src/commands/framework/checks/channel-checks.ts';

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
