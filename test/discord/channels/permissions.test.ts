import { Collection, PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { expect, it } from 'vitest';
import {
  managesServer,
  mayManage,
  mayWrite,
  readingProblem,
  writableChannel,
} from '../../../src/discord/channels/permissions.ts';
import { render } from '../../../src/texts/catalog.ts';

const asking = (permissions: bigint | undefined, botIsThere: boolean) =>
  ({
    inCachedGuild: () => botIsThere,
    memberPermissions: permissions === undefined ? null : new PermissionsBitField(permissions),
  }) as never;

it('a member with Manage Server or Administrator manages a server, not a direct message or one without the bot', () => {
  expect(managesServer(asking(PermissionFlagsBits.ManageGuild, true))).toBe(true);
  expect(managesServer(asking(PermissionFlagsBits.Administrator, true))).toBe(true);
  expect(managesServer(asking(PermissionFlagsBits.ManageChannels, true))).toBe(false);
  expect(managesServer(asking(undefined, false))).toBe(false);
  expect(managesServer(asking(PermissionFlagsBits.ManageGuild, false))).toBe(false);
  expect(mayManage(undefined)).toBe(false);
});

type Permission = keyof typeof PermissionFlagsBits;

interface Room {
  readonly id?: string;
  readonly permissions?: readonly Permission[];
  readonly isThread?: boolean;
  readonly rawPosition?: number;
}

function room({ id = '1', permissions = ['ViewChannel', 'SendMessages'], isThread = false, rawPosition = 0 }: Room) {
  return {
    id,
    rawPosition,
    isThread: () => isThread,
    isTextBased: () => true,
    isVoiceBased: () => false,
    permissionsFor: () => new PermissionsBitField(permissions.map((name) => PermissionFlagsBits[name])),
  };
}

const bot = (timedOutForMs = 0) => ({
  communicationDisabledUntilTimestamp: timedOutForMs > 0 ? Date.now() + timedOutForMs : null,
  permissions: new PermissionsBitField(),
});

const may = (options: Room, me = bot()) => mayWrite(room(options) as never, me as never);

it('the bot may write where it sees the channel and may send messages, in threads by their own permission', () => {
  expect(may({})).toBe(true);
  expect(may({ permissions: ['SendMessages'] })).toBe(false);
  expect(may({ permissions: ['ViewChannel'] })).toBe(false);
  expect(may({ isThread: true, permissions: ['ViewChannel', 'SendMessagesInThreads'] })).toBe(true);
  expect(may({ isThread: true })).toBe(false);
  expect(may({}, bot(60_000))).toBe(false);
});

const chosen = (rooms: readonly Room[], { systemChannelId = '', me = bot() } = {}) => {
  const cache = new Collection(rooms.map((options, index) => [String(index), room(options)]));
  return writableChannel({ members: { me }, channels: { cache }, systemChannelId } as never)?.id;
};

it('without a chosen channel, the bot writes where newcomers are announced, else in the first one where it may', () => {
  const rooms = [
    { id: 'closed', permissions: [], rawPosition: 0 },
    { id: 'second', rawPosition: 2 },
    { id: 'first', rawPosition: 1 },
  ];
  expect(chosen(rooms)).toBe('first');
  expect(chosen(rooms, { systemChannelId: 'second' })).toBe('second');
  expect(chosen(rooms, { systemChannelId: 'closed' })).toBe('first');
  expect(chosen(rooms, { me: bot(60_000) })).toBeUndefined();
});

it('channels that are to be read are named where the bot does not see them or they are gone, but for an outage', () => {
  const channel = (isSeen: boolean) => ({ permissionsFor: () => ({ has: () => isSeen }) });
  const cache = new Collection(Object.entries({ 20: channel(true), 21: channel(false) }));
  const guild = { available: true, members: { me: {} }, channels: { cache } };
  const problem = (...channelIds: string[]) => {
    const found = readingProblem({ guilds: { cache: new Collection([['9', guild]]) } } as never, '9', channelIds);
    return found && render(found);
  };
  expect([problem(), problem('20')]).toEqual([undefined, undefined]);
  expect(problem('20', '21', '22')).toMatch(/can’t see <#21>(,| and) <#22>.*View Channel/);
  guild.available = false;
  expect(problem('21')).toBeUndefined();
});
