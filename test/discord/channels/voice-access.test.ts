import {
  ChannelType,
  Client,
  Collection,
  Events,
  PermissionFlagsBits,
  PermissionsBitField,
  type VoiceBasedChannel,
} from 'discord.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  countListeners,
  followOwnMute,
  obstacleIn,
  obstacleTo,
  onVoiceArrival,
  voicePlace,
} from '../../../src/discord/channels/voice-access.ts';
import { startWorld } from '../../../src/playground/world/world.ts';
import { render } from '../../../src/texts/catalog.ts';
import { loggedIn } from '../logged-in.ts';

const BOT = 'bot';
const ENOUGH = [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.Connect, PermissionFlagsBits.Speak];

interface Room {
  readonly permissions?: readonly bigint[];
  readonly type?: ChannelType;
  readonly userLimit?: number;
  /** Who is in it; false: a bot; undefined: a member whose profile is not known. */
  readonly people?: Readonly<Record<string, boolean | undefined>>;
  /** Where those go who do nothing. */
  readonly isAfkChannel?: boolean;
  /** Muted by a moderator. */
  readonly muted?: readonly string[];
}

function room(options: Room) {
  const { permissions = ENOUGH, type = ChannelType.GuildVoice, userLimit = 0, people = {} } = options;
  const states = Object.entries(people).map(([id, person]) => {
    const member = person === undefined ? null : { user: { bot: !person } };
    return [id, { id, channelId: '1', member, serverMute: options.muted?.includes(id) ?? null }] as const;
  });
  const guild = {
    available: true,
    afkChannelId: options.isAfkChannel ? '1' : null,
    voiceStates: { cache: new Collection(states) },
    channels: { cache: new Collection<string, unknown>() },
    members: { me: { id: BOT } },
  };
  const channel = { id: '1', guild, type, userLimit, permissionsFor: () => new PermissionsBitField([...permissions]) };
  guild.channels.cache.set('1', { ...channel, isVoiceBased: () => true });
  const client = { user: { id: BOT }, guilds: { cache: new Collection([['9', guild]]) } };
  return { channel: channel as unknown as VoiceBasedChannel, client: client as never };
}

function obstacle(options: Room, bot: object = {}): string | undefined {
  const refused = obstacleTo(room(options).channel, { id: BOT, ...bot } as never);
  return refused && render(refused);
}

describe('what keeps the bot from being heard', () => {
  it('nothing, with View Channel, Connect and Speak', () => {
    expect(obstacle({})).toBeUndefined();
  });

  it('each missing permission is named, with the channel', () => {
    expect(obstacle({ permissions: [PermissionFlagsBits.ViewChannel] })).toContain(
      'in <#1>: it’s missing Connect and Speak.',
    );
    expect(obstacle({ permissions: [] })).toContain('View Channel, Connect, and Speak');
  });

  it('a full channel, unless the bot is in it already or may move members', () => {
    expect(obstacle({ userLimit: 1, people: { alice: true } })).toContain('<#1> is full (1 person)');
    expect(obstacle({ userLimit: 2, people: { alice: true } })).toBeUndefined();
    expect(obstacle({ userLimit: 2, people: { alice: true, [BOT]: false } })).toBeUndefined();
    const mover = [...ENOUGH, PermissionFlagsBits.MoveMembers];
    expect(obstacle({ userLimit: 1, people: { alice: true }, permissions: mover })).toBeUndefined();
  });

  it('members whose profile is not cached take up room too', () => {
    expect(obstacle({ userLimit: 1, people: { stranger: undefined } })).toContain('is full');
  });

  it('the AFK channel, where Discord mutes all members', () => {
    expect(obstacle({ isAfkChannel: true })).toContain('<#1> is this server’s AFK channel');
  });

  it('a server mute of the bot, and not one of another member', () => {
    const people = { alice: true, [BOT]: false };
    expect(obstacle({ people, muted: [BOT] })).toContain('A moderator muted the bot in this server');
    expect(obstacle({ people, muted: ['alice'] })).toBeUndefined();
  });

  it('a timeout, as long as it lasts, unless the bot is an administrator', () => {
    const timedOut = (forMs: number, ...permissions: bigint[]) => ({
      communicationDisabledUntilTimestamp: Date.now() + forMs,
      permissions: new PermissionsBitField(permissions),
    });
    expect(obstacle({}, timedOut(60_000))).toMatch(/^The bot is timed out in this server until <t:\d+:f>\./);
    expect(obstacle({}, timedOut(-1))).toBeUndefined();
    expect(obstacle({}, timedOut(60_000, PermissionFlagsBits.Administrator))).toBeUndefined();
  });

  it('a stage on which it may not let itself speak', () => {
    const type = ChannelType.GuildStageVoice;
    const audience = [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.Connect];
    expect(obstacle({ type, permissions: audience })).toContain('Mute Members');
    expect(obstacle({ type, permissions: [...audience, PermissionFlagsBits.MuteMembers] })).toBeUndefined();
    expect(obstacle({ type, permissions: [...audience, PermissionFlagsBits.RequestToSpeak] })).toBeUndefined();
  });
});

