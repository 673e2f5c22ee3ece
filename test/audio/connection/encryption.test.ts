import { expect } from 'vitest';
import { clipFromPackets } from '../../../src/audio/clips/clip.ts';
import type { Heard } from '../../../src/playground/voice/listening/hearing.ts';
import { Op } from '../../../src/playground/voice/protocol.ts';
import { ALICE, BOB, BOT, CHANNEL } from './gateway.ts';
import { clip, hearing, speech, test } from './voice-world.ts';

/** Of each audible packet, whether it was end-to-end encrypted. */
const encryptedOf = ({ packets }: Heard) => packets.filter(({ audible }) => audible).map(({ encrypted }) => encrypted);

test('a call whose group admits the bot only the second time hears the clip from its first word', async ({ world }) => {
  world.server.settings.channelsWithoutGroup.add(CHANNEL);
  world.configure({ encryptionTimeoutMs: 500 });
  const listener = world.listens();
  const session = await world.join();
  world.server.settings.channelsWithoutGroup.delete(CHANNEL);
  const whole = { outcome: 'finished', packetsSent: speech.length, encrypted: true };
  expect(await session.play(clip())).toMatchObject(whole);
  const heard = await listener.utterance(hearing);
  expect(heard).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0 });
  expect(encryptedOf(heard)).toHaveLength(speech.length);
  expect(world.gateway.channels()).toEqual([CHANNEL, CHANNEL]);
});

test('a call that goes to protocol version 0 and back in a clip hears all of it', async ({ world, expect }) => {
  const call = { guildId: world.guildId, channelId: CHANNEL };
  const alice = world.listens();
  const session = await world.join();
  const playing = session.play(clipFromPackets([...speech, ...speech, ...speech]));
  await alice.audible(10, hearing);
  world.server.setProtocolVersion(call, 0);
  await expect.poll(() => encryptedOf(alice.heard()), { interval: 10 }).toContain(false);
  expect(session.encryption).toBe('transport-only');
  world.server.setProtocolVersion(call, 1);
  expect(await playing).toMatchObject({ outcome: 'finished', encrypted: false });
  const heard = await alice.utterance(hearing);
  expect(heard).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0, lostPackets: 0 });
  const encrypted = encryptedOf(heard);
  expect(encrypted).toHaveLength(3 * speech.length);
  expect([encrypted.at(0), encrypted.at(-1)]).toEqual([true, true]);
  expect(session.encryption).toBe('end-to-end');
  expect(world.gateway.requests).toHaveLength(1);
});

test.for([
  ['before op 9', true],
  ['after op 9', false],
] as const)('resumed after the group was started anew, it gets what it missed %s', async ([, isBefore], { world }) => {
  Object.assign(world.server.settings, { replayBeforeResumed: isBefore, resumeDelayMs: 400 });
  const alice = world.listens(ALICE);
  const session = await world.join();
  await session.play(clip());
  await alice.utterance(hearing);
  world.server.cut(world.bot);
  alice.leave();
  const bob = world.listens(BOB);
  await expect.poll(() => world.server.clients()[0]?.resumes).toBe(1);
  await bob.ready(hearing);
  expect(await session.play(clip())).toMatchObject({ outcome: 'finished', encrypted: true });
  const heard = await bob.utterance(hearing);
  expect(heard).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0 });
  expect(encryptedOf(heard)).toHaveLength(speech.length);
  expect(world.gateway.requests).toHaveLength(1);
});

test('a commit that never comes makes it join anew: it lacks the epoch of the others', async ({ world }) => {
  const [alice, session] = [world.listens(ALICE), await world.join()];
  await session.play(clip());
  await alice.utterance(hearing);
  alice.clear();
  let lost = 0;
  world.server.settings.alterDaveMessage = ({ userId, op, payload }) => {
    if (userId !== BOT || op !== Op.daveAnnounceCommit || lost > 0) return payload;
    lost += 1;
    return undefined;
  };
  const bob = world.listens(BOB);
  await expect.poll(() => world.gateway.requests.length).toBe(2);
  await expect.poll(() => session.encryption).toBe('end-to-end');
  expect(lost).toBe(1);
  expect(await session.play(clip())).toMatchObject({ outcome: 'finished', encrypted: true });
  for (const listener of [alice, bob])
    expect(encryptedOf(await listener.utterance(hearing))).toHaveLength(speech.length);
});
