import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CommandRefused,
  createManualClock,
  startWorld,
  type VisibleMessage,
  type World,
} from '../../../src/playground/world.ts';
import { call, INTENTS, logIn, type RawGateway } from '../raw-client.ts';

let world: World;
let gateway: RawGateway;
const clock = createManualClock();
const soon = { timeoutMs: 1_000 };

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

async function interaction(id: string) {
  return (await gateway.next(({ t, d }) => t === 'INTERACTION_CREATE' && d.id === id)).d;
}

async function dataOf(line: string, who = 'alice') {
  return (await interaction((await types(line, who)).id)).data;
}

async function answer(id: string, body: unknown) {
  const { token } = await interaction(id);
  expect(await call(world, 'POST', `/interactions/${id}/${token}/callback`, body, { token: null })).toMatchObject({
    status: 204,
  });
}

describe("a typed command is checked as Discord's client checks it", () => {
  it.each([
    ['/nothing', /no command/],
    ['/say', /required: text/],
    ['/say voice:ada', /required: text/],
    ['/say text:this is far too long for it', /at most 20/],
    ['/say text:x speed:3', /at most 1.5/],
    ['/say text:x speed:fast', /number/],
    ['/say text:x seed:1.5', /whole number/],
    ['/say text:x format:ogg', /one of: WAV file/],
    ['/say text:x text:y', /twice/],
    ['/follow channel:general', /kind of channel/],
    ['/follow member:nobody', /does not know/],
    ['/follow always:maybe', /True or False/],
    ['/in-dm', /no command/],
  ])('%s is not sent', async (line, reason) => {
    await expect(types(line)).rejects.toThrow(reason);
    await expect(types(line)).rejects.toBeInstanceOf(CommandRefused);
  });

  it('takes words without an option name for the first option', async () => {
    expect((await dataOf('/say Hello: you there voice:ada')).options).toEqual([
      { name: 'text', type: 3, value: 'Hello: you there' },
      { name: 'voice', type: 3, value: 'ada' },
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
  });

  // https://discord.com/developers/docs/interactions/application-commands#permissions
  it('hides what needs a permission from who lacks it', async () => {
    await expect(types('/settings voice name:x')).rejects.toThrow(/no command/);
    world.newMember('mia', { permissions: ['ManageGuild'] });
    await expect(types('/settings voice name:x', 'mia')).resolves.toBeDefined();
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

describe('components', () => {
  const button = (custom_id: string, label: string, change = {}) => ({
    type: 2,
    style: 1,
    custom_id,
    label,
    ...change,
  });
  const COMPONENTS = [
    { type: 1, components: [button('skip', 'Skip'), button('stop', 'Stop', { disabled: true })] },
    {
      type: 1,
      components: [{ type: 3, custom_id: 'voice', placeholder: 'Choose', options: [{ label: 'Ada', value: 'ada' }] }],
    },
  ];

  async function shown(): Promise<VisibleMessage> {
    const sent = await types('/say text:x');
    await answer(sent.id, { type: 4, data: { content: 'Playing', components: COMPONENTS } });
    return sent.reply(soon);
  }

  it('are pressed by their label, and the message can be changed in answer', async () => {
    const pressed = await world.member('bob').presses(await shown(), 'Skip');
    expect(await interaction(pressed.id)).toMatchObject({
      type: 3,
      data: { custom_id: 'skip', component_type: 2 },
      message: { content: 'Playing' },
      member: { user: { username: 'bob' } },
    });
    await answer(pressed.id, { type: 7, data: { content: 'Skipped', components: [] } });
    expect(await pressed.reply(soon)).toMatchObject({ content: 'Skipped', components: [], edited: true });
    expect(world.channel('general').messages.map(({ content }) => content)).toEqual(['Skipped']);
  });

  it('can be answered later, by an edit of the message or another message', async () => {
    const message = await shown();
    const pressed = await world.member('alice').presses(message, 'skip');
    await answer(pressed.id, { type: 6 });
    const { token } = await interaction(pressed.id);
    const webhook = `/webhooks/${world.bot.applicationId}/${token}`;
    await call(world, 'POST', webhook, { content: 'for you', flags: 64 }, { token: null });
    expect(await pressed.reply(soon)).toMatchObject({ content: 'for you', ephemeral: true });
    await call(world, 'PATCH', `${webhook}/messages/@original`, { content: 'later' }, { token: null });
    expect(world.channel('general').messages.map(({ content }) => content)).toEqual(['later']);
  });

  it('that are disabled or not there cannot be pressed', async () => {
    const message = await shown();
    await expect(world.member('alice').presses(message, 'Stop')).rejects.toThrow(/disabled/);
    await expect(world.member('alice').presses(message, 'Pause')).rejects.toThrow(/no button/);
  });

  it('offer values to select', async () => {
    const message = await shown();
    const selected = await world.member('alice').selects(message, 'Choose', ['Ada']);
    expect((await interaction(selected.id)).data).toMatchObject({
      custom_id: 'voice',
      component_type: 3,
      values: ['ada'],
    });
    await expect(world.member('alice').selects(message, 'voice', ['Bea'])).rejects.toThrow(/not offered/);
    await expect(world.member('alice').selects(message, 'voice', [])).rejects.toThrow(/between 1 and 1/);
  });

  it('of an ephemeral message are there for one person only', async () => {
    const sent = await types('/say text:x');
    await answer(sent.id, { type: 4, data: { content: 'x', flags: 64, components: COMPONENTS } });
    const message = await sent.reply(soon);
    await expect(world.member('bob').presses(message, 'Skip')).rejects.toThrow(/cannot see/);
  });

  it('not answered within 3 seconds fail', async () => {
    const pressed = await world.member('alice').presses(await shown(), 'Skip');
    clock.advance(3_000);
    expect((await pressed.reply(soon)).failed).toBe(true);
  });
});

describe('a modal', () => {
  const input = (change = {}) => ({ type: 4, custom_id: 'word', style: 1, max_length: 5, ...change });
  const modal = {
    custom_id: 'dictionary',
    title: 'Pronunciation',
    components: [
      { type: 18, label: 'Word', component: input() },
      { type: 1, components: [input({ custom_id: 'as', label: 'Spoken as', required: false, value: 'x' })] },
    ],
  };

  it('is shown, filled in and submitted', async () => {
    const sent = await types('/say text:x');
    await answer(sent.id, { type: 9, data: modal });
    const opened = await sent.modal(soon);
    expect(opened).toMatchObject({ title: 'Pronunciation', customId: 'dictionary' });
    const submitted = await world.member('alice').submits(opened, { Word: 'gif' });
    const { type, data } = await interaction(submitted.id);
    expect(type).toBe(5);
    expect(data.components).toMatchObject([
      { type: 18, component: { type: 4, custom_id: 'word', value: 'gif' } },
      { type: 1, components: [{ custom_id: 'as', value: 'x' }] },
    ]);
    await answer(submitted.id, { type: 4, data: { content: 'kept' } });
    expect((await submitted.reply(soon)).content).toBe('kept');
  });

  it('is checked before it is submitted', async () => {
    const sent = await types('/say text:x');
    await answer(sent.id, { type: 9, data: modal });
    const opened = await sent.modal(soon);
    const alice = world.member('alice');
    await expect(alice.submits(opened, {})).rejects.toThrow(/required: Word/);
    await expect(alice.submits(opened, { Word: 'too long' })).rejects.toThrow(/at most 5/);
    await expect(alice.submits(opened, { Word: 'x', Other: 'y' })).rejects.toThrow(/no field Other/);
    await expect(world.member('bob').submits(opened, { Word: 'x' })).rejects.toThrow(/did not open/);
  });

  it('has a title of at most 45 characters and up to 5 fields', async () => {
    const sent = await types('/say text:x');
    const { token } = await interaction(sent.id);
    const bad = { ...modal, title: 'x'.repeat(46), components: Array.from({ length: 6 }, () => modal.components[0]) };
    const { body } = await call(
      world,
      'POST',
      `/interactions/${sent.id}/${token}/callback`,
      { type: 9, data: bad },
      { token: null },
    );
    expect(Object.keys(body.errors.data)).toEqual(expect.arrayContaining(['title', 'components']));
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
    world.member('olga').drags('alice', 'Lounge');
    expect(world.member('alice').voiceChannel).toBe('Lounge');
    world.member('alice').leaves();
    expect(world.channel('Lounge').members).toEqual([]);
  });
});

describe('a world', () => {
  it('closes in milliseconds, also twice, with clients connected', async () => {
    const other = await startWorld();
    await logIn(other);
    const before = performance.now();
    await Promise.all([other.close(), other.close()]);
    expect(performance.now() - before).toBeLessThan(500);
  });

  it('says what it waited for in vain', async () => {
    const sent = await types('/say text:x');
    await expect(sent.reply({ timeoutMs: 20 })).rejects.toThrow(/reply to \/say; answered with pending; seen: nothing/);
    const controller = new AbortController();
    const waiting = world.channel('General').hasBot(true, { timeoutMs: 60_000, signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
