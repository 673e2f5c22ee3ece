import { createEncoder } from 'libopus-wasm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type EncryptionMode,
  type Listener,
  startVoiceServer,
  type VoiceServer,
} from '../../../src/playground/voice/server.ts';
import { ALICE, CHANNEL, GUILD } from './parties.ts';
import { expectClient, rtpHeader, sealRtp, selected } from './raw-client.ts';

let server: VoiceServer;
let alice: Listener;

beforeEach(async () => {
  server = await startVoiceServer({ dave: false });
  alice = server.addListener({ guildId: GUILD, channelId: CHANNEL, userId: ALICE });
});

afterEach(() => server.close());

async function connect(mode?: EncryptionMode) {
  const client = await selected(server, mode, expectClient(server));
  client.send(5, { speaking: 1, delay: 0, ssrc: client.ssrc });
  return client;
}

/** Resolves when the listener has been handed a packet. */
function nextPacket(): Promise<void> {
  return new Promise((resolve) => {
    const stop = alice.onPacket(() => {
      stop();
      resolve();
    });
  });
}

/** A sine as 20 ms Opus packets, 48 kHz mono. */
async function tone(packets: number): Promise<Uint8Array[]> {
  const encoder = await createEncoder({ channels: 1, sampleRate: 48_000, frameSize: 960 });
  const pcm = Float32Array.from(
    { length: packets * 960 },
    (_, index) => 0.5 * Math.sin((2 * Math.PI * 440 * index) / 48_000),
  );
  const encoded = Array.from({ length: packets }, (_, index) =>
    encoder.encodeFloat(pcm.subarray(index * 960, (index + 1) * 960)),
  );
  encoder.free();
  return encoded;
}

describe.each<EncryptionMode>(['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'])('RTP of %s', (mode) => {
  test('is dropped when forged', async () => {
    const client = await connect(mode);
    const sealed = (await tone(2)).map((packet, index) =>
      sealRtp(rtpHeader(client.ssrc, index + 1), Buffer.from(packet), mode, client.key, index + 1),
    );
    (sealed[0] as Buffer)[3] = 9;
    const heard = nextPacket();
    for (const datagram of sealed) client.udp.send(datagram, client.port, '127.0.0.1');
    await heard;
    expect(alice.heard().packets.map(({ sequence }) => sequence)).toEqual([2]);
    client.udp.close();
  });
});

test.each([
  ['leaves', () => alice.leave()],
  ['is closed with the server', () => server.close()],
])('waiting for audio ends when the listener %s', async (_name, end) => {
  const waiting = expect(alice.utterance({ timeoutMs: 10_000 })).rejects.toThrow('has left the channel');
  await end();
  await waiting;
});
