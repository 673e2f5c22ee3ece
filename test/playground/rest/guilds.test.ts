import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';
import { call, codesAt, INTENTS, logIn, type RawGateway } from '../raw-client.ts';

let world: World;
let gateway: RawGateway;
const clock = createManualClock();

beforeEach(async () => {
  world = await startWorld({ clock });
  gateway = await logIn(world);
});
afterEach(() => world.close());

const guild = (rest = '') => `/guilds/${world.guildId}${rest}`;

async function botJoins(channel: string): Promise<void> {
  gateway.send(4, {
    guild_id: world.guildId,
    channel_id: world.channel(channel).id,
    self_mute: false,
    self_deaf: true,
  });
  await world.channel(channel).hasBot(true, { timeoutMs: 1_000 });
}

// https://discord.com/developers/docs/resources/guild
describe('a server', () => {
  it('shows its channels, roles and members', async () => {
    expect((await call(world, 'GET', guild())).body).toMatchObject({ id: world.guildId, name: 'Playground' });
    const channels = (await call(world, 'GET', guild('/channels'))).body as {
      name: string;
      type: number;
      user_limit?: number;
    }[];
    expect(channels.map(({ name, type }) => [name, type])).toEqual([
      ['general', 0],
      ['General', 2],
      ['Lounge', 2],
      ['Full', 2],
      ['Locked', 2],
      ['Quiet', 2],
      ['Stage', 13],
    ]);
    expect(channels.find(({ name }) => name === 'Full')?.user_limit).toBe(1);
    const alice = world.member('alice');
    expect((await call(world, 'GET', guild(`/members/${alice.id}`))).body.user.username).toBe('alice');
    expect((await call(world, 'GET', guild('/members/search?query=al'))).body).toHaveLength(1);
    for (const wrong of ['limit=5', 'query=al&limit=0', 'query=al&limit=1001']) {
      expect(await call(world, 'GET', guild(`/members/search?${wrong}`))).toMatchObject({
        status: 400,
        body: { code: 50035 },
      });
    }
  });

  it('that the bot is not in is unknown', async () => {
    expect(await call(world, 'GET', '/guilds/1')).toMatchObject({ status: 404, body: { code: 10004 } });
  });

  it('distinguishes users that are no members from users that do not exist', async () => {
    expect(await call(world, 'GET', guild('/members/1'))).toMatchObject({ status: 404, body: { code: 10013 } });
    const { id } = world.newMember('mia');
    world.removeMember('mia');
    expect(await call(world, 'GET', guild(`/members/${id}`))).toMatchObject({ status: 404, body: { code: 10007 } });
  });

  it('has no role of an unknown id', async () => {
    expect(await call(world, 'GET', guild('/roles/1'))).toMatchObject({ status: 404, body: { code: 10011 } });
  });

  // …#list-guild-members
  it('lists its members only with the GuildMembers intent switched on', async () => {
    expect(await call(world, 'GET', guild('/members?limit=10'))).toMatchObject({ status: 403, body: { code: 50001 } });
    const open = await startWorld({ privilegedIntents: ['GuildMembers'] });
    expect((await call(open, 'GET', `/guilds/${open.guildId}/members?limit=10`)).body).toHaveLength(5);
    await open.close();
  });

  it('is left by the bot: GUILD_DELETE without unavailable', async () => {
    await botJoins('General');
    expect((await call(world, 'DELETE', `/users/@me/guilds/${world.guildId}`)).status).toBe(204);
    expect((await gateway.event('GUILD_DELETE')).d).toEqual({ id: world.guildId });
    expect(world.bot.voiceChannel).toBeUndefined();
  });

  it('tells of members who come, get a role and leave, with the GuildMembers intent', async () => {
    const open = await startWorld({ privilegedIntents: ['GuildMembers'] });
    const watching = await logIn(open, { intents: INTENTS.guilds | INTENTS.guildMembers | INTENTS.voiceStates });
    const mia = open.newMember('mia', { nick: 'Mi' });
    expect((await watching.event('GUILD_MEMBER_ADD')).d).toMatchObject({ nick: 'Mi', user: { id: mia.id } });
    const role = open.giveRole('mia', 'readers');
    expect((await watching.event('GUILD_MEMBER_UPDATE')).d.roles).toEqual([role]);
    mia.joins('General');
    open.removeMember('mia');
    expect((await watching.event('GUILD_MEMBER_REMOVE')).d.user.id).toBe(mia.id);
    expect(open.channel('General').members).toEqual([]);
    await open.close();
  });

  it('that the bot was removed from can invite it again', async () => {
    world.removeBot();
    await gateway.event('GUILD_DELETE');
    expect(await call(world, 'GET', guild())).toMatchObject({ status: 404, body: { code: 10004 } });
    gateway.received.length = 0;
    world.inviteBot();
    expect((await gateway.event('GUILD_CREATE')).d.id).toBe(world.guildId);
  });

  it('in an outage is GUILD_DELETE with unavailable, and GUILD_CREATE afterwards', async () => {
    await botJoins('General');
    const end = world.outage();
    expect((await gateway.event('GUILD_DELETE')).d).toEqual({ id: world.guildId, unavailable: true });
    expect(world.bot.voiceChannel).toBe('General');
    world.member('alice').joins('Lounge');
    gateway.received.length = 0;
    end();
    expect((await gateway.event('GUILD_CREATE')).d.voice_states).toHaveLength(3);
    expect(gateway.received).toHaveLength(1);
  });

  it('in an outage is out of reach: 50001', async () => {
    const end = world.outage();
    expect(await call(world, 'GET', guild('/channels'))).toMatchObject({ status: 403, body: { code: 50001 } });
    end();
    expect((await call(world, 'GET', guild('/channels'))).status).toBe(200);
  });

  it('tells of changed permissions and channels', async () => {
    world.setBotPermissions(['ViewChannel']);
    expect((await gateway.event('GUILD_ROLE_UPDATE')).d.role.permissions).toBe('1024');
    world.channel('General').setUserLimit(3);
    expect((await gateway.event('CHANNEL_UPDATE')).d.user_limit).toBe(3);
  });
});

