import { beforeAll, describe, expect } from 'vitest';
import { clipFromPackets } from '../../../src/audio/clips/clip.ts';
import type { Heard } from '../../../src/playground/voice/server.ts';
import { packetsOf } from '../opus-sounds.ts';
import { speechLike } from '../sounds.ts';
import { BOB, CHANNEL } from './gateway.ts';
import { test, type VoiceWorld } from './voice-world.ts';

let speech: Uint8Array[];

beforeAll(async () => {
  speech = await packetsOf(speechLike(24_000, 0.6));
});

const hearing = { timeoutMs: 10_000, quietMs: 150 };
const callOf = ({ guildId }: VoiceWorld) => ({ guildId, channelId: CHANNEL });

/** Of each audible packet, whether it was end-to-end encrypted. */
const encryptedOf = ({ packets }: Heard) => packets.filter(({ audible }) => audible).map(({ encrypted }) => encrypted);

describe.concurrent('the protocol version of a call', () => {
  test('a call that goes to protocol version 0 and back in the midst of a clip hears all of it', async ({
    world,
    expect,
  }) => {
    const alice = world.listens();
    const session = await world.join();
    const playing = session.play(clipFromPackets([...speech, ...speech, ...speech]));
    await alice.audible(10, hearing);
    world.server.setProtocolVersion(callOf(world), 0);
    await expect.poll(() => encryptedOf(alice.heard()), { timeout: 10_000, interval: 10 }).toContain(false);
    expect(session.encryption).toBe('transport-only');
    world.server.setProtocolVersion(callOf(world), 1);
    expect(await playing).toMatchObject({ outcome: 'finished', encrypted: false });
    const heard = await alice.utterance(hearing);
    expect(heard).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0, lostPackets: 0 });
    const encrypted = encryptedOf(heard);
    expect(encrypted).toHaveLength(3 * speech.length);
    expect(encrypted.at(0)).toBe(true);
    expect(encrypted.at(-1)).toBe(true);
    expect(session.encryption).toBe('end-to-end');
    expect(world.gateway.requests).toHaveLength(1);
  });

  test('alone it goes to version 0; who joins then hears it in the clear, and encrypted when the call is back at version 1', async ({
    world,
  }) => {
    const session = await world.join();
    world.server.setProtocolVersion(callOf(world), 0);
    const bob = world.listens(BOB);
    const clip = clipFromPackets(speech);
    expect(await session.play(clip)).toMatchObject({ outcome: 'finished', encrypted: false });
    expect(encryptedOf(await bob.utterance(hearing))).toEqual(speech.map(() => false));
    bob.clear();
    world.server.setProtocolVersion(callOf(world), 1);
    await bob.ready(hearing);
    expect(await session.play(clip)).toMatchObject({ outcome: 'finished', encrypted: true });
    const heard = await bob.utterance(hearing);
    expect(heard).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0 });
    expect(encryptedOf(heard)).toEqual(speech.map(() => true));
  });

  test('joined at version 0, it follows the call to version 1', async ({ world }) => {
    const alice = world.listens();
    world.server.setProtocolVersion(callOf(world), 0);
    const session = await world.join();
    const clip = clipFromPackets(speech);
    expect(await session.play(clip)).toMatchObject({ outcome: 'finished', encrypted: false });
    await alice.utterance(hearing);
    world.server.setProtocolVersion(callOf(world), 1);
    await alice.ready(hearing);
    expect(await session.play(clip)).toMatchObject({ outcome: 'finished', encrypted: true });
    const heard = await alice.utterance(hearing);
    expect(heard).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0 });
    expect(encryptedOf(heard)).toEqual([...speech.map(() => false), ...speech.map(() => true)]);
  });
});
