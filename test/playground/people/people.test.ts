import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandRefused, createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';
import { call, INTENTS, interactionOf, logIn, type RawGateway } from '../raw-client.ts';

let world: World;
let gateway: RawGateway;
const clock = createManualClock();

const COMMANDS = [
  {
    name: 'say',
    description: 'Speak',
    options: [
      { type: 3, name: 'text', description: 'x', required: true, max_length: 20 },
      { type: 3, name: 'voice', description: 'x', autocomplete: true },
      { type: 10, name: 'speed', description: 'x', min_value: 0.7, max_value: 1.5 },
      { type: 4, name: 'seed', description: 'x' },
      { type: 3, name: 'format', description: 'x', choices: [{ name: 'WAV file', value: 'wav' }] },
    ],
  },
  {
    name: 'settings',
    description: 'x',
    default_member_permissions: '32',
    options: [
      {
        type: 1,
        name: 'voice',
        description: 'x',
        options: [{ type: 3, name: 'name', description: 'x', required: true }],
      },
      { type: 2, name: 'limits', description: 'x', options: [{ type: 1, name: 'show', description: 'x' }] },
    ],
  },
  {
    name: 'follow',
    description: 'x',
    options: [
      { type: 7, name: 'channel', description: 'x', channel_types: [2, 13] },
      { type: 6, name: 'member', description: 'x' },
      { type: 5, name: 'always', description: 'x' },
      { type: 11, name: 'file', description: 'x' },
    ],
  },
  { name: 'in-dm', description: 'x', contexts: [1] },
  { name: 'Speak this message', type: 3 },
  { name: 'Their voice', type: 2 },
];

beforeEach(async () => {
  world = await startWorld({ clock });
  gateway = await logIn(world, { intents: INTENTS.guilds });
  const { status } = await call(world, 'PUT', `/applications/${world.bot.applicationId}/commands`, COMMANDS);
  expect(status).toBe(200);
});
afterEach(() => world.close());

const types = (line: string, who = 'alice') => world.member(who).types(line);

const interaction = (id: string) => interactionOf(gateway, id);

async function dataOf(line: string, who = 'alice') {
  return (await interaction((await types(line, who)).id)).data;
}

describe("a typed command is checked as Discord's client checks it", () => {
  it.each([
    ['/nothing', /no command \/nothing here$/],
    ['/sag Hello', /no command \/sag here: did you mean \/say\?$/],
    ['/say', /required: text/],
    ['/say voice:ada', /required: text/],
    ['/say text:this is far too long for it', /at most 20/],
    ['/say text:x speed:3', /at most 1.5/],
    ['/say text:x speed:fast', /number/],
    ['/say text:x seed:1.5', /whole number/],
    ['/say text:x format:ogg', /one of: WAV file/],
    ['/say text:x text:y', /twice: as a word of a text, write text\\:/],
    ['/follow channel:rules', /kind of channel/],
    ['/follow member:nobody', /does not know/],
    ['/follow always:maybe', /True or False/],
    ['/in-dm', /no command/],
    ['/say Hello text:you there', /"Hello" belongs to no option: write text:…/],
  ])('%s is not sent', async (line, reason) => {
    world.newChannel('rules', 'text');
    await expect(types(line)).rejects.toThrow(reason);
    await expect(types(line)).rejects.toBeInstanceOf(CommandRefused);
  });

  it('takes words without an option name for the first option', async () => {
    expect((await dataOf('/say Hello: you there voice:ada')).options).toEqual([
      { name: 'text', type: 3, value: 'Hello: you there' },
      { name: 'voice', type: 3, value: 'ada' },
    ]);
  });

  it('takes an option name with a backslash before its colon for a word', async () => {
    expect((await dataOf(String.raw`/say a seed\: 7 seed:8`)).options).toEqual([
      { name: 'text', type: 3, value: 'a seed: 7' },
      { name: 'seed', type: 4, value: 8 },
    ]);
  });

  it('sends numbers as numbers and choices as their values', async () => {
    const { options } = await dataOf('/say text:x speed:1.2 seed:7 format:WAV file');
    expect(options.map(({ value }: { value: unknown }) => value)).toEqual(['x', 1.2, 7, 'wav']);
  });

  it('nests subcommands and groups', async () => {
    expect((await dataOf('/settings voice name:Ada', 'olga')).options).toEqual([
      { name: 'voice', type: 1, options: [{ name: 'name', type: 3, value: 'Ada' }] },
    ]);
    expect((await dataOf('/settings limits show', 'olga')).options).toEqual([
      { name: 'limits', type: 2, options: [{ name: 'show', type: 1, options: [] }] },
    ]);
    await expect(types('/settings', 'olga')).rejects.toThrow('needs one of: voice, limits');
    await expect(types('/settings limits show all', 'olga')).rejects.toThrow('/settings limits show takes no options');
  });

  // https://discord.com/developers/docs/interactions/application-commands#permissions
  it('hides commands from people without their permission', async () => {
    await expect(types('/settings voice name:x')).rejects.toThrow(/no command/);
    world.newMember('mia', { permissions: ['ManageGuild'] });
    await expect(types('/settings voice name:x', 'mia')).resolves.toBeDefined();
  });

  it('takes names in another case, where only one is meant', async () => {
    const { resolved } = await dataOf('/follow channel:#general member:BOB');
    expect(Object.keys(resolved.channels)).toEqual([world.channel('General').id]);
    expect(Object.keys(resolved.users)).toEqual([world.member('bob').id]);
    world.newMember('BOb');
    await expect(types('/follow member:BOB')).rejects.toThrow('The option member does not know BOB');
    expect(Object.keys((await dataOf('/follow member:BOb')).resolved.users)).toEqual([world.member('BOb').id]);
  });

  it('resolves members, channels and files', async () => {
    const file = { name: 'a.txt', bytes: Buffer.from('a'), contentType: 'text/plain' };
    const sent = await world
      .member('alice')
      .command('follow', { channel: '#General', member: '@bob', always: true, file });
    const { data } = await interaction(sent.id);
    const channelId = world.channel('General').id;
    const bob = world.member('bob').id;
    expect(data.resolved.channels[channelId]).toMatchObject({
      name: 'General',
      type: 2,
      app_permissions: expect.any(String),
    });
    expect(data.resolved.users[bob].username).toBe('bob');
    expect(data.resolved.members[bob].user).toBeUndefined();
    expect(Object.values(data.resolved.attachments)).toMatchObject([{ filename: 'a.txt', size: 1 }]);
  });
});