// https://discord.com/developers/docs/resources/guild#modify-guild-member
describe('members', () => {
  it('are renamed only with Manage Nicknames, and never the owner', async () => {
    const change = (name: string, nick = 'New') =>
      call(world, 'PATCH', guild(`/members/${world.member(name).id}`), { nick });
    expect(await change('alice')).toMatchObject({ status: 403, body: { code: 50013 } });
    world.setBotPermissions(['ManageNicknames']);
    expect((await change('alice')).body.nick).toBe('New');
    expect(codesAt(await change('alice', 'x'.repeat(33)), 'nick')).toEqual(['BASE_TYPE_MAX_LENGTH']);
    expect(await change('olga')).toMatchObject({ status: 403, body: { code: 50013 } });
  });

  it('the bot itself takes a nickname of at most 32 characters', async () => {
    expect((await call(world, 'PATCH', guild('/members/@me'), { nick: 'x'.repeat(33) })).body.code).toBe(50035);
    expect((await call(world, 'PATCH', guild('/members/@me'), { nick: 'Town crier' })).body.nick).toBe('Town crier');
    expect((await gateway.event('GUILD_MEMBER_UPDATE')).d.nick).toBe('Town crier');
  });

  it('are moved and disconnected with Move Members, to where the bot may connect', async () => {
    const alice = world.member('alice');
    alice.joins('General');
    const moved = (channel: string | null) =>
      call(world, 'PATCH', guild(`/members/${alice.id}`), { channel_id: channel && world.channel(channel).id });
    expect(await moved('Lounge')).toMatchObject({ status: 403, body: { code: 50013 } });
    world.setBotPermissions(['ViewChannel', 'Connect', 'MoveMembers']);
    expect(await moved('Locked')).toMatchObject({ status: 403, body: { code: 50013 } });
    expect(await moved('general')).toMatchObject({ status: 400, body: { code: 50024 } });
    const nowhere = await call(world, 'PATCH', guild(`/members/${alice.id}`), { channel_id: '1' });
    expect(nowhere).toMatchObject({ status: 404, body: { code: 10003 } });
    expect(alice.voiceChannel).toBe('General');
    expect((await moved('Lounge')).status).toBe(200);
    expect(alice.voiceChannel).toBe('Lounge');
    expect((await moved(null)).status).toBe(200);
    expect(alice.voiceChannel).toBeUndefined();
  });

  it('that are in no voice channel cannot be moved', async () => {
    world.setBotPermissions(['MoveMembers']);
    const answer = await call(world, 'PATCH', guild(`/members/${world.member('alice').id}`), { channel_id: null });
    expect(answer).toMatchObject({ status: 400, body: { code: 40032 } });
  });
});

// https://discord.com/developers/docs/resources/voice#modify-current-user-voice-state
describe("the bot's voice state on a stage", () => {
  const change = (body: object) =>
    call(world, 'PATCH', guild('/voice-states/@me'), { channel_id: world.channel('Stage').id, ...body });

  it('does not exist before it joined', async () => {
    expect(await change({ suppress: false })).toMatchObject({ status: 404, body: { code: 10065 } });
    expect(await call(world, 'GET', guild('/voice-states/@me'))).toMatchObject({ status: 404, body: { code: 10065 } });
  });

  it('starts suppressed; speaking needs Mute Members', async () => {
    await botJoins('Stage');
    expect((await call(world, 'GET', guild('/voice-states/@me'))).body.suppress).toBe(true);
    expect(await change({ suppress: false })).toMatchObject({ status: 403, body: { code: 50013 } });
    world.channel('Stage').allowBot('MuteMembers');
    expect((await change({ suppress: false })).status).toBe(204);
    expect(world.bot.suppressed).toBe(false);
  });

  it('may raise a hand with Request to Speak', async () => {
    await botJoins('Stage');
    const at = '2026-01-15T12:00:00.000000+00:00';
    expect((await change({ request_to_speak_timestamp: at })).status).toBe(204);
    expect((await call(world, 'GET', guild('/voice-states/@me'))).body.request_to_speak_timestamp).toBe(at);
    world.channel('Stage').denyBot('RequestToSpeak');
    expect(await change({ request_to_speak_timestamp: at })).toMatchObject({ status: 403, body: { code: 50013 } });
  });

  it('raises its hand at a time that can be read', async () => {
    await botJoins('Stage');
    const answer = await change({ request_to_speak_timestamp: 'soon' });
    expect([answer.status, codesAt(answer, 'request_to_speak_timestamp')]).toEqual([400, ['DATE_TIME_TYPE_PARSE']]);
  });

  it('is that of the channel the bot is in: 10065 for another stage, 10003 for none', async () => {
    await botJoins('Stage');
    const { id } = world.newChannel('Second stage', 'stage');
    expect(await change({ channel_id: id, suppress: true })).toMatchObject({ status: 404, body: { code: 10065 } });
    expect(await change({ channel_id: '1', suppress: true })).toMatchObject({ status: 404, body: { code: 10003 } });
  });

  it('cannot be changed in a channel that is no stage', async () => {
    await botJoins('General');
    const answer = await change({ channel_id: world.channel('General').id, suppress: false });
    expect(answer).toMatchObject({ status: 400, body: { code: 50024 } });
  });
});
