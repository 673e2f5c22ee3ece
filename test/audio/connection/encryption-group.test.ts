import { beforeAll, describe, expect } from 'vitest';
import { type Clip, clipFromPackets } from '../../../src/audio/clips/clip.ts';
import { packetsOf } from '../opus-sounds.ts';
import { speechLike } from '../sounds.ts';
import { CHANNEL } from './gateway.ts';
import { test } from './voice-world.ts';

let speech: Uint8Array[];

beforeAll(async () => {
  speech = await packetsOf(speechLike(24_000, 0.6));
});

const clip = (): Clip => clipFromPackets(speech);
const hearing = { timeoutMs: 4_000, quietMs: 150 };

describe.concurrent('a call whose encryption group never admits the bot', () => {
  test('is joined once more, and then the clip fails: nothing is sent to listeners who would drop it', async ({
    world,
  }) => {
    world.server.settings.channelsWithoutGroup.add(CHANNEL);
    world.configure({ encryptionTimeoutMs: 500 });
    const listener = world.listens();
    const session = await world.join();
    expect(await session.play(clip())).toMatchObject({
      outcome: 'truncated',
      packetsSent: 0,
      encrypted: false,
      error: { name: 'NoEncryptionGroupError' },
    });
    expect(await session.closed).toMatchObject({ reason: 'failed', error: { name: 'NoEncryptionGroupError' } });
    expect(world.gateway.requests.map(({ channelId }) => channelId)).toEqual([CHANNEL, CHANNEL, null]);
    expect(listener.heard()).toMatchObject({ unencryptedFrames: 0 });
  });

  test('that admits it the second time hears the clip from its first word', async ({ world }) => {
    world.server.settings.channelsWithoutGroup.add(CHANNEL);
    world.configure({ encryptionTimeoutMs: 500 });
    const listener = world.listens();
    const session = await world.join();
    world.server.settings.channelsWithoutGroup.delete(CHANNEL);
    expect(await session.play(clip())).toMatchObject({
      outcome: 'finished',
      packetsSent: speech.length,
      encrypted: true,
    });
    const heard = await listener.utterance(hearing);
    expect(heard).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0 });
    expect(heard.packets.filter(({ audible }) => audible)).toHaveLength(speech.length);
    expect(world.gateway.requests.map(({ channelId }) => channelId)).toEqual([CHANNEL, CHANNEL]);
  });

  test('is joined anew by the next text', async ({ world }) => {
    world.server.settings.channelsWithoutGroup.add(CHANNEL);
    world.configure({ encryptionTimeoutMs: 300 });
    const listener = world.listens();
    const session = await world.join();
    await session.play(clip());
    await session.closed;
    world.server.settings.channelsWithoutGroup.delete(CHANNEL);
    const next = await world.join();
    expect(await next.play(clip())).toMatchObject({ outcome: 'finished', encrypted: true });
    await listener.utterance(hearing);
  });
});
