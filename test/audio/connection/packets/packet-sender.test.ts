import { setImmediate } from 'node:timers/promises';
import type { ConnectionData, VoiceConnection } from '@discordjs/voice';
import { describe, expect } from 'vitest';
import { SILENCE_PACKET } from '../../../../src/audio/clips/clip.ts';
import { createDaveGate, type DaveGate } from '../../../../src/audio/connection/dave.ts';
import { PacketSender } from '../../../../src/audio/connection/packets/packet-sender.ts';
import type { Gate } from '../../../../src/audio/playing/clip-player.ts';
import { packetsOf } from '../../opus-sounds.ts';
import { speechLike } from '../../sounds.ts';
import { speech, test, type VoiceWorld } from '../voice-world.ts';

/** Connected, and past its lead-in. */
async function inCall(world: VoiceWorld) {
  const listener = world.listens();
  const session = await world.join();
  await expect.poll(() => listener.heard().packets.length).toBeGreaterThanOrEqual(10);
  listener.clear();
  const { connection, ready } = world.transport();
  return { listener, session, connection, data: ready.connectionData };
}

const nothing = () => undefined;

function outletOf(
  connection: VoiceConnection,
  gate: Pick<DaveGate, 'state'> = createDaveGate(connection, 5_000, nothing),
): PacketSender {
  const outlet = new PacketSender(nothing, nothing);
  outlet.open(connection, gate);
  return outlet;
}

describe('sending without the library', () => {
  // The library starts time anew.
  test('sequence and time run on over the wrap of both counters', async ({ world }) => {
    world.makeStage();
    const { listener, session, connection, data } = await inCall(world);
    world.server.forgetCounters(world.bot);
    data.sequence = 0xfffe;
    data.timestamp = 2 ** 32 - 1_000;
    const outlet = outletOf(connection);
    for (let i = 0; i < 4; i++) expect(outlet.send(SILENCE_PACKET)).toBe(true);
    await expect.poll(() => listener.heard().packets.length).toBe(4);
    expect(listener.heard().packets.map(({ sequence, timestamp }) => [sequence, timestamp])).toEqual([
      [0xfffe, 2 ** 32 - 1_000],
      [0xffff, 2 ** 32 - 40],
      [0, 920],
      [1, 1_880],
    ]);
    await session.leave();
    expect(outlet.send(SILENCE_PACKET)).toBe(false);
  });
});

describe('packets of an encrypted call', () => {
  test('are sealed ahead, and thrown away where another packet comes, or something was heard', async ({ world }) => {
    const { listener, session, connection, data } = await inCall(world);
    await expect.poll(() => session.encryption).toBe('end-to-end');
    const outlet = outletOf(connection);
    const [one, other] = [speech, await packetsOf(speechLike(24_000, 0.3))];
    let sent = 0;
    /** How many nonces sending it took: its own, and those of what was sealed after it. */
    const send = async (clip: readonly Uint8Array[], at: number) => {
      const before = data.nonce;
      expect(outlet.send(Buffer.from(clip[at] ?? []), clip, at + 1)).toBe(true);
      sent += 1;
      await setImmediate();
      return data.nonce - before;
    };
    // The first time one to eight, so that players who begin together do not seal together for ever.
    const first = (await send(one, 0)) - 1;
    expect(first).toBeGreaterThanOrEqual(1);
    for (let at = 1; at < first; at++) expect(await send(one, at)).toBe(0);
    expect(await send(one, first)).toBe(8);
    expect([await send(one, first + 1), await send(one, first + 2)]).toEqual([0, 0]);
    // Another text, then again the first one.
    expect(await send(other, 0)).toBe(9);
    expect(await send(one, first + 3)).toBe(9);
    expect(await send(one, first + 4)).toBe(0);
    outlet.heard();
    expect(await send(one, first + 5)).toBe(9);
    // Near its end there are fewer.
    outlet.heard();
    expect(await send(one, one.length - 2)).toBe(2);
    expect(await send(one, one.length - 1)).toBe(0);

    await expect.poll(() => listener.heard().packets.length).toBe(sent);
    expect(listener.heard()).toMatchObject({ lostPackets: 0, undecryptableFrames: 0, unencryptedFrames: 0 });
    const { packets } = listener.heard();
    for (const [i, packet] of packets.slice(1).entries()) {
      expect((packet.timestamp - (packets[i]?.timestamp ?? 0)) >>> 0).toBe(960);
    }
    expect(world.server.faults).toEqual([]);
  });
});

describe('counters that do not run on', () => {
  test.for([
    ['Repeated nonce', (data: ConnectionData) => (data.nonce -= 1)],
    ['Sequence goes back', (data: ConnectionData) => (data.sequence = (data.sequence - 1) & 0xffff)],
    ['Timestamp jumps', (data: ConnectionData) => (data.timestamp = (data.timestamp + 2 ** 31) >>> 0)],
    ['Timestamp jumps', (data: ConnectionData) => (data.timestamp = (data.timestamp + 3_600 * 48_000) >>> 0)],
  ] as const)('%s: the voice server closes the connection', async ([reason, change], { world }) => {
    world.makeStage();
    const { connection, data } = await inCall(world);
    const outlet = outletOf(connection);
    outlet.send(SILENCE_PACKET);
    expect(world.server.faults).toEqual([]);
    change(data);
    outlet.send(SILENCE_PACKET);
    await expect.poll(() => world.server.faults).toContainEqual({ closeCode: 4020, reason });
  });
});

describe('the gate', () => {
  test('is looked at in every turn while it is shut, and then when something was heard', async ({ world }) => {
    world.makeStage();
    await world.join();
    const { connection } = world.transport();
    let state: Gate = 'hold';
    let looks = 0;
    const look = () => {
      looks += 1;
      return state;
    };
    const outlet = outletOf(connection, { state: look });
    const ask = () => Array.from({ length: 5 }, () => outlet.gate());
    expect([ask().at(-1), looks]).toEqual(['hold', 5]);
    state = 'encrypted';
    expect([ask().at(-1), looks]).toEqual(['encrypted', 6]);
    state = 'hold';
    expect([ask().at(-1), looks]).toEqual(['encrypted', 6]);
    outlet.heard();
    expect([ask().at(-1), looks]).toEqual(['hold', 11]);
    outlet.close();
    expect([outlet.gate(), outlet.send(SILENCE_PACKET), looks]).toEqual(['hold', false, 11]);
  });
});
