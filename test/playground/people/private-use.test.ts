import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';
import { call, form, INTENTS, interactionOf, logIn, type RawGateway } from '../raw-client.ts';

let world: World;
let gateway: RawGateway;
const clock = createManualClock();
const soon = { timeoutMs: 1_000 };
const DIRECT_MESSAGES = 1 << 12;

const COMMANDS = [
  { name: 'say', description: 'Speak', integration_types: [0, 1], contexts: [0, 1, 2] },
  { name: 'stop', description: 'Stop', integration_types: [0], contexts: [0] },
  { name: 'mine', description: 'Mine', integration_types: [1], contexts: [0, 1, 2] },
  { name: 'Speak this message', type: 3, integration_types: [0, 1], contexts: [0, 1, 2] },
];

beforeEach(async () => {
  world = await startWorld({ clock });
  gateway = await logIn(world, { intents: INTENTS.guilds | INTENTS.guildMessages | DIRECT_MESSAGES });
  const { status } = await call(world, 'PUT', `/applications/${world.bot.applicationId}/commands`, COMMANDS);
  expect(status).toBe(200);
});
afterEach(() => world.close());

const interaction = (id: string) => interactionOf(gateway, id);

async function answer(id: string, body: unknown) {
  const { token } = await interaction(id);
  return call(world, 'POST', `/interactions/${id}/${token}/callback`, body, { token: null });
}

const namesOf = (who: string, place: string) =>
  world
    .member(who)
    .seesCommands({ in: place })
    .map(({ name }) => name);

// https://discord.com/developers/docs/interactions/application-commands#contexts
describe('commands are shown', () => {
  it('in a server, in direct messages with the bot and among people by installation and context', () => {
    expect(namesOf('alice', 'general')).toEqual(['say', 'stop', 'Speak this message']);
    expect(namesOf('alice', '@bot')).toEqual(['say', 'Speak this message']);
    expect(namesOf('alice', '@bob')).toEqual([]);
    world.member('alice').installsApp();
    expect(namesOf('alice', 'general')).toEqual(['say', 'stop', 'mine', 'Speak this message']);
    expect(namesOf('alice', '@bob')).toEqual(['say', 'mine', 'Speak this message']);
    expect(namesOf('bob', '@alice,@frank')).toEqual([]);
    world.member('alice').uninstallsApp();
    expect(namesOf('alice', '@bob,@frank')).toEqual([]);
  });

  it('in a server without the bot only to users that installed it', () => {
    const elsewhere = world.newServer('Elsewhere', { bot: false });
    const zoe = elsewhere.newMember('zoe');
    expect(zoe.seesCommands()).toEqual([]);
    expect(zoe.seesCommands({ in: '@bot' })).toEqual([]);
    zoe.installsApp();
    expect(zoe.seesCommands().map(({ name }) => name)).toEqual(['say', 'mine', 'Speak this message']);
    expect(zoe.seesCommands({ in: '@bot' }).map(({ name }) => name)).toEqual(['say', 'mine', 'Speak this message']);
  });
});

// https://discord.com/developers/docs/interactions/application-commands#localization
describe('a command in another language', () => {
  it('is described, and its choices are picked, in the language of the person', async () => {
    const choices = [{ name: 'File', name_localizations: { de: 'Datei' }, value: 'file' }];
    const option = { type: 3, name: 'as', description: 'How', description_localizations: { de: 'Wie' }, choices };
    const command = {
      name: 'say',
      description: 'Speak',
      description_localizations: { de: 'Sprechen' },
      options: [option],
    };
    await call(world, 'PUT', `/applications/${world.bot.applicationId}/commands`, [command]);
    const alice = world.member('alice');
    expect(alice.seesCommands()).toMatchObject([{ description: 'Speak', options: [{ choices: ['File'] }] }]);
    alice.setsLanguage('de');
    expect(alice.seesCommands()).toMatchObject([
      { name: 'say', description: 'Sprechen', options: [{ name: 'as', description: 'Wie', choices: ['Datei'] }] },
    ]);
    const sent = await alice.types('/say as:Datei');
    expect((await interaction(sent.id)).data.options).toMatchObject([{ value: 'file' }]);
  });
});

// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-interaction-structure
describe('an interaction tells where it comes from', () => {
  it('in direct messages with the bot', async () => {
    const alice = world.member('alice');
    const sent = await alice.types('/say', { in: '@bot' });
    const received = await interaction(sent.id);
    expect(received).toMatchObject({
      context: 1,
      user: { username: 'alice' },
      channel: { type: 1 },
      authorizing_integration_owners: { 0: '0' },
      app_permissions: String((1 << 15) | (1 << 14) | (1 << 17) | (1 << 18)),
      attachment_size_limit: 10 * 1024 * 1024,
    });
    expect(received).not.toHaveProperty('guild_id');
    expect(received).not.toHaveProperty('member');
    await answer(sent.id, { type: 4, data: { content: 'here' } });
    expect(alice.sees('@bot').map(({ content }) => content)).toEqual(['here']);
    expect((await gateway.event('MESSAGE_CREATE')).d.guild_id).toBeUndefined();
  });

  it('in people’s private channels, with messages that the bot never sees', async () => {
    const alice = world.member('alice');
    alice.installsApp();
    const sent = await alice.types('/say', { in: '@bob' });
    expect(await interaction(sent.id)).toMatchObject({
      context: 2,
      channel: { type: 1, recipients: [{ username: 'bob' }] },
      authorizing_integration_owners: { 1: alice.id },
      app_permissions: String((1 << 15) | (1 << 14) | (1 << 17)),
    });
    await answer(sent.id, { type: 4, data: { content: 'hi both', components: [row('again')] } });
    const [seen] = world.member('bob').sees('@alice');
    expect(seen?.content).toBe('hi both');
    const { body } = await call(world, 'GET', `/channels/${seen?.channelId}/messages`);
    expect(body.code).toBe(50001);
    if (!seen) throw new Error('unreachable');
    const pressed = await world.member('bob').presses(seen, 'again');
    expect(await interaction(pressed.id)).toMatchObject({
      user: { username: 'bob' },
      authorizing_integration_owners: { 1: alice.id },
    });
    await expect(world.member('frank').presses(seen, 'again')).rejects.toThrow(/cannot see/);
  });

  it('in a server without the bot', async () => {
    const elsewhere = world.newServer('Elsewhere', { bot: false });
    const alice = elsewhere.member('alice');
    alice.installsApp();
    const sent = await alice.types('/say');
    const received = await interaction(sent.id);
    expect(received).toMatchObject({
      context: 0,
      guild_id: elsewhere.guildId,
      member: { user: { username: 'alice' } },
      authorizing_integration_owners: { 1: alice.id },
    });
    await answer(sent.id, { type: 4, data: { content: 'public' } });
    expect(await sent.reply(soon)).toMatchObject({ content: 'public', ephemeral: false });
    expect(gateway.received.filter(({ t }) => t === 'GUILD_CREATE')).toHaveLength(1);
  });

  it('and is answered for one pair of eyes where Use External Apps is denied', async () => {
    const elsewhere = world.newServer('Elsewhere', { bot: false });
    elsewhere.setRolePermissions('@everyone', ['ViewChannel', 'SendMessages', 'UseApplicationCommands']);
    const alice = elsewhere.member('alice');
    alice.installsApp();
    const sent = await alice.types('/say');
    await answer(sent.id, { type: 4, data: { content: 'public' } });
    expect((await sent.reply(soon)).ephemeral).toBe(true);
  });

  it('and takes five follow-ups where only the user has installed it: 40094', async () => {
    world.member('alice').installsApp();
    const sent = await world.member('alice').types('/say', { in: '@bob' });
    const { token } = await interaction(sent.id);
    await answer(sent.id, { type: 4, data: { content: 'first' } });
    const followUp = () => {
      clock.advance(1_000);
      return call(world, 'POST', `/webhooks/${world.bot.applicationId}/${token}`, { content: 'x' }, { token: null });
    };
    for (let sentSoFar = 0; sentSoFar < 5; sentSoFar += 1) expect((await followUp()).status).toBe(200);
    expect((await followUp()).body.code).toBe(40094);
  });

  it('with the limit of the server for files', async () => {
    world.setAttachmentLimit(4);
    const sent = await world.member('alice').types('/say');
    const { token, attachment_size_limit } = await interaction(sent.id);
    expect(attachment_size_limit).toBe(4);
    const answer = form({ type: 4, data: {} }, { name: 'a.txt', type: 'text/plain', bytes: Buffer.from('12345') });
    const { status, body } = await call(world, 'POST', `/interactions/${sent.id}/${token}/callback`, answer, {
      token: null,
    });
    expect([status, body.code]).toEqual([413, 40005]);
  });

  it('and in which language', async () => {
    world.member('alice').setsLanguage('de');
    world.setLanguage('es-ES');
    const sent = await world.member('alice').types('/say');
    expect(await interaction(sent.id)).toMatchObject({ locale: 'de', guild_locale: 'es-ES' });
    expect((await gateway.event('GUILD_UPDATE')).d.preferred_locale).toBe('es-ES');
  });
});

const row = (label: string) => ({ type: 1, components: [{ type: 2, style: 1, custom_id: label, label }] });

// https://discord.com/developers/docs/resources/user#create-dm
describe("the bot's direct messages", () => {
  async function writeTo(id: string) {
    const { body: channel } = await call(world, 'POST', '/users/@me/channels', { recipient_id: id });
    return call(world, 'POST', `/channels/${channel.id}/messages`, { content: 'hello' });
  }

  it('are the same channel that the person writes in', async () => {
    const alice = world.member('alice');
    alice.says('hey', { in: '@bot' });
    const { d } = await gateway.event('MESSAGE_CREATE');
    // Without the MessageContent intent: direct messages are always readable.
    expect(d.content).toBe('hey');
    expect((await writeTo(alice.id)).body.channel_id).toBe(d.channel_id);
    expect(alice.sees('@bot').map(({ content }) => content)).toEqual(['hey', 'hello']);
  });

  it('do not reach users that refuse them: 50007', async () => {
    world.member('alice').takesDirectMessages(false);
    expect((await writeTo(world.member('alice').id)).body.code).toBe(50007);
  });

  it('do not reach strangers: 50278, unless they installed the bot', async () => {
    const zoe = world.newServer('Elsewhere', { bot: false }).newMember('zoe');
    expect((await writeTo(zoe.id)).body.code).toBe(50278);
    zoe.installsApp();
    expect((await writeTo(zoe.id)).status).toBe(200);
  });
});
