import './without-sodium-native.ts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { entersState, type VoiceConnection, VoiceConnectionStatus } from '@discordjs/voice';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Op } from '../../../src/playground/voice/protocol.ts';
import { type Listener, startVoiceServer, type VoiceServer } from '../../../src/playground/voice/server.ts';
import {
  ALICE,
  BOB,
  BOT,
  CHANNEL,
  encrypted,
  GUILD,
  type JoinOptions,
  join,
  SILENCE,
  speak,
  tone,
  trust,
} from './client.ts';

let server: VoiceServer;
let connections: VoiceConnection[] = [];

beforeEach(async () => {
  server = await startVoiceServer();
  trust(server);
});

afterEach(async () => {
  for (const connection of connections) {
    if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy();
  }
  connections = [];
  await server.close();
});

function bot(options: JoinOptions = {}): VoiceConnection {
  const connection = join(server, options);
  connections.push(connection);
  return connection;
}

const listens = (userId: string, where: { channelId?: string; guildId?: string; dave?: boolean } = {}): Listener =>
  server.addListener({ guildId: GUILD, channelId: CHANNEL, userId, ...where });

/** A connection whose group with the listener is established. */
async function speakingWith(listener: Listener, options: JoinOptions = {}): Promise<VoiceConnection> {
  const connection = bot(options);
  await encrypted(connection);
  await listener.ready({ timeoutMs: 2_000 });
  return connection;
}

const EVERYTHING = { endToEndEncrypted: true, unencryptedFrames: 0, undecryptableFrames: 0, lostPackets: 0 };