describe('what may have changed since the channel was chosen', () => {
  it('is asked for anew, by the channel’s id', () => {
    expect(obstacleIn(room({}).client, '9', '1')).toBeUndefined();
    const { client } = room({ permissions: [] });
    expect(obstacleIn(client, '9', '1')?.key).toBe('refused.missing-permissions');
  });

  it('a channel that is gone is no channel to join', () => {
    expect(obstacleIn(room({}).client, '9', '2')?.key).toBe('play.channel-gone');
  });

  it('during an outage nothing is known that would speak against it', () => {
    const { client, channel } = room({ permissions: [] });
    Object.assign(channel.guild, { available: false });
    expect(obstacleIn(client, '9', '1')).toBeUndefined();
    expect(obstacleIn(client, 'unknown', '1')).toBeUndefined();
  });
});

describe('the listeners', () => {
  it('are members other than bots; one without a cached profile counts as human', () => {
    const { client } = room({ people: { alice: true, [BOT]: false, music: false, stranger: undefined } });
    expect(countListeners(client, '9', '1')).toBe(2);
    expect(countListeners(client, '9', '2')).toBe(0);
    expect(countListeners(client, 'gone', '1')).toBe(0);
    expect(countListeners(client, '9', '1', 'alice')).toBe(1);
    expect(countListeners(client, '9', '1', 'elsewhere')).toBe(2);
  });

  it('the bot itself never counts, known or not', () => {
    const { client } = room({ people: { [BOT]: undefined } });
    expect(countListeners(client, '9', '1')).toBe(0);
  });
});

const NEVER = new AbortController().signal;

describe('being audible where the bot is', () => {
  /** The bot after it was asked to speak in a voice channel, and then found itself here. */
  function botIn(type: ChannelType, permissions: readonly bigint[], suppress = true) {
    const setSuppressed = vi.fn(async () => undefined);
    const here = { id: '2', type, permissionsFor: () => new PermissionsBitField([...permissions]) };
    const { channel } = room({});
    Object.assign(channel.guild, { members: { me: { voice: { id: BOT, channel: here, suppress, setSuppressed } } } });
    return { place: voicePlace(channel), setSuppressed };
  }

  it('takes the floor on a stage, also on one it was dragged to', async () => {
    const { place, setSuppressed } = botIn(ChannelType.GuildStageVoice, [PermissionFlagsBits.MuteMembers]);
    await place.takeTheFloor?.(NEVER);
    expect(setSuppressed).toHaveBeenCalledWith(false);
  });

  it('does nothing after an abort', async () => {
    const { place, setSuppressed } = botIn(ChannelType.GuildStageVoice, [PermissionFlagsBits.MuteMembers]);
    await expect(place.takeTheFloor?.(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect(setSuppressed).not.toHaveBeenCalled();
  });

  it('fails without the permission, instead of speaking inaudibly', async () => {
    const { place } = botIn(ChannelType.GuildStageVoice, []);
    await expect(place.takeTheFloor?.(NEVER)).rejects.toMatchObject({ text: { key: 'refused.stage' } });
  });

  it('has nothing to do in a voice channel, or where it has the floor', async () => {
    for (const { place, setSuppressed } of [
      botIn(ChannelType.GuildVoice, []),
      botIn(ChannelType.GuildStageVoice, [], false),
    ]) {
      expect(place.takeTheFloor?.(NEVER)).toBeUndefined();
      expect(setSuppressed).not.toHaveBeenCalled();
    }
  });
});

it('a server that is told of with an outage, by its id alone, is known to the library as any other', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const client = await loggedIn(world, followOwnMute);
  const told = new Promise((resolve, reject) => {
    client.once(Events.GuildCreate, ({ id, available }) => resolve({ id, available }));
    client.once(Events.Error, reject);
  });
  const id = '100000000000000077';
  world.faults.distortEvent('GUILD_CREATE', () => ({ id, unavailable: true }));
  expect(await told).toEqual({ id, available: false });
});

type State = { readonly id: string; readonly channelId: string | null; readonly member?: object };

const ROBOT = { user: { bot: true } };

/** With these voice states in its one server. */
function clientWith(...states: readonly State[]) {
  const client = new Client({ intents: [] });
  const voiceStates = { cache: new Collection(states.map((state) => [state.id, state])) };
  Object.assign(client, { user: { id: 'bot' }, guilds: { cache: new Collection([['1', { voiceStates }]]) } });
  const becomes = (before: State, after: State) =>
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
  becomes({ id: 'robot', channelId: null }, { id: 'robot', channelId: '8', member: ROBOT });
  expect(arrived).not.toHaveBeenCalled();
  becomes({ id: 'alice', channelId: null }, { id: 'alice', channelId: '7' });
  expect(arrived).toHaveBeenCalledOnce();
});

it('who was there before counts', () => {
  const { client } = clientWith({ id: 'alice', channelId: '7' });
  const arrived = vi.fn();
  onVoiceArrival(client, arrived);
  expect(arrived).toHaveBeenCalledOnce();
});
