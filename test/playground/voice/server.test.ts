import './without-sodium-native.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { entersState, VoiceConnectionStatus } from '@discordjs/voice';
import { describe, expect, test } from 'vitest';
import { startVoiceServer } from '../../../src/playground/voice/server.ts';
import { ALICE, BOB, BOT, CHANNEL, encrypted, GUILD, SILENCE, speak, tone } from './client.ts';
import { EVERYTHING, voiceServerForEachTest } from './fixture.ts';

const { server, bot, listens, speakingWith } = voiceServerForEachTest();

/** Highest correlation of the heard audio with the tone, over the decoder's delay (6.5 ms). */
function correlation(heard: Float32Array, sent: Float32Array): number {
  let best = 0;
  for (let lag = 0; lag < 480; lag += 1) {
    let [product, a, b] = [0, 0, 0];
    for (let index = 0; index + lag < heard.length && index < sent.length; index += 1) {
      const [x, y] = [heard[index + lag] ?? 0, sent[index] ?? 0];
      product += x * y;
      a += x * x;
      b += y * y;
    }
    best = Math.max(best, product / Math.sqrt(a * b));
  }
  return best;
}

describe('a connection of the real library', () => {
  test.each(['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'] as const)(
    'is heard and decrypted over %s',
    async (mode) => {
      server().settings.modes = [mode];
      const alice = listens(ALICE);
      const connection = await speakingWith(alice);
      const { packets, pcm } = await tone(25);
      await speak(connection, packets);
      const heard = await alice.utterance({ timeoutMs: 2_000, quietMs: 60 });
      expect(heard).toMatchObject(EVERYTHING);
      expect(heard.pcm).toHaveLength(pcm.length);
      expect(correlation(heard.pcm, pcm)).toBeGreaterThan(0.99);
      expect(server().clients()).toMatchObject([{ userId: BOT, mode, inGroup: true, packets: 25, speaking: 1 }]);
    },
  );

  test('takes the first mode of ours that it knows', async () => {
    server().settings.modes = ['aead_xchacha20_poly1305_rtpsize', 'aead_aes256_gcm_rtpsize'];
    await entersState(bot(), VoiceConnectionStatus.Ready, 2_000);
    expect(server().clients()[0]?.mode).toBe('aead_xchacha20_poly1305_rtpsize');
  });

  test('is trusted by a process of its own through NODE_EXTRA_CA_CERTS', async () => {
    const folder = await mkdtemp(joinPath(tmpdir(), 'crier-voice-'));
    try {
      const file = joinPath(folder, 'ca.pem');
      await writeFile(file, server().caCertificatePem);
      const child = fork('', {
        execArgv: [
          '--input-type=module',
          '--eval',
          `import tls from 'node:tls'; tls.connect(new URL('https://${server().endpoint}').port, '127.0.0.1', function () { process.exit(this.authorized ? 0 : 1); });`,
        ],
        env: { ...process.env, NODE_EXTRA_CA_CERTS: file },
      });
      const [code] = await once(child, 'exit');
      expect(code).toBe(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('is Ready before there is a group, and inaudible until then', async () => {
    // Made first: on a busy machine that may take longer than the group.
    const { packets } = await tone(10);
    server().settings.daveHandshakeDelayMs = 1_500;
    const alice = listens(ALICE);
    const connection = bot();
    await entersState(connection, VoiceConnectionStatus.Ready, 2_000);
    await speak(connection, packets);
    expect(alice.heard()).toMatchObject({ unencryptedFrames: 10, seconds: 0, endToEndEncrypted: false });
    await encrypted(connection);
    await speak(connection, packets);
    const heard = await alice.utterance({ timeoutMs: 2_000, quietMs: 60 });
    expect(heard).toMatchObject({ unencryptedFrames: 10, undecryptableFrames: 0, endToEndEncrypted: false });
    expect(heard.seconds).toBeCloseTo(0.2);
  });

  test('on a stage there is no end-to-end encryption, and it is heard in the clear', async () => {
    const alice = listens(ALICE, { dave: false });
    const connection = bot({ dave: false });
    await entersState(connection, VoiceConnectionStatus.Ready, 2_000);
    await speak(connection, (await tone(5)).packets);
    const heard = await alice.utterance({ timeoutMs: 2_000, quietMs: 60 });
    expect(heard).toMatchObject({ unencryptedFrames: 0, endToEndEncrypted: false, packets: { length: 5 } });
  });

  test('suppressed on a stage it is inaudible until it is made a speaker', async () => {
    const alice = listens(ALICE, { dave: false });
    const connection = bot({ dave: false, muted: true });
    await entersState(connection, VoiceConnectionStatus.Ready, 2_000);
    const { packets } = await tone(5);
    await speak(connection, packets);
    server().setMuted({ guildId: GUILD, userId: BOT }, false);
    await speak(connection, packets);
    const heard = await alice.utterance({ timeoutMs: 2_000, quietMs: 60 });
    expect(heard.packets).toHaveLength(5);
    expect(server().clients()[0]?.packets).toBe(10);
  });

  test('alone, it speaks in the clear; with the first listener there is a group', async () => {
    const connection = bot();
    await entersState(connection, VoiceConnectionStatus.Ready, 2_000);
    expect(connection.voicePrivacyCode).toBeUndefined();
    const alice = listens(ALICE);
    await encrypted(connection);
    await alice.ready({ timeoutMs: 2_000 });
    await speak(connection, (await tone(5)).packets);
    expect(await alice.utterance({ timeoutMs: 2_000, quietMs: 60 })).toMatchObject(EVERYTHING);
  });

  test('when the last listener leaves the group is given up, and made anew with the next', async () => {
    const alice = listens(ALICE);
    const connection = await speakingWith(alice);
    const transitioned = once(connection, 'transitioned');
    alice.leave();
    await transitioned;
    expect(server().clients()[0]?.inGroup).toBe(false);
    const bob = listens(BOB);
    await bob.ready({ timeoutMs: 2_000 });
    await encrypted(connection);
    await speak(connection, (await tone(5)).packets);
    expect(await bob.utterance({ timeoutMs: 2_000, quietMs: 60 })).toMatchObject(EVERYTHING);
  });

  test('members that join and leave while it speaks cost the others no packet', async () => {
    const alice = listens(ALICE);
    const connection = await speakingWith(alice);
    const { packets, pcm } = await tone(60);
    const speaking = speak(connection, packets, 5);
    const bob = listens(BOB);
    await bob.ready({ timeoutMs: 2_000 });
    const carol = listens('400000000000000003');
    await carol.ready({ timeoutMs: 2_000 });
    bob.leave();
    await speaking;
    const heard = await alice.utterance({ timeoutMs: 2_000, quietMs: 60 });
    expect(heard).toMatchObject({ ...EVERYTHING, packets: { length: 60 } });
    expect(correlation(heard.pcm, pcm)).toBeGreaterThan(0.99);
    expect(carol.heard()).toMatchObject({ undecryptableFrames: 0, unencryptedFrames: 0, endToEndEncrypted: true });
  });

  test('silence frames go in the clear without harm', async () => {
    const alice = listens(ALICE);
    const connection = await speakingWith(alice);
    await speak(connection, [SILENCE, SILENCE, ...(await tone(5)).packets, SILENCE]);
    const heard = await alice.utterance({ timeoutMs: 2_000, quietMs: 60 });
    expect(heard).toMatchObject({ endToEndEncrypted: true, unencryptedFrames: 0 });
    expect(heard.seconds).toBeCloseTo(0.1);
  });

  test('packets that the network loses are missing from the heard audio', async () => {
    const alice = listens(ALICE);
    const connection = await speakingWith(alice);
    let count = 0;
    server().settings.losePacket = () => {
      count += 1;
      return count === 3 || count === 4;
    };
    await speak(connection, (await tone(10)).packets);
    expect(await alice.utterance({ timeoutMs: 2_000, quietMs: 60 })).toMatchObject({
      lostPackets: 2,
      packets: { length: 8 },
    });
  });

  test('a listener that does not decode still times and counts', async () => {
    const sink = server().addListener({ guildId: GUILD, channelId: CHANNEL, userId: ALICE, decode: false });
    const connection = await speakingWith(sink);
    await speak(connection, (await tone(5)).packets);
    const heard = await sink.utterance({ timeoutMs: 2_000, quietMs: 60 });
    expect(heard).toMatchObject({ ...EVERYTHING, seconds: 0, packets: { length: 5 } });
    expect(heard.firstAudibleAtMs).toBe(heard.packets[0]?.atMs);
  });
});

describe('several clients', () => {
  test('two bots in one channel share the group and are heard together', async () => {
    const alice = listens(ALICE);
    const other = '300000000000000002';
    const connections = [await speakingWith(alice), await speakingWith(alice, { userId: other })];
    const { packets } = await tone(10);
    await Promise.all(connections.map((connection) => speak(connection, packets)));
    const heard = await alice.utterance({ timeoutMs: 2_000, quietMs: 60 });
    expect(heard).toMatchObject({ ...EVERYTHING, packets: { length: 20 } });
    expect(new Set(heard.packets.map(({ userId }) => userId))).toEqual(new Set([BOT, other]));
  });

  test('channels and servers do not hear each other', async () => {
    const [there, elsewhere] = [{ channelId: '200000000000000002' }, { guildId: '100000000000000002' }];
    const [alice, bob, carol] = [listens(ALICE), listens(BOB, there), listens(ALICE, elsewhere)];
    const connection = await speakingWith(alice);
    await speakingWith(carol, elsewhere);
    await speak(connection, (await tone(5)).packets);
    await alice.utterance({ timeoutMs: 2_000, quietMs: 60 });
    expect([bob.heard().packets, carol.heard().packets]).toEqual([[], []]);
  });
});

describe('the server', () => {
  test('starts and closes at once, also with clients connected, and closes once', async () => {
    const alice = listens(ALICE);
    await speakingWith(alice);
    const beganAtMs = performance.now();
    await Promise.all([server().close(), server().close()]);
    const another = await startVoiceServer();
    await another.close();
    expect(performance.now() - beganAtMs).toBeLessThan(2_000);
  });
});
