import { beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../../src/playground/world/world.ts';
import { openWorld } from '../../discord/logged-in.ts';
import { createManualClock } from '../manual-clock.ts';
import { call, connect, INTENTS, identified, identity, logIn } from '../raw-client.ts';

let world: World;
const clock = createManualClock();

beforeEach(async () => {
  world = await openWorld({ clock });
});

// https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
describe('the gateway closes', () => {
  it.each([
    ['4001 on an unknown opcode', 4001, JSON.stringify({ op: 99, d: {} })],
    ['4002 on what is not JSON', 4002, 'hello?'],
    ['4002 on a payload over 4096 bytes', 4002, JSON.stringify({ op: 3, d: { status: 'x'.repeat(4096) } })],
    ['4003 on anything before identifying', 4003, JSON.stringify({ op: 4, d: { guild_id: '1', channel_id: null } })],
  ])('with %s', async (_, code, text) => {
    const gateway = await connect(world);
    gateway.sendText(text);
    expect(await gateway.closed()).toBe(code);
  });

  it.each([
    ['4004 on a wrong token', 4004, { token: 'wrong' }],
    ['4010 on a shard beyond the number of shards', 4010, { shard: [1, 1] }],
    ['4013 without intents', 4013, { intents: undefined }],
    ['4014 on MessageContent that is not switched on in the portal', 4014, { intents: INTENTS.messageContent }],
  ])('with %s', async (_, code, change) => {
    expect(await (await identified(world, change)).closed()).toBe(code);
  });

  it.each([
    ['4002 on a voice state without its server', 4002, 4, () => ({ channel_id: null })],
    ['4005 on a second identify', 4005, 2, () => identity(world)],
  ])('an open session with %s', async (_, code, op, data) => {
    const gateway = await logIn(world);
    gateway.send(op, data());
    expect(await gateway.closed()).toBe(code);
  });

  // https://discord.com/developers/docs/events/gateway#rate-limiting
  it('with 4008 on the 121st event within 60 seconds', async () => {
    const gateway = await logIn(world);
    for (let sent = 1; sent < 120; sent += 1) gateway.send(1, sent);
    await gateway.next(({ op }) => op === 11);
    gateway.send(1, 120);
    expect(await gateway.closed()).toBe(4008);
  });

  it('with 4009 when no heartbeat comes', async () => {
    const gateway = await connect(await openWorld({ clock, heartbeatIntervalMs: 30 }));
    expect(await gateway.closed()).toBe(4009);
  });

  it.each([
    ['?v=10&encoding=etf', 4002],
    ['?v=6', 4012],
  ])('a connection of %s, which is not spoken here, with %i', async (query, code) => {
    expect(await (await connect(world, query)).closed()).toBe(code);
  });
});

// https://discord.com/developers/docs/events/gateway#resuming
describe('resuming', () => {
  const resumption = async (change: Record<string, unknown>, end: 'cut' | 1000 = 'cut') => {
    const first = await logIn(world);
    const ready = await first.event('READY');
    if (end === 'cut') first.cut();
    else first.close(end);
    await first.closed();
    const second = await connect(world);
    second.send(6, { token: world.botEnv.DISCORD_TOKEN, session_id: ready.d.session_id, seq: 1, ...change });
    return second;
  };

  it.each([
    ['of an unknown session', { session_id: 'unknown' }, 'cut'],
    ['after the client closed with 1000', {}, 1000],
  ] as const)('%s gets op 9 false', async (_, change, end) => {
    const gateway = await resumption(change, end);
    expect((await gateway.next(({ op }) => op === 9)).d).toBe(false);
  });

  it.each([
    ['without its sequence', 4002, { seq: undefined }],
    ['with a sequence that was never sent', 4007, { seq: 99 }],
  ])('%s closes with %i', async (_, code, change) => {
    expect(await (await resumption(change)).closed()).toBe(code);
  });
});

describe('a session receives', () => {
  // https://discord.com/developers/docs/events/gateway#gateway-intents
  it('leaves out voice states without the GuildVoiceStates intent', async () => {
    world.member('alice').joins('General');
    const gateway = await logIn(world, { intents: INTENTS.guilds });
    expect((await gateway.event('GUILD_CREATE')).d.voice_states).toEqual([]);
    world.member('alice').leaves();
    world.newChannel('after', 'text');
    await gateway.event('CHANNEL_CREATE');
    expect(gateway.received.some(({ t }) => t === 'VOICE_STATE_UPDATE')).toBe(false);
  });

  // https://discord.com/developers/docs/events/gateway#message-content-intent
  it('leaves out the words of messages that do not mention the bot, without the MessageContent intent', async () => {
    const gateway = await logIn(world);
    world.member('alice').says('secret');
    world.member('alice').says(`<@${world.bot.userId}> hello`);
    const { d } = await gateway.next(({ d }) => d?.content?.includes('hello'));
    expect(d.content).toContain('hello');
    expect((await gateway.event('MESSAGE_CREATE')).d.content).toBe('');
  });

  // https://discord.com/developers/docs/events/gateway#sharding-max-concurrency
  it('is begun no sooner than 5 s after another one that is still open', async () => {
    const first = await logIn(world, { shard: [0, 1] });
    const second = await identified(world);
    expect((await second.next(({ op }) => op === 9)).d).toBe(false);
    expect(world.bot.identifies).toBe(1);
    first.close(1000);
    await first.closed();
    second.send(2, identity(world));
    await second.event('READY');
  });

  it('is begun no sooner than 5 s after any other one, when the world is strict', async () => {
    const strict = await openWorld({ clock, strictIdentify: true });
    const first = await logIn(strict);
    first.close(1000);
    await first.closed();
    const second = await identified(strict);
    await second.next(({ op }) => op === 9);
    clock.advance(5_000);
    second.send(2, identity(strict));
    await second.event('READY');
  });

  it('is begun with others by shard id modulo max_concurrency', async () => {
    const large = await openWorld({ clock, strictIdentify: true, sessionStarts: { maxConcurrency: 2 } });
    for (const shard of [0, 1]) await (await identified(large, { shard: [shard, 4] })).event('READY');
    const third = await identified(large, { shard: [2, 4] });
    expect((await third.next(({ op }) => op === 9)).d).toBe(false);
    expect([large.bot.identifies, large.bot.refusedIdentifies]).toEqual([2, 1]);
    clock.advance(5_000);
    third.send(2, identity(large, { shard: [2, 4] }));
    await third.event('READY');
  });
});

it.each(['Full', 'Locked'])('a voice state over op 4 is ignored without a word for %s', async (name) => {
  const gateway = await logIn(world);
  const { id: channel_id } = world.channel(name);
  gateway.send(4, { guild_id: world.guildId, channel_id, self_mute: false, self_deaf: true });
  gateway.send(1, null);
  await gateway.next(({ op }) => op === 11);
  expect(gateway.received.at(-1)?.op).toBe(11);
  expect(world.bot.voiceChannel).toBeUndefined();
});

describe('the session start limit', () => {
  it('counts those refused, and begins anew after 24 hours', async () => {
    const large = await openWorld({ clock, sessionStarts: { total: 3, maxConcurrency: 16 } });
    const limit = async () => (await call(large, 'GET', '/gateway/bot')).body.session_start_limit;
    expect(await limit()).toEqual({ total: 3, remaining: 3, reset_after: 0, max_concurrency: 16 });
    await logIn(large);
    const second = await identified(large);
    await second.next(({ op }) => op === 9);
    clock.advance(3_600_000);
    expect(await limit()).toEqual({ total: 3, remaining: 1, reset_after: 82_800_000, max_concurrency: 16 });
    clock.advance(82_800_000);
    expect(await limit()).toMatchObject({ remaining: 3, reset_after: 0 });
  });

  it('ends every session and the token when it is exceeded', async () => {
    const large = await openWorld({ clock, sessionStarts: { total: 1, maxConcurrency: 16 } });
    const first = await logIn(large, { shard: [0, 1] });
    const second = await identified(large);
    expect(await Promise.all([first.closed(), second.closed()])).toEqual([4004, 4004]);
    expect((await call(large, 'GET', '/gateway/bot')).status).toBe(401);
  });
});
