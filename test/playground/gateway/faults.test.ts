import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../../src/playground/world/world.ts';
import { connect, identity, logIn, type RawGateway } from '../raw-client.ts';

// https://discord.com/developers/docs/events/gateway#connections
let world: World;
let gateway: RawGateway;

beforeEach(async () => {
  world = await startWorld();
  gateway = await logIn(world);
});
afterEach(() => world.close());

/** Everything sent before has arrived once the heartbeat is answered. */
async function caughtUp(): Promise<string[]> {
  gateway.send(1, null);
  await gateway.next(({ op }) => op === 11);
  return gateway.received.flatMap(({ t }) => t ?? []);
}

describe('a gateway in trouble', () => {
  it('asks to reconnect with op 7', async () => {
    world.faults.askToReconnect();
    expect((await gateway.next(({ op }) => op === 7)).d).toBeNull();
  });

  it('tells the same thing twice, when asked to', async () => {
    const stop = world.faults.repeatEvent('CHANNEL_CREATE');
    world.newChannel('twice', 'text');
    stop();
    world.newChannel('once', 'text');
    const created = (await caughtUp()).filter((name) => name === 'CHANNEL_CREATE');
    expect(created).toHaveLength(3);
  });

  it.each([true, false])('invalidates the session with op 9 and %s', async (resumable) => {
    const { d } = await gateway.event('READY');
    world.faults.invalidateSession({ resumable });
    expect((await gateway.next(({ op }) => op === 9)).d).toBe(resumable);
    gateway.cut();
    const second = await connect(world);
    second.send(6, { token: world.botEnv.DISCORD_TOKEN, session_id: d.session_id, seq: 2 });
    if (resumable) await second.event('RESUMED');
    else expect((await second.next(({ op }) => op === 9)).d).toBe(false);
  });

  it('invalidated may be identified to anew on the same connection', async () => {
    world.faults.invalidateSession({ resumable: false });
    await gateway.next(({ op }) => op === 9);
    gateway.received.length = 0;
    gateway.send(2, identity(world));
    await gateway.event('GUILD_CREATE');
    expect(world.bot.identifies).toBe(2);
  });

  it('closes with the code it is told to', async () => {
    world.faults.closeGateway(4000);
    expect(await gateway.closed()).toBe(4000);
  });

  it('answers no heartbeat while told so', async () => {
    world.faults.answerHeartbeats(false);
    gateway.send(1, null);
    gateway.send(8, { guild_id: world.guildId, user_ids: [world.bot.userId] });
    await gateway.event('GUILD_MEMBERS_CHUNK');
    expect(gateway.received.some(({ op }) => op === 11)).toBe(false);
  });

  it.each(['READY', 'RESUMED'])('cannot delay, lose or repeat %s, and says so', (name) => {
    const { delayEvent, loseEvent, repeatEvent } = world.faults;
    for (const fault of [() => delayEvent(name, 30), () => loseEvent(name), () => repeatEvent(name)]) {
      expect(fault).toThrow(`${name} is not published`);
    }
  });

  it('refuses connections while told so', async () => {
    world.faults.refuseGateway(true);
    await expect(connect(world)).rejects.toThrow('503');
    world.faults.refuseGateway(false);
    await connect(world);
  });

  it('loses or delays events by name, until told to stop', async () => {
    const stopLosing = world.faults.loseEvent('VOICE_STATE_UPDATE');
    world.member('alice').joins('General');
    expect(await caughtUp()).not.toContain('VOICE_STATE_UPDATE');
    stopLosing();
    const stopDelaying = world.faults.delayEvent('VOICE_STATE_UPDATE', 30);
    const atMs = performance.now();
    world.member('alice').leaves();
    await gateway.event('VOICE_STATE_UPDATE');
    expect(performance.now() - atMs).toBeGreaterThan(28);
    stopDelaying();
  });
});
