import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';
import { call, INTENTS, interactionOf, logIn, type RawGateway } from '../raw-client.ts';

let world: World;
let gateway: RawGateway;
const clock = createManualClock();

const COMMANDS = [
  { name: 'say', description: 'Speak' },
  { name: 'settings', description: 'x', default_member_permissions: '32' },
];

beforeEach(async () => {
  world = await startWorld({ clock });
  gateway = await logIn(world, { intents: INTENTS.guilds | INTENTS.voiceStates });
  await call(world, 'PUT', `/applications/${world.bot.applicationId}/commands`, COMMANDS);
});
afterEach(() => world.close());

const sees = (who: string, place = 'general') =>
  world
    .member(who)
    .seesCommands({ in: place })
    .map(({ name }) => name);

// https://discord.com/developers/docs/interactions/application-commands#permissions
describe('an admin says in the server settings', () => {
  it('the members that may use a command, whatever the bot registered', async () => {
    const olga = world.member('olga');
    expect(sees('alice')).toEqual(['say']);
    world.giveRole('alice', 'Readers');
    olga.setsCommandPermissions('settings', { roles: { Readers: true } });
    expect(sees('alice')).toEqual(['say', 'settings']);
    olga.setsCommandPermissions('settings', { roles: { Readers: true }, members: { alice: false } });
    expect(sees('alice')).toEqual(['say']);
    olga.setsCommandPermissions('say', { roles: { '@everyone': false }, members: { bob: true } });
    expect([sees('alice'), sees('bob')]).toEqual([[], ['say']]);
    expect(sees('olga')).toEqual(['say', 'settings']);
    const { d } = await gateway.event('APPLICATION_COMMAND_PERMISSIONS_UPDATE');
    expect(d).toMatchObject({ guild_id: world.guildId, permissions: [{ type: 1, permission: true }] });
  });

  it('where all commands may be used, but for those with permissions of their own', async () => {
    const olga = world.member('olga');
    olga.setsCommandPermissions(undefined, { channels: { 'all channels': false, General: true } });
    expect([sees('alice'), sees('alice', 'General')]).toEqual([[], ['say']]);
    olga.setsCommandPermissions('say', { channels: { Lounge: false } });
    expect([sees('alice'), sees('alice', 'Lounge')]).toEqual([['say'], []]);
    const base = `/applications/${world.bot.applicationId}/guilds/${world.guildId}/commands`;
    expect((await call(world, 'GET', `${base}/permissions`)).body).toHaveLength(2);
    const settings = world.bot.commands.find(({ name }) => name === 'settings');
    expect((await call(world, 'GET', `${base}/${settings?.id}/permissions`)).body.code).toBe(10066);
    olga.setsCommandPermissions('say', {});
    expect(sees('alice')).toEqual([]);
  });

  it('nothing unless allowed to manage the server', () => {
    expect(() => world.member('alice').setsCommandPermissions('say', {})).toThrow(/may not/);
  });
});

describe('roles and overwrites', () => {
  it('are given, changed and taken away', async () => {
    const role = world.giveRole('alice', 'Loud', ['MuteMembers']);
    world.setRolePermissions('Loud', ['ManageGuild']);
    expect(sees('alice')).toEqual(['say', 'settings']);
    expect((await gateway.event('GUILD_ROLE_UPDATE')).d.role).toMatchObject({ id: role, permissions: '32' });
    world.takeRole('alice', 'Loud');
    expect(sees('alice')).toEqual(['say']);
    world.giveRole('bot', 'Loud');
    expect((await gateway.event('GUILD_MEMBER_UPDATE')).d.roles).toContain(role);
    world.deleteRole('Loud');
    expect((await gateway.event('GUILD_ROLE_DELETE')).d.role_id).toBe(role);
  });

  it('of a channel hide it from a role, and from its threads', async () => {
    const general = world.channel('general');
    world.newThread('general', 'Topic');
    expect((await gateway.event('THREAD_CREATE')).d).toMatchObject({ type: 11, parent_id: general.id, name: 'Topic' });
    general.setOverwrite('@everyone', { deny: ['ViewChannel'] });
    expect((await gateway.event('CHANNEL_UPDATE')).d.permission_overwrites).toMatchObject([{ id: world.guildId }]);
    expect(() => world.member('alice').says('x')).toThrow(/cannot see/);
    expect(() => world.member('alice').says('x', { in: 'Topic' })).toThrow(/cannot see/);
    general.setOverwrite('alice', { allow: ['ViewChannel'] });
    world.member('alice').says('x', { in: 'Topic' });
    general.setOverwrite('@everyone', {});
    world.member('bob').says('x');
  });
});