describe('context menus', () => {
  it('act on a message', async () => {
    const message = world.member('bob').says('read me');
    const sent = await world.member('alice').usesOnMessage('Speak this message', message);
    const { data } = await interaction(sent.id);
    expect(data).toMatchObject({ type: 3, name: 'Speak this message', target_id: message.messageId });
    // A message command shows its target's words without the MessageContent intent.
    expect(data.resolved.messages[message.messageId].content).toBe('read me');
  });

  it('act on a member', async () => {
    const sent = await world.member('alice').usesOnMember('Their voice', 'bob');
    const bob = world.member('bob').id;
    expect((await interaction(sent.id)).data).toMatchObject({
      type: 2,
      target_id: bob,
      resolved: { users: { [bob]: { username: 'bob' } } },
    });
  });
});

describe('people in voice', () => {
  it('cannot join a channel that is full, and moderators alone can move others', () => {
    expect(() => world.member('alice').joins('Full')).toThrow(/full/);
    world.member('alice').joins('General');
    expect(() => world.member('bob').drags('alice', 'Lounge')).toThrow(/may not/);
    expect(() => world.member('olga').drags('alice', 'general')).toThrow(/no voice channel/);
    world.member('olga').drags('alice', 'Lounge');
    expect(world.member('alice').voiceChannel).toBe('Lounge');
    world.member('alice').leaves();
    expect(world.channel('Lounge').members).toEqual([]);
  });
});

describe('a world', () => {
  it('closes at once, also twice, with clients connected', async () => {
    const other = await startWorld();
    await logIn(other);
    const before = performance.now();
    await Promise.all([other.close(), other.close()]);
    expect(performance.now() - before).toBeLessThan(500);
  });

  it('knows nothing of another beside it', async () => {
    const other = await startWorld({ clock });
    const beside = await logIn(other);
    const before = beside.received.length;
    world.member('alice').joins('General');
    const { messageId } = world.member('alice').says('hello');
    world.newMember('mia');
    await expect(other.member('alice').types('/say text:x')).rejects.toThrow(/no command/);
    expect(() => other.member('mia')).toThrow();
    expect(other.member('alice').voiceChannel).toBeUndefined();
    expect(other.channel('General').members).toEqual([]);
    const path = `/channels/${other.channel('general').id}/messages`;
    expect((await call(other, 'GET', `${path}/${messageId}`)).body.code).toBe(10008);
    // The first event there is the message there.
    other.member('bob').says('over here');
    await beside.event('MESSAGE_CREATE');
    expect(beside.received.slice(before).map(({ t, d }) => [t, d.author.username])).toEqual([
      ['MESSAGE_CREATE', 'bob'],
    ]);
    expect(world.channel('general').messages.map(({ content }) => content)).toEqual(['hello']);
    await other.close();
  });

  it('names the condition that was not met', async () => {
    const sent = await types('/say text:x');
    await expect(sent.reply({ timeoutMs: 20 })).rejects.toThrow(/reply to \/say; answered with pending; seen: nothing/);
    const controller = new AbortController();
    const waiting = world.channel('General').hasBot(true, { timeoutMs: 60_000, signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
