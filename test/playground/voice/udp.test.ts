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

describe.each<EncryptionMode>(['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'])(
  'RTP sealed with %s',
  (mode) => {
    test.each([
      ['a plain header', (header: Buffer) => ({ header, prefix: Buffer.alloc(0), suffix: Buffer.alloc(0) })],
      [
        'two contributing sources',
        (header: Buffer) => {
          header[0] = 0x82;
          return {
            header: Buffer.concat([header, Buffer.alloc(8, 1)]),
            prefix: Buffer.alloc(0),
            suffix: Buffer.alloc(0),
          };
        },
      ],
      [
        'a header extension, whose body is part of the ciphertext',
        (header: Buffer) => {
          header[0] = 0x90;
          const preamble = Buffer.from([0xbe, 0xde, 0, 2]);
          return { header: Buffer.concat([header, preamble]), prefix: Buffer.alloc(8, 0x51), suffix: Buffer.alloc(0) };
        },
      ],
      [
        'padding',
        (header: Buffer) => {
          header[0] = 0xa0;
          return { header, prefix: Buffer.alloc(0), suffix: Buffer.of(0, 0, 3) };
        },
      ],
    ])('is opened with %s', async (_name, shape) => {
      const client = await connect(mode);
      const packets = await tone(1);
      const { header, prefix, suffix } = shape(rtpHeader(client.ssrc, 7));
      const frame = Buffer.concat([prefix, packets[0] ?? Buffer.alloc(0), suffix]);
      client.udp.send(sealRtp(header, frame, mode, client.key, 1), client.port, '127.0.0.1');
      await nextPacket();
      expect(alice.heard()).toMatchObject({
        seconds: 0.02,
        packets: [{ sequence: 7, audible: true, encrypted: false }],
      });
      client.udp.close();
    });

    test('is dropped when forged', async () => {
      const client = await connect(mode);
      const packets = await tone(2);
      const frames = packets.map((packet) => Buffer.from(packet));
      const forged = sealRtp(rtpHeader(client.ssrc, 1), frames[0] ?? Buffer.alloc(0), mode, client.key, 1);
      forged[3] = 9;
      client.udp.send(forged, client.port, '127.0.0.1');
      const heard = nextPacket();
      client.udp.send(
        sealRtp(rtpHeader(client.ssrc, 2), frames[1] ?? Buffer.alloc(0), mode, client.key, 2),
        client.port,
        '127.0.0.1',
      );
      await heard;
      expect(alice.heard().packets.map(({ sequence }) => sequence)).toEqual([2]);
      client.udp.close();
    });
  },
);

describe('a listener’s audio', () => {
  test.each([
    ['leaves', () => alice.leave()],
    ['is closed with the server', () => server.close()],
  ])('waiting ends when the listener %s', async (_name, end) => {
    const waiting = expect(alice.utterance({ timeoutMs: 10_000 })).rejects.toThrow('has left the channel');
    await end();
    await waiting;
  });
});
