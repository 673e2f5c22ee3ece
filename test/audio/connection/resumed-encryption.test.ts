import { beforeAll, describe, expect } from 'vitest';
import { type Clip, clipFromPackets } from '../../../src/audio/clips/clip.ts';
import { Op } from '../../../src/playground/voice/protocol.ts';
import { packetsOf } from '../opus-sounds.ts';
import { speechLike } from '../sounds.ts';
import { ALICE, BOB, BOT } from './gateway.ts';
import { test, type VoiceWorld } from './voice-world.ts';

let speech: Uint8Array[];

beforeAll(async () => {
  speech = await packetsOf(speechLike(24_000, 0.6));
});

const clip = (): Clip => clipFromPackets(speech);
const hearing = { timeoutMs: 10_000, quietMs: 150 };
/** Long enough for the others to change the group meanwhile. */
const AWAY_MS = 400;

/** In the channel with alice, in one group, and then cut off for a moment. */
async function cutOff(world: VoiceWorld) {
  world.server.settings.resumeDelayMs = AWAY_MS;
  const alice = world.listens(ALICE);
  const session = await world.join();
  await session.play(clip());
  await alice.utterance(hearing);
  alice.clear();
  world.server.cut(world.bot);
  return { alice, session };
}

const resumes = (world: VoiceWorld) => world.server.clients()[0]?.resumes;

describe.for([
  { order: 'before op 9', replayBeforeResumed: true },
  { order: 'after op 9', replayBeforeResumed: false },
])('a resumed connection that gets the missed messages $order', ({ replayBeforeResumed }) => {
  test('follows the group into its next epoch: a member who joined meanwhile hears all of the clip', async ({
    world,
  }) => {
    world.server.settings.replayBeforeResumed = replayBeforeResumed;
    const { alice, session } = await cutOff(world);
    const bob = world.listens(BOB);
    await expect.poll(() => resumes(world), { timeout: 5_000 }).toBe(1);
    await bob.ready(hearing);
    expect(await session.play(clip())).toMatchObject({ outcome: 'finished', encrypted: true });
    for (const listener of [alice, bob]) {
      const heard = await listener.utterance(hearing);
      expect(heard).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0 });
      expect(heard.packets.filter(({ audible }) => audible)).toHaveLength(speech.length);
    }
    expect(world.gateway.requests).toHaveLength(1);
  });

  test('offers a new key when the group was started anew meanwhile', async ({ world }) => {
    world.server.settings.replayBeforeResumed = replayBeforeResumed;
    const { alice, session } = await cutOff(world);
    alice.leave();
    const bob = world.listens(BOB);
    await expect.poll(() => resumes(world), { timeout: 5_000 }).toBe(1);
    await bob.ready(hearing);
    expect(await session.play(clip())).toMatchObject({ outcome: 'finished', encrypted: true });
    const heard = await bob.utterance(hearing);
    expect(heard).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0 });
    expect(heard.packets.filter(({ audible }) => audible)).toHaveLength(speech.length);
    expect(world.gateway.requests).toHaveLength(1);
  });
});

test('a commit that never comes makes it join anew, since the others change to an epoch that it does not know', async ({
  world,
}) => {
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
  await expect.poll(() => world.gateway.requests.length, { timeout: 10_000 }).toBe(2);
  await expect.poll(() => session.encryption, { timeout: 10_000 }).toBe('end-to-end');
  expect(lost).toBe(1);
  expect(await session.play(clip())).toMatchObject({ outcome: 'finished', encrypted: true });
  for (const listener of [alice, bob]) {
    const heard = await listener.utterance(hearing);
    expect(heard.packets.filter(({ audible }) => audible)).toHaveLength(speech.length);
  }
});
