import { GatewayIntentBits } from 'discord-api-types/v10';
import { beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../../src/playground/world/world.ts';
import { openWorld } from '../../discord/logged-in.ts';
import { createManualClock } from '../../pace/manual-clock.ts';
import { call, connect, identified, identity, logIn, type RawGateway } from '../raw-client.ts';

let world: World;
const clock = createManualClock();

beforeEach(async () => {
  world = await openWorld({ clock });
});

async function sends(text: string): Promise<RawGateway> {
  const gateway = await connect(world);
  gateway.sendText(text);
  return gateway;
}

async function sendsLater(op: number, data: unknown): Promise<RawGateway> {
  const gateway = await logIn(world);
  gateway.send(op, data);
  return gateway;
}

/** https://discord.com/developers/docs/events/gateway#rate-limiting */
async function sendsTooMuch(): Promise<RawGateway> {
  const gateway = await logIn(world);
  for (let sent = 1; sent < 120; sent += 1) gateway.send(1, sent);
  await gateway.next(({ op }) => op === 11);
  gateway.send(1, 120);
  return gateway;
}

/** https://discord.com/developers/docs/events/gateway#resuming */
async function resumes(change: Record<string, unknown>, end: 'cut' | 1000 = 'cut'): Promise<RawGateway> {
  const first = await logIn(world);
  const ready = await first.event('READY');
  if (end === 'cut') first.cut();
  else first.close(end);
  await first.closed();
  const second = await connect(world);
  second.send(6, { token: world.botEnv.DISCORD_TOKEN, session_id: ready.d.session_id, seq: 1, ...change });
  return second;
}

// https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
it.each<[what: string, connection: () => Promise<RawGateway>]>([
  ['4001 on an unknown opcode', () => sends(JSON.stringify({ op: 99, d: {} }))],
  ['4002 on what is not JSON', () => sends('hello?')],
  ['4002 on a payload over 4096 bytes', () => sends(JSON.stringify({ op: 3, d: { status: 'x'.repeat(4096) } }))],
  ['4002 on a voice state without its server', () => sendsLater(4, { channel_id: null })],
  ['4002 on an encoding that is not spoken here', () => connect(world, '?v=10&encoding=etf')],
  ['4002 on resuming without a sequence', () => resumes({ seq: undefined })],
  ['4003 on anything before identifying', () => sends(JSON.stringify({ op: 4, d: { guild_id: '1' } }))],
  ['4004 on a wrong token', () => identified(world, { token: 'wrong' })],
  ['4005 on a second identify', () => sendsLater(2, identity(world))],
  ['4007 on resuming with a sequence that was never sent', () => resumes({ seq: 99 })],
  ['4008 on the 121st event within 60 seconds', sendsTooMuch],
  ['4009 when no heartbeat comes', async () => connect(await openWorld({ clock, heartbeatIntervalMs: 30 }))],
  ['4010 on a shard beyond the number of shards', () => identified(world, { shard: [1, 1] })],
  ['4012 on a version that is not spoken here', () => connect(world, '?v=6')],
  ['4013 without intents', () => identified(world, { intents: undefined })],
  [
    '4014 on an intent not switched on in the portal',
    () => identified(world, { intents: GatewayIntentBits.MessageContent }),
  ],
])('the gateway closes with %s', async (what, connection) => {
  expect(await (await connection()).closed()).toBe(Number(what.slice(0, 4)));
});

it.each([
  ['of an unknown session', { session_id: 'unknown' }, 'cut'],
  ['after the client closed with 1000', {}, 1000],
] as const)('resuming %s gets op 9 false', async (_, change, end) => {
  const gateway = await resumes(change, end);
  expect((await gateway.next(({ op }) => op === 9)).d).toBe(false);
});

describe('a session receives', () => {
  // https://discord.com/developers/docs/events/gateway#gateway-intents
  it('leaves out voice states without the GuildVoiceStates intent', async () => {
    world.member('alice').joins('General');
    const gateway = await logIn(world, { intents: GatewayIntentBits.Guilds });
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

  it('is begun with others by shard id modulo max_concurrency; in a strict world, an ended one counts for 5 s', async () => {
    const large = await openWorld({ clock, strictIdentify: true, sessionStarts: { maxConcurrency: 2 } });
    for (const shard of [0, 1]) {
      const begun = await identified(large, { shard: [shard, 4] });
      await begun.event('READY');
      begun.close(1000);
      await begun.closed();
    }
    const third = await identified(large, { shard: [2, 4] });
    expect((await third.next(({ op }) => op === 9)).d).toBe(false);
    expect([large.bot.identifies, large.bot.refusedIdentifies]).toEqual([2, 1]);
    await clock.advance(5_000);
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
    await clock.advance(3_600_000);
    expect(await limit()).toEqual({ total: 3, remaining: 1, reset_after: 82_800_000, max_concurrency: 16 });
    await clock.advance(82_800_000);
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
