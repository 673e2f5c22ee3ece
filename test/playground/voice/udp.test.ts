import { once } from 'node:events';
import { createDecoder } from 'libopus-wasm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type EncryptionMode,
  type Listener,
  startVoiceServer,
  type VoiceServer,
} from '../../../src/playground/voice/server.ts';
import { ALICE, CHANNEL, GUILD, SILENCE, tone } from './client.ts';
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

describe('https://discord.com/developers/docs/topics/voice-connections#ip-discovery', () => {
  const request = (ssrc: number) => {
    const bytes = Buffer.alloc(74);
    bytes.writeUInt16BE(1);
    bytes.writeUInt16BE(70, 2);
    bytes.writeUInt32BE(ssrc, 4);
    return bytes;
  };

  test('a client is told its address and port', async () => {
    const client = await connect();
    client.udp.send(request(client.ssrc), client.port, '127.0.0.1');
    const [answer] = (await once(client.udp, 'message')) as [Buffer];
    expect(answer).toHaveLength(74);
    expect(answer.readUInt16BE(0)).toBe(2);
    expect(answer.readUInt16BE(2)).toBe(70);
    expect(answer.readUInt32BE(4)).toBe(client.ssrc);
    expect(answer.toString('ascii', 8, answer.indexOf(0, 8))).toBe('127.0.0.1');
    expect(answer.readUInt16BE(72)).toBe(client.udp.address().port);
    client.udp.close();
  });

  test('no answer for an unknown SSRC, nor when the settings withhold it', async () => {
    const client = await connect();
    const answers: Buffer[] = [];
    client.udp.on('message', (bytes) => answers.push(bytes));
    client.udp.send(request(client.ssrc + 1), client.port, '127.0.0.1');
    server.settings.answerIpDiscovery = false;
    client.udp.send(request(client.ssrc), client.port, '127.0.0.1');
    // A keep-alive is answered, and datagrams on loopback stay in order.
    client.udp.send(Buffer.alloc(8, 7), client.port, '127.0.0.1');
    await once(client.udp, 'message');
    expect(answers).toEqual([Buffer.alloc(8, 7)]);
    server.settings.echoKeepAlives = false;
    client.udp.send(Buffer.alloc(8, 8), client.port, '127.0.0.1');
    server.settings.answerIpDiscovery = true;
    client.udp.send(request(client.ssrc), client.port, '127.0.0.1');
    const [answer] = (await once(client.udp, 'message')) as [Buffer];
    expect(answer).toHaveLength(74);
    client.udp.close();
  });
});

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
      const { packets } = await tone(1);
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
      const { packets } = await tone(2);
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
  test('lies on the timeline of the RTP timestamps: gaps are silence, lost packets are counted', async () => {
    const client = await connect();
    const { packets } = await tone(4);
    // Counters wrap between the second and the third packet; sequence 1 never comes.
    const places = [
      [65_534, 2 ** 32 - 1_920],
      [65_535, 2 ** 32 - 960],
      [0, 0],
      [2, 1_920],
    ] as const;
    for (const [index, [sequence, timestamp]] of places.entries()) {
      const heard = nextPacket();
      const frame = Buffer.from(packets[index] ?? []);
      client.udp.send(
        sealRtp(rtpHeader(client.ssrc, sequence, timestamp), frame, client.mode, client.key, index),
        client.port,
        '127.0.0.1',
      );
      await heard;
    }
    const { pcm, lostPackets, seconds } = alice.heard();
    expect(lostPackets).toBe(1);
    expect(seconds).toBeCloseTo(0.1);
    expect(pcm.subarray(3 * 960, 4 * 960).every((sample) => sample === 0)).toBe(true);
    expect(pcm.subarray(4 * 960).some((sample) => Math.abs(sample) > 0.1)).toBe(true);
    client.udp.close();
  });

  test('starts anew after a clear', async () => {
    const client = await connect();
    const { packets } = await tone(1);
    const send = async (sequence: number) => {
      const heard = nextPacket();
      const frame = Buffer.from(packets[0] ?? []);
      client.udp.send(
        sealRtp(rtpHeader(client.ssrc, sequence), frame, client.mode, client.key, sequence),
        client.port,
        '127.0.0.1',
      );
      await heard;
    };
    await send(1);
    alice.clear();
    expect(alice.heard()).toMatchObject({ seconds: 0, packets: [], lostPackets: 0 });
    expect(alice.heard().firstAudibleAtMs).toBeUndefined();
    await send(40);
    expect(alice.heard()).toMatchObject({ seconds: 0.02, lostPackets: 0 });
    client.udp.close();
  });

  async function sendAll(client: Awaited<ReturnType<typeof connect>>, frames: readonly Uint8Array[]): Promise<void> {
    for (const [index, frame] of frames.entries()) {
      const heard = nextPacket();
      const header = rtpHeader(client.ssrc, index, index * 960);
      const sealed = sealRtp(header, Buffer.from(frame), client.mode, client.key, index);
      client.udp.send(sealed, client.port, '127.0.0.1');
      await heard;
    }
  }

  test('silence frames are no sound, before or after it', async () => {
    const client = await connect();
    const { packets } = await tone(2);
    await sendAll(client, [SILENCE, SILENCE, ...packets, SILENCE]);
    const heard = alice.heard();
    expect(heard.seconds).toBeCloseTo(0.04);
    expect(heard.packets.map(({ silence: silent }) => silent)).toEqual([true, true, false, false, true]);
    expect(heard.firstAudibleAtMs).toBe(heard.packets[2]?.atMs);
    client.udp.close();
  });

  test('goes on from silence frames as a real listener’s decoder does', async () => {
    const client = await connect();
    const { packets } = await tone(3);
    const frames = [...packets, SILENCE, SILENCE, ...packets];
    await sendAll(client, frames);
    const decoder = await createDecoder({ channels: 1, sampleRate: 48_000 });
    const sounds = frames.map((frame) => decoder.decodeFloat(frame).slice());
    decoder.free();
    const last = Buffer.concat(sounds.slice(5).map(({ buffer }) => Buffer.from(buffer)));
    expect(Buffer.from(alice.heard().pcm.slice(-3 * 960).buffer).equals(last)).toBe(true);
    client.udp.close();
  });

  test('waiting for speech that never comes fails and reports the packets received', async () => {
    await expect(alice.utterance({ timeoutMs: 20 })).rejects.toThrow('Nothing was heard within 20 ms: 0 packets');
  });

  test.each([
    ['leaves', () => alice.leave()],
    ['is closed with the server', () => server.close()],
  ])('waiting ends when the listener %s', async (_name, end) => {
    const waiting = expect(alice.utterance({ timeoutMs: 10_000 })).rejects.toThrow('has left the channel');
    await end();
    await waiting;
  });

  test('waiting can be aborted', async () => {
    const abort = new AbortController();
    const waiting = alice.utterance({ timeoutMs: 10_000, signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