describe('a moderator', () => {
  it('can let a member speak on stages only, and disconnect only members in voice', () => {
    const olga = world.member('olga');
    expect(() => olga.invitesToSpeak('alice')).toThrow('alice is in no voice channel');
    expect(() => olga.disconnects('alice')).toThrow('alice is in no voice channel');
    world.member('alice').joins('General');
    expect(() => olga.invitesToSpeak('alice')).toThrow('alice is in General, which is no stage');
    expect(() => olga.movesToAudience('alice')).toThrow('alice is in General, which is no stage');
  });

  it('mutes and deafens members, and moves speakers to the audience', async () => {
    const olga = world.member('olga');
    world.member('alice').joins('Stage');
    world.member('alice').raisesHand();
    const of = (flag: string, value: unknown) =>
      gateway.next(
        ({ t, d }) => t === 'VOICE_STATE_UPDATE' && d.user_id === world.member('alice').id && d[flag] === value,
      );
    expect((await of('suppress', true)).d.channel_id).toBe(world.channel('Stage').id);
    await gateway.next(({ d }) => typeof d?.request_to_speak_timestamp === 'string');
    olga.invitesToSpeak('alice');
    await of('suppress', false);
    olga.movesToAudience('alice');
    olga.serverDeafens('alice', true);
    await of('deaf', true);
    olga.serverMutes('alice', true);
    await of('mute', true);
    world.member('alice').deafensSelf(true);
    await of('self_deaf', true);
    world.member('alice').mutesSelf(true);
    await of('self_mute', true);
    expect(() => world.member('alice').serverMutes('bob', true)).toThrow(/may not/);
    expect(() => olga.serverMutes('bot', true)).toThrow(/no voice channel/);
  });

  it('sends members and the bot away', async () => {
    const olga = world.member('olga');
    olga.kicks('bob');
    expect(() => world.member('bob')).toThrow(/no member/);
    olga.timesOut('alice', 60_000);
    expect(() => world.member('alice').says('x')).toThrow(/may not write/);
    clock.advance(60_001);
    world.member('alice').says('x');
    olga.kicks('bot');
    expect((await gateway.event('GUILD_DELETE')).d.id).toBe(world.guildId);
  });
});

describe('a modified client', () => {
  it('sends components and modals that were never there, on a message that the person may not even see', async () => {
    const alice = world.member('alice');
    const sent = async (component: Parameters<typeof alice.forges>[0]) =>
      interactionOf(gateway, (await alice.forges(component)).id);
    expect(await sent({ customId: 'settings:reset' })).toMatchObject({
      type: 3,
      data: { custom_id: 'settings:reset', component_type: 2 },
      member: { user: { username: 'alice' } },
      message: { author: { username: 'Crier' } },
    });
    expect(await sent({ customId: 'pick', kind: 'string', values: ['x'], in: '@bot' })).toMatchObject({
      context: 1,
      data: { component_type: 3, values: ['x'] },
    });
    const others = world.member('bob').says('hidden');
    expect(await sent({ customId: 'm', kind: 'modal', fields: { word: 'x' }, message: others })).toMatchObject({
      type: 5,
      data: { custom_id: 'm', components: [{ component: { custom_id: 'word', value: 'x' } }] },
      message: { id: others.messageId },
    });
    expect(world.channel('general').messages.map(({ content }) => content)).toEqual(['hidden']);
  });

  it('uses commands that it is not shown', async () => {
    const alice = world.member('alice');
    await expect(alice.command('settings')).rejects.toThrow(/no command/);
    const sent = await alice.forcesCommand('settings');
    expect((await interactionOf(gateway, sent.id)).data.name).toBe('settings');
  });
});

describe('a new server', () => {
  it('names its system channel', async () => {
    const second = world.newServer('Second');
    const { d } = await gateway.next(({ t, d }) => t === 'GUILD_CREATE' && d.id === second.guildId);
    expect(d.system_channel_id).toBe(second.channel('general').id);
    second.setSystemChannel(undefined);
    expect((await gateway.event('GUILD_UPDATE')).d.system_channel_id).toBeNull();
  });

  it('may be another person’s, who manages it', () => {
    const second = world.newServer('Second', { owner: 'bob' });
    second.member('bob').kicks('alice');
    expect(() => second.member('olga').kicks('frank')).toThrow(/may not/);
    expect(() => world.newServer('Third', { owner: 'nobody' })).toThrow(/nobody/);
  });

  it('may invite the bot later', async () => {
    const second = world.newServer('Second', { bot: false });
    second.inviteBot();
    const { d } = await gateway.next(({ t, d }) => t === 'GUILD_CREATE' && d.id === second.guildId);
    expect(d.members.map(({ user }: { user: { username: string } }) => user.username)).toContain('Crier');
  });
});

// https://discord.com/developers/docs/topics/teams
describe('the application', () => {
  it('belongs to one person', async () => {
    for (const path of ['/applications/@me', '/oauth2/applications/@me']) {
      expect((await call(world, 'GET', path)).body).toMatchObject({ owner: { username: 'olga' }, team: null });
    }
  });

  it('or to a team', async () => {
    const ours = await startWorld({ clock, team: { name: 'Us', members: { olga: 'owner', bob: 'developer' } } });
    const { body } = await call(ours, 'GET', '/applications/@me');
    await ours.close();
    expect(body.team).toMatchObject({ name: 'Us', owner_user_id: ours.member('olga').id });
    expect(body.team.members).toMatchObject([{ role: 'admin' }, { role: 'developer', user: { username: 'bob' } }]);
    expect(body.owner.username).toBe(`team${body.team.id}`);
  });
});
