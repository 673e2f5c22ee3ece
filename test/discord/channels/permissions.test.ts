import { Collection, PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
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

it('a member with Manage Server or Administrator manages a server', () => {
  expect(managesServer(asking(PermissionFlagsBits.ManageGuild, true))).toBe(true);
  expect(managesServer(asking(PermissionFlagsBits.Administrator, true))).toBe(true);
  expect(managesServer(asking(PermissionFlagsBits.ManageChannels, true))).toBe(false);
});

it('manages nothing in a direct message, nor in a server without the bot', () => {
  expect(managesServer(asking(undefined, false))).toBe(false);
  expect(managesServer(asking(PermissionFlagsBits.ManageGuild, false))).toBe(false);
});

it('says of a member that is not known that they do not', () => {
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

describe('the bot may write', () => {
  it('where it sees the channel and may send messages', () => {
    expect(may({})).toBe(true);
    expect(may({ permissions: ['SendMessages'] })).toBe(false);
    expect(may({ permissions: ['ViewChannel'] })).toBe(false);
  });

  it('in threads with their own permission, whatever it may do in the channel above', () => {
    expect(may({ isThread: true, permissions: ['ViewChannel', 'SendMessagesInThreads'] })).toBe(true);
    expect(may({ isThread: true })).toBe(false);
  });

  it('nowhere while it has a timeout', () => {
    expect(may({}, bot(60_000))).toBe(false);
  });
});

describe('without a chosen channel', () => {
  const chosen = (rooms: readonly Room[], { systemChannelId = '', me = bot() } = {}) => {
    const cache = new Collection(rooms.map((options, index) => [String(index), room(options)]));
    return writableChannel({ members: { me }, channels: { cache }, systemChannelId } as never)?.id;
  };

  it('it is the one in which newcomers are announced, else the first in which the bot may write', () => {
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
});

const channel = (isSeen: boolean) => ({ permissionsFor: () => ({ has: () => isSeen }) });

function problem(channelIds: readonly string[], { available = true } = {}): string | undefined {
  const channels = {
    cache: new Collection([
      ['20', channel(true)],
      ['21', channel(false)],
    ] as const),
  };
  const guild = { available, members: { me: {} }, channels };
  const found = readingProblem({ guilds: { cache: new Collection([['9', guild]]) } } as never, '9', channelIds);
  return found && render(found);
}

describe('channels that are to be read', () => {
  it('are named where the bot does not see them, or they are gone', () => {
    expect(problem([])).toBeUndefined();
    expect(problem(['20'])).toBeUndefined();
    expect(problem(['20', '21', '22'])).toMatch(/can’t see <#21> and <#22>.*View Channel/);
  });

  it('are not complained of during an outage', () => {
    expect(problem(['21'], { available: false })).toBeUndefined();
  });
});