/** Highest correlation of what was heard with the tone, over the decoder's delay (6.5 ms). */
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
      server.settings.modes = [mode];
      const alice = listens(ALICE);
      const connection = await speakingWith(alice);
      const { packets, pcm } = await tone(25);
      await speak(connection, packets);
      const heard = await alice.utterance({ timeoutMs: 2_000, quietMs: 60 });
      expect(heard).toMatchObject(EVERYTHING);
      expect(heard.pcm).toHaveLength(pcm.length);
      expect(correlation(heard.pcm, pcm)).toBeGreaterThan(0.99);
      expect(server.clients()).toMatchObject([{ userId: BOT, mode, inGroup: true, packets: 25, speaking: 1 }]);
    },
  );

  test('takes the first mode of ours that it knows', async () => {
    server.settings.modes = ['aead_xchacha20_poly1305_rtpsize', 'aead_aes256_gcm_rtpsize'];
    await entersState(bot(), VoiceConnectionStatus.Ready, 2_000);
    expect(server.clients()[0]?.mode).toBe('aead_xchacha20_poly1305_rtpsize');
  });

  test('is trusted by a process of its own through NODE_EXTRA_CA_CERTS', async () => {
    const folder = await mkdtemp(joinPath(tmpdir(), 'crier-voice-'));
    try {
      const file = joinPath(folder, 'ca.pem');
      await writeFile(file, server.caCertificatePem);
      const child = fork('', {
        execArgv: [
          '--input-type=module',
          '--eval',
          `import tls from 'node:tls'; tls.connect(new URL('https://${server.endpoint}').port, '127.0.0.1', function () { process.exit(this.authorized ? 0 : 1); });`,
        ],
        env: { ...process.env, NODE_EXTRA_CA_CERTS: file },
      });
      const [code] = await once(child, 'exit');
      expect(code).toBe(0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('is Ready before there is a group, and what it says until then nobody hears', async () => {
    server.settings.daveHandshakeDelayMs = 150;
    const alice = listens(ALICE);
    const connection = bot();
    await entersState(connection, VoiceConnectionStatus.Ready, 2_000);
    const { packets } = await tone(10);
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

  test('suppressed on a stage it reaches nobody until it is made a speaker', async () => {
    const alice = listens(ALICE, { dave: false });
    const connection = bot({ dave: false, muted: true });
    await entersState(connection, VoiceConnectionStatus.Ready, 2_000);
    const { packets } = await tone(5);
    await speak(connection, packets);
    server.setMuted({ guildId: GUILD, userId: BOT }, false);
    await speak(connection, packets);
    const heard = await alice.utterance({ timeoutMs: 2_000, quietMs: 60 });
    expect(heard.packets).toHaveLength(5);
    expect(server.clients()[0]?.packets).toBe(10);
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
    expect(server.clients()[0]?.inGroup).toBe(false);
    const bob = listens(BOB);
    await bob.ready({ timeoutMs: 2_000 });
    await encrypted(connection);
    await speak(connection, (await tone(5)).packets);
    expect(await bob.utterance({ timeoutMs: 2_000, quietMs: 60 })).toMatchObject(EVERYTHING);
  });

  test('members who join and leave while it speaks cost those who stay nothing', async () => {
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

  test('packets that the network loses are missing from what is heard', async () => {
    const alice = listens(ALICE);
    const connection = await speakingWith(alice);
    let count = 0;
    server.settings.losePacket = () => {
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
    const sink = server.addListener({ guildId: GUILD, channelId: CHANNEL, userId: ALICE, decode: false });
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

describe('a connection that is disturbed', () => {
  test.each([
    ['a TCP connection that is cut', undefined],
    ['a server that says it crashed (4015)', 4015],
  ])('%s is resumed and nothing said is lost', async (_name, closeCode) => {
    const alice = listens(ALICE);
    const connection = await speakingWith(alice);
    const { packets } = await tone(40);
    const speaking = speak(connection, packets, 5);
    server.cut({ guildId: GUILD, userId: BOT }, closeCode);
    await entersState(connection, VoiceConnectionStatus.Connecting, 2_000);
    await entersState(connection, VoiceConnectionStatus.Ready, 2_000);
    await speaking;
    const heard = await alice.utterance({ timeoutMs: 2_000, quietMs: 60 });
    // While it resumes the library drops frames without counting them: what is lost is not on the wire.
    expect(heard).toMatchObject(EVERYTHING);
    expect(server.clients()).toMatchObject([{ resumes: 1, inGroup: true }]);
  });

  test('a kick (4014) leaves it disconnected, and the others’ group goes on without it', async () => {
    const [alice, bob] = [listens(ALICE), listens(BOB)];
    const connection = await speakingWith(alice);
    server.drop({ guildId: GUILD, userId: BOT }, 4014);
    await entersState(connection, VoiceConnectionStatus.Disconnected, 2_000);
    expect(connection.state).toMatchObject({ closeCode: 4014 });
    await Promise.all([alice, bob].map((listener) => listener.ready({ timeoutMs: 2_000 })));
    expect(server.clients()).toEqual([]);
  });

  test('leaving closes at once and frees the place', async () => {
    const alice = listens(ALICE);
    const connection = await speakingWith(alice);
    connection.destroy();
    expect(server.clients()).toEqual([]);
    await alice.ready({ timeoutMs: 2_000 });
  });

  test('a client that identifies anew joins the group anew', async () => {
    const alice = listens(ALICE);
    const first = await speakingWith(alice);
    first.rejoin();
    await entersState(first, VoiceConnectionStatus.Ready, 2_000);
    await encrypted(first);
    await alice.ready({ timeoutMs: 2_000 });
    alice.clear();
    await speak(first, (await tone(5)).packets);
    expect(await alice.utterance({ timeoutMs: 2_000, quietMs: 60 })).toMatchObject(EVERYTHING);
  });

  test('moved to another channel it is heard there, whichever of expect and drop came first', async () => {
    const elsewhere = '200000000000000002';
    const [alice, bob] = [listens(ALICE), listens(BOB, { channelId: elsewhere })];
    const connection = await speakingWith(alice);
    connection.rejoin({ channelId: elsewhere, selfDeaf: true, selfMute: false });
    server.drop({ guildId: GUILD, userId: BOT }, 4014);
    await entersState(connection, VoiceConnectionStatus.Ready, 2_000);
    await encrypted(connection);
    await bob.ready({ timeoutMs: 2_000 });
    await speak(connection, (await tone(5)).packets);
    expect(await bob.utterance({ timeoutMs: 2_000, quietMs: 60 })).toMatchObject(EVERYTHING);
    expect(alice.heard().packets).toEqual([]);
  });

  test('without an answer to IP discovery it never gets ready', async () => {
    server.settings.answerIpDiscovery = false;
    const connection = bot();
    await expect(entersState(connection, VoiceConnectionStatus.Ready, 150)).rejects.toThrow();
    expect(connection.state.status).toBe(VoiceConnectionStatus.Connecting);
  });

  test('closing on identify is answered by the library with another try', async () => {
    server.settings.closeOnIdentify = 4021;
    const connection = bot();
    await entersState(connection, VoiceConnectionStatus.Signalling, 2_000);
    await entersState(connection, VoiceConnectionStatus.Connecting, 2_000);
    expect(server.faults[0]).toMatchObject({ closeCode: 4021 });
    server.settings.closeOnIdentify = undefined;
    await entersState(connection, VoiceConnectionStatus.Ready, 2_000);
  });

  test('a welcome or commit that was tampered with is reported by the library, and it joins by a second one', async () => {
    const alice = listens(ALICE);
    let tampered = 0;
    server.settings.alterDaveMessage = ({ userId, op, payload }) => {
      if (userId !== BOT || tampered > 0 || (op !== Op.daveWelcome && op !== Op.daveAnnounceCommit)) return payload;
      tampered += 1;
      const changed = Buffer.from(payload);
      changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
      return changed;
    };
    const connection = await speakingWith(alice);
    expect(tampered).toBe(1);
    await speak(connection, (await tone(5)).packets);
    expect(await alice.utterance({ timeoutMs: 2_000, quietMs: 60 })).toMatchObject(EVERYTHING);
  });
});

describe('the server', () => {
  test('starts and closes in milliseconds, also with clients connected, and closes once', async () => {
    const alice = listens(ALICE);
    await speakingWith(alice);
    const beganAtMs = performance.now();
    await Promise.all([server.close(), server.close()]);
    const another = await startVoiceServer();
    await another.close();
    expect(performance.now() - beganAtMs).toBeLessThan(250);
  });
});
