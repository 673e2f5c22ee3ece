import { ChannelType, Collection, GatewayDispatchEvents, PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { guardRefusal, mustHaveListeners, requesterOf, usableChannel } from '../../../src/commands/framework/checks.ts';
import type { Action } from '../../../src/commands/framework/command.ts';
import { createDiscordClient } from '../../../src/discord/client/client.ts';

const MAY = [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.Connect, PermissionFlagsBits.Speak];

/** Bob, who names #lounge: `people` are in it (true: a bot), `elsewhere` with the bot, which is in another channel. */
function named({
  people = {} as Readonly<Record<string, boolean>>,
  elsewhere = [] as readonly string[],
  room = 0,
  may = MAY,
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
  guild.channels.cache.set('lounge', {
    id: 'lounge',
    type: ChannelType.GuildVoice,
    guild,
    userLimit: room,
    isVoiceBased: () => true,
    permissionsFor: (who: unknown) => new PermissionsBitField(who === me ? may : MAY),
  });
  const client = { user: { id: 'crier' }, guilds: { cache: new Collection([['9', guild]]) } };
  const interaction = { guild, guildId: '9', user: { id: 'bob' }, member: {}, client } as never;
  const occupiedElsewhere = (_: string, userId: string) => elsewhere.some((member) => member !== userId);
  const speakers = { find: () => ({ channelId: 'general', occupiedElsewhere }) } as never;
  return () => {
    const { id } = usableChannel(interaction, speakers, 'lounge');
    return { id, mustBeHeard: () => mustHaveListeners(interaction, id) };
  };
}

const refusal = (key: string) => expect.objectContaining({ text: expect.objectContaining({ key }) });

describe('a channel that is named', () => {
  it('can be joined while nobody or only a bot is there, but nothing is spoken to them', () => {
    for (const use of [named({}), named({ people: { music: true } })]) {
      expect(use().id).toBe('lounge');
      expect(use().mustBeHeard).toThrow(refusal('refused.nobody-there'));
    }
    named({ people: { ann: false } })().mustBeHeard();
  });

  const people = { ann: false };
  it.each<[string, Parameters<typeof named>[0], string | undefined]>([
    ['is free for whoever is alone with the bot elsewhere', { people, elsewhere: ['bob'] }, undefined],
    ['is not while others are', { people, elsewhere: ['bob', 'carl'] }, 'refused.busy-elsewhere'],
    ['is full', { people, room: 1 }, 'refused.channel-full'],
    ['is full, and the bot could not come', { people, room: 1, elsewhere: ['carl'] }, 'refused.busy-elsewhere'],
    ['lacks a permission', { people, may: MAY.slice(0, 1), elsewhere: ['carl'] }, 'refused.missing-permissions'],
  ])('%s', (_, lounge, key) => {
    if (key === undefined) expect(named(lounge)().id).toBe('lounge');
    else expect(named(lounge)).toThrow(refusal(key));
  });
});

it.each<[string, object | null, object, string]>([
  ['above its thread', { isThread: () => true, parentId: '5' }, { type: ChannelType.PublicThread }, '5'],
  ['above a private thread that the bot is not in', null, { type: ChannelType.PrivateThread, parent_id: '5' }, '5'],
])('something is asked for %s', (_, channel, told, expected) => {
  const { client } = createDiscordClient({ token: 'x', readsMessages: false } as never);
  client.ws.emit(GatewayDispatchEvents.InteractionCreate, { channel: { id: '7', ...told } });
  const roles = { cache: new Collection() };
  const member = { roles, permissions: new PermissionsBitField(), voice: { channelId: null } };
  const asked = { member, channel, channelId: '7', client, user: { id: '1' } } as never;
  expect(requesterOf(asked).textChannelId).toBe(expected);
});

describe('what a command needs', () => {
  function refusalOf(
    needs: Partial<Action<never>>,
    { isInServer = true, bot = undefined as string | undefined, permissions = 0n },
  ) {
    const interaction = {
      guildId: '9',
      inCachedGuild: () => isInServer,
      member: { voice: { channelId: '1' } },
      memberPermissions: new PermissionsBitField(permissions),
    };
    const speakers = { find: () => ({ channelId: bot }) };
    return guardRefusal(interaction as never, needs as never, speakers as never);
  }

  const nothing: Partial<Action<never>> = { onlyFor: 'servers' };
  const together: Partial<Action<never>> = { ...nothing, together: true };
  it.each<[string, Partial<Action<never>>, Parameters<typeof refusalOf>[1], string | undefined]>([
    ['all is well', nothing, {}, undefined],
    ['a direct message', nothing, { isInServer: false }, 'refused.server-only'],
    ['a bot in the caller’s channel', together, { bot: '1' }, undefined],
    ['a bot in another channel', together, { bot: '2' }, 'refused.other-channel'],
    ['a moderator elsewhere', together, { bot: '2', permissions: PermissionFlagsBits.MoveMembers }, undefined],
  ])('%s', (_, needs, at, expected) => {
    expect(refusalOf(needs, at)?.key).toBe(expected);
  });
});
