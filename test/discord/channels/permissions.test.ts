import {
  ChannelType,
  Client,
  Collection,
  Events,
  PermissionFlagsBits,
  PermissionsBitField,
  type VoiceBasedChannel,
} from 'discord.js';
import { describe, expect, it, vi } from 'vitest';
import {
  countListeners,
  managesServer,
  mayManage,
  mayWrite,
  obstacleIn,
  obstacleTo,
  onVoiceArrival,
  voicePlace,
  whenInvited,
  writableChannel,
} from '../../../src/discord/channels/permissions.ts';
import { createReadingPlaces } from '../../../src/discord/messages/message-reading.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import { render } from '../../../src/texts/catalog.ts';
import { loggedIn, openWorld } from '../logged-in.ts';

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

function textRoom({
  id = '1',
  permissions = ['ViewChannel', 'SendMessages'] as readonly Permission[],
  isThread = false,
  rawPosition = 0,
}) {
  return {
    id,
    rawPosition,
    isThread: () => isThread,
    isTextBased: () => true,
    isVoiceBased: () => false,
    permissionsFor: () => new PermissionsBitField(permissions.map((name) => PermissionFlagsBits[name])),
  };
}

type TextRoom = Parameters<typeof textRoom>[0];

const bot = (timedOutForMs = 0) => ({
  communicationDisabledUntilTimestamp: timedOutForMs > 0 ? Date.now() + timedOutForMs : null,
  permissions: new PermissionsBitField(),
});

const may = (options: TextRoom, me = bot()) => mayWrite(textRoom(options) as never, me as never);

it('the bot may write where it sees the channel and may send messages, in threads by their own permission', () => {
  expect(may({})).toBe(true);
  expect(may({ permissions: ['SendMessages'] })).toBe(false);
  expect(may({ permissions: ['ViewChannel'] })).toBe(false);
  expect(may({ isThread: true, permissions: ['ViewChannel', 'SendMessagesInThreads'] })).toBe(true);
  expect(may({ isThread: true })).toBe(false);
  expect(may({}, bot(60_000))).toBe(false);
});

