import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';
import { call, codesAt, logIn, type RawGateway } from '../raw-client.ts';

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
  it('that the bot is not in is unknown', async () => {
    expect(await call(world, 'GET', '/guilds/1')).toMatchObject({ status: 404, body: { code: 10004 } });
  });

  it('distinguishes users that are no members from users that do not exist', async () => {
    expect(await call(world, 'GET', guild('/members/1'))).toMatchObject({ status: 404, body: { code: 10013 } });
    const { id } = world.newMember('mia');
    world.removeMember('mia');
    expect(await call(world, 'GET', guild(`/members/${id}`))).toMatchObject({ status: 404, body: { code: 10007 } });
  });

  it('in an outage is out of reach: 50001', async () => {
    const end = world.outage();
    expect(await call(world, 'GET', guild())).toMatchObject({ status: 403, body: { code: 50001 } });
    end();
    expect((await call(world, 'GET', guild())).status).toBe(200);
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
