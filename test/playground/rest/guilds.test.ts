import { beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../../src/playground/world/world.ts';
import { openWorld } from '../../discord/logged-in.ts';
import { createManualClock } from '../../pace/manual-clock.ts';
import { call, logIn, type RawGateway, refusals } from '../raw-client.ts';

let world: World;
let gateway: RawGateway;
const clock = createManualClock();

beforeEach(async () => {
  world = await openWorld({ clock });
  gateway = await logIn(world);
});

const guild = (rest = '') => `/guilds/${world.guildId}${rest}`;

async function botJoins(channel: string): Promise<void> {
  const { id: channel_id } = world.channel(channel);
  gateway.send(4, { guild_id: world.guildId, channel_id, self_mute: false, self_deaf: true });
  await world.channel(channel).hasBot(true, { timeoutMs: 1_000 });
}

// https://discord.com/developers/docs/resources/guild
it('a server that the bot is not in is unknown, and one in an outage out of reach', async () => {
  expect(await call(world, 'GET', '/guilds/1')).toMatchObject({ status: 404, body: { code: 10004 } });
  const end = world.outage();
  expect(await call(world, 'GET', guild())).toMatchObject({ status: 403, body: { code: 50001 } });
  end();
  expect((await call(world, 'GET', guild())).status).toBe(200);
});

it('users that are no members are distinguished from users that do not exist', async () => {
  expect(await call(world, 'GET', guild('/members/1'))).toMatchObject({ status: 404, body: { code: 10013 } });
  const { id } = world.newMember('mia');
  world.removeMember('mia');
  expect(await call(world, 'GET', guild(`/members/${id}`))).toMatchObject({ status: 404, body: { code: 10007 } });
});

// https://discord.com/developers/docs/resources/voice#modify-current-user-voice-state
describe("the bot's voice state on a stage", () => {
  const state = () => call(world, 'GET', guild('/voice-states/@me'));
  const change = (body: object) =>
    call(world, 'PATCH', guild('/voice-states/@me'), { channel_id: world.channel('Stage').id, ...body });

  it('starts suppressed; speaking needs Mute Members, and a hand is raised with Request to Speak', async () => {
    await botJoins('Stage');
    expect((await state()).body.suppress).toBe(true);
    expect(await change({ suppress: false })).toMatchObject({ status: 403, body: { code: 50013 } });
    world.channel('Stage').allowBot('MuteMembers');
    expect((await change({ suppress: false })).status).toBe(204);
    expect(world.bot.suppressed).toBe(false);
    const request_to_speak_timestamp = '2026-01-15T12:00:00.000000+00:00';
    expect((await change({ request_to_speak_timestamp })).status).toBe(204);
    expect((await state()).body).toMatchObject({ request_to_speak_timestamp });
    expect(refusals(await change({ request_to_speak_timestamp: 'soon' }))).toEqual([
      'request_to_speak_timestamp DATE_TIME_TYPE_PARSE',
    ]);
    world.channel('Stage').denyBot('RequestToSpeak');
    expect(await change({ request_to_speak_timestamp })).toMatchObject({ status: 403, body: { code: 50013 } });
  });

  it('is that of the channel the bot is in: 10065 for another stage, 10003 for no channel, 50024 for no stage', async () => {
    const refusal = async (body: object) => (await change({ suppress: true, ...body })).body.code;
    expect([await refusal({}), (await state()).body.code]).toEqual([10065, 10065]);
    await botJoins('Stage');
    expect(await refusal({ channel_id: world.newChannel('Second stage', 'stage').id })).toBe(10065);
    expect(await refusal({ channel_id: '1' })).toBe(10003);
    await botJoins('General');
    expect(await refusal({ channel_id: world.channel('General').id })).toBe(50024);
  });
});