const chosen = (rooms: readonly TextRoom[], { systemChannelId = '', me = bot() } = {}) => {
  const cache = new Collection(rooms.map((options, index) => [String(index), textRoom(options)]));
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

const BOT = 'bot';
const ENOUGH = [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.Connect, PermissionFlagsBits.Speak];

/** In it are `people`; false: a bot; undefined: a member whose profile is not known. A moderator has `muted` some. */
function room({
  permissions = ENOUGH,
  type = ChannelType.GuildVoice,
  userLimit = 0,
  people = {} as Readonly<Record<string, boolean | undefined>>,
  isAfkChannel = false,
  muted = [] as readonly string[],
}) {
  const states = Object.entries(people).map(([id, person]) => {
    const member = person === undefined ? null : { user: { bot: !person } };
    return [id, { id, channelId: '1', member, serverMute: muted.includes(id) || null }] as const;
  });
  const guild = {
    available: true,
    afkChannelId: isAfkChannel ? '1' : null,
    voiceStates: { cache: new Collection(states) },
    channels: { cache: new Collection<string, unknown>() },
    members: { me: { id: BOT } },
  };
  const channel = { id: '1', guild, type, userLimit, permissionsFor: () => new PermissionsBitField(permissions) };
  guild.channels.cache.set('1', { ...channel, isVoiceBased: () => true });
  const client = { user: { id: BOT }, guilds: { cache: new Collection([['9', guild]]) } };
  return { channel: channel as unknown as VoiceBasedChannel, client: client as never };
}

type Room = Parameters<typeof room>[0];

function obstacle(options: Room, bot: object = {}): string | undefined {
  const refused = obstacleTo(room(options).channel, { id: BOT, ...bot } as never);
  return refused && render(refused);
}

describe('what keeps the bot from being heard', () => {
  const [alice, joined] = [{ alice: true }, { alice: true, [BOT]: false }];
  const audience = [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.Connect];
  const onStage = (...more: bigint[]) => ({ type: ChannelType.GuildStageVoice, permissions: [...audience, ...more] });

  it.each<[string, Room, string]>([
    ['each missing permission', { permissions: [] }, 'in <#1>: it’s missing View Channel, Connect, and Speak.'],
    ['a full channel', { userLimit: 1, people: alice }, '<#1> is full (1 person)'],
    ['one that is full of members whose profile is not cached', { userLimit: 1, people: { x: undefined } }, 'is full'],
    ['a server mute of the bot', { people: joined, muted: [BOT] }, 'A moderator muted the bot in this server'],
    ['a stage on which it may not let itself speak', onStage(), 'Mute Members'],
  ])('is named: %s', (_, options, words) => {
    expect(obstacle(options)).toContain(words);
  });

  it.each<[string, Room]>([
    ['the three permissions', {}],
    ['room for one more', { userLimit: 2, people: alice }],
    ['a full channel that the bot is in already', { userLimit: 2, people: joined }],
    [
      'a full channel, for a bot that may move members',
      { userLimit: 1, people: alice, permissions: [...ENOUGH, PermissionFlagsBits.MoveMembers] },
    ],
    ['a server mute of another member', { people: joined, muted: ['alice'] }],
    ['a stage on which it may let itself speak', onStage(PermissionFlagsBits.MuteMembers)],
    ['a stage on which it may ask for that', onStage(PermissionFlagsBits.RequestToSpeak)],
  ])('is nothing with %s', (_, options) => {
    expect(obstacle(options)).toBeUndefined();
  });

  it('is a timeout, as long as it lasts, unless the bot is an administrator', () => {
    const timedOut = (forMs: number, ...permissions: bigint[]) => ({
      communicationDisabledUntilTimestamp: Date.now() + forMs,
      permissions: new PermissionsBitField(permissions),
    });
    expect(obstacle({}, timedOut(60_000))).toMatch(/^The bot is timed out in this server until <t:\d+:f>\./);
    expect(obstacle({}, timedOut(-1))).toBeUndefined();
    expect(obstacle({}, timedOut(60_000, PermissionFlagsBits.Administrator))).toBeUndefined();
  });
});

it('is asked for again by the channel’s id, which may be gone; in an outage nothing is known of it', () => {
  const { client, channel } = room({ permissions: [] });
  expect(obstacleIn(room({}).client, '9', '1')).toBeUndefined();
  expect(obstacleIn(client, '9', '1')?.key).toBe('refused.missing-permissions');
  expect(obstacleIn(client, '9', '2')?.key).toBe('play.channel-gone');
  Object.assign(channel.guild, { available: false });
  expect([obstacleIn(client, '9', '1'), obstacleIn(client, 'unknown', '1')]).toEqual([undefined, undefined]);
});

it.each<[string, Room, string | undefined, ServerSettings?]>([
  ['a missing permission', { permissions: ENOUGH.slice(0, 1) }, '<#1>: it’s missing Connect and Speak.'],
  ['nothing where it is only full at the moment', { userLimit: 1, people: { alice: true } }, undefined],
  // The server's own list can be no reason then.
  ['the AFK channel', { isAfkChannel: true }, 'AFK channel', { allowedChannels: ['2'] }],
  ['a channel that was deleted', {}, 'no longer exists', { autoJoinChannel: '2', allowedChannels: ['1'] }],
])('admins are told what keeps the bot from joining by itself: %s', (_, options, told, settings = {}) => {
  const places = createReadingPlaces(room(options).client, true);
  const problem = places.autoJoinProblem('9', { autoJoinChannel: '1', ...settings });
  if (told === undefined) expect(problem).toBeUndefined();
  else expect(problem && render(problem)).toContain(told);
});

it('listeners are members other than bots; one without a cached profile counts as human, but not the bot itself', () => {
  const { client } = room({ people: { alice: true, [BOT]: undefined, music: false, stranger: undefined } });
  expect(countListeners(client, '9', '1')).toBe(2);
  expect(countListeners(client, '9', '2')).toBe(0);
  expect(countListeners(client, 'gone', '1')).toBe(0);
  expect(countListeners(client, '9', '1', 'alice')).toBe(1);
});

const NEVER = new AbortController().signal;

it('a bot that takes the floor where it is does nothing after an abort', async () => {
  const setSuppressed = vi.fn(async () => undefined);
  const permissionsFor = () => new PermissionsBitField(PermissionFlagsBits.MuteMembers);
  const stage = { id: '2', type: ChannelType.GuildStageVoice, permissionsFor };
  const { channel } = room({});
  Object.assign(channel.guild, {
    members: { me: { voice: { id: BOT, channel: stage, suppress: true, setSuppressed } } },
  });
  await expect(voicePlace(channel).takeTheFloor?.(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  expect(setSuppressed).not.toHaveBeenCalled();
});

it('a server that is told of with an outage, by its id alone, is known to the library as any other', async () => {
  const world = await openWorld();
  const client = await loggedIn(world);
  const told = new Promise((resolve, reject) => {
    client.once(Events.GuildCreate, ({ id, available }) => resolve({ id, available }));
    client.once(Events.Error, reject);
  });
  const id = '100000000000000077';
  world.faults.distortEvent('GUILD_CREATE', () => ({ id, unavailable: true }));
  expect(await told).toEqual({ id, available: false });
});

function clientWith(...states: readonly { readonly id: string; readonly channelId: string }[]) {
  const client = new Client({ intents: [] });
  const voiceStates = { cache: new Collection(states.map((state) => [state.id, state])) };
  Object.assign(client, { user: { id: 'bot' }, guilds: { cache: new Collection([['1', { voiceStates }]]) } });
  const becomes = (before: object, after: object) =>
    client.emit(Events.VoiceStateUpdate, before as never, after as never);
  return { client: client as Client<true>, becomes };
}

it('a member who comes into a voice channel is an arrival; one who moves or leaves, and a bot, are not', () => {
  const { client, becomes } = clientWith({ id: 'bot', channelId: '7' });
  const arrived = vi.fn();
  onVoiceArrival(client, arrived);
  becomes({ id: 'alice', channelId: '7' }, { id: 'alice', channelId: '8' });
  becomes({ id: 'alice', channelId: '8' }, { id: 'alice', channelId: null });
  becomes({ id: 'bot', channelId: null }, { id: 'bot', channelId: '8' });
  becomes({ id: 'robot', channelId: null }, { id: 'robot', channelId: '8', member: { user: { bot: true } } });
  expect(arrived).not.toHaveBeenCalled();
  becomes({ id: 'alice', channelId: null }, { id: 'alice', channelId: '7' });
  expect(arrived).toHaveBeenCalledOnce();
  // Who was there before counts, too.
  onVoiceArrival(clientWith({ id: 'alice', channelId: '7' }).client, arrived);
  expect(arrived).toHaveBeenCalledTimes(2);
});

describe('a bot in the audience of a stage', () => {
  function audience() {
    const client = new Client({ intents: [] });
    Object.assign(client, { user: { id: BOT } });
    const told = (guildId: string, state: { id?: string; channelId?: string | null; suppress?: boolean }) =>
      client.emit(Events.VoiceStateUpdate, {} as never, { id: BOT, guild: { id: guildId }, ...state } as never);
    const stage = { id: 'stage', guild: { id: '1' }, client } as VoiceBasedChannel;
    return { stage, told };
  }

  it('waits no longer when it is moved away, when its asker gives up, or when Discord does not let it ask', async () => {
    const { stage, told } = audience();
    const ask = async () => undefined;
    const moved = whenInvited(stage, ask, NEVER);
    told('1', { channelId: null, suppress: false });
    await expect(moved).rejects.toMatchObject({ text: { key: 'stage.not-invited' } });
    const givingUp = new AbortController();
    const givenUp = whenInvited(stage, ask, givingUp.signal);
    givingUp.abort(new Error('Enough'));
    await expect(givenUp).rejects.toThrow('Enough');
    const refused = () => Promise.reject(new Error('Not here'));
    await expect(whenInvited(stage, refused, NEVER)).rejects.toThrow('Not here');
  });

  it('waits a minute, and then says that it is to be invited while it waits', async () => {
    vi.useFakeTimers();
    const { stage } = audience();
    const over = vi.fn();
    whenInvited(stage, async () => undefined, NEVER).catch(over);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(over).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(over.mock.calls[0]?.[0]).toMatchObject({ text: { key: 'stage.not-invited' } });
  });
});
