import { beforeAll, describe, expect } from 'vitest';
import { type Clip, clipFromPackets } from '../../../src/audio/clips/clip.ts';
import { Op } from '../../../src/playground/voice/protocol.ts';
import { packetsOf } from '../opus-sounds.ts';
import { speechLike } from '../sounds.ts';
import { ALICE, BOB, BOT } from './gateway.ts';
import { test } from './voice-world.ts';

let speech: Uint8Array[];

beforeAll(async () => {
  speech = await packetsOf(speechLike(24_000, 0.6));
});

const clip = (): Clip => clipFromPackets(speech);
const hearing = { timeoutMs: 10_000, quietMs: 150 };

describe('a member who is proposed for the group before op 11 announces it', () => {
  test('enters it without the bot having to start anew', async ({ world }) => {
    const [alice, session] = [world.listens(ALICE), await world.join()];
    await session.play(clip());
    await alice.utterance(hearing);
    world.server.settings.clientsConnectDelayMs = 3_000;
    let welcomes = 0;
    world.server.settings.alterDaveMessage = ({ userId, op, payload }) => {
      if (userId === BOT && op === Op.daveWelcome) welcomes += 1;
      return payload;
    };
    const bob = world.listens(BOB);
    await bob.ready(hearing);
    expect(await session.play(clip())).toMatchObject({ outcome: 'finished', encrypted: true });
    expect((await bob.utterance(hearing)).packets.filter(({ audible }) => audible)).toHaveLength(speech.length);
    expect(welcomes).toBe(0);
  });

  test('counts as a listener: nothing is sent in the clear as if the bot were alone', async ({ world }) => {
    world.server.settings.clientsConnectDelayMs = 3_000;
    world.server.settings.daveCommitDelayMs = 800;
    const alice = world.listens(ALICE);
    const session = await world.join();
    expect(await session.play(clip())).toMatchObject({ outcome: 'finished', encrypted: true });
    expect(await alice.utterance(hearing)).toMatchObject({ unencryptedFrames: 0, endToEndEncrypted: true });
  });
});
