import './without-sodium-native.ts';
import { entersState, VoiceConnectionStatus } from '@discordjs/voice';
import { describe, expect, test } from 'vitest';
import { Op } from '../../../src/playground/voice/protocol/opcodes.ts';
import { ALICE, BOB, BOT, encrypted, GUILD, speak, tone } from './client.ts';
import { EVERYTHING, voiceServerForEachTest } from './fixture.ts';

const { server, bot, listens, speakingWith } = voiceServerForEachTest();

describe('a connection that is disturbed', () => {
  test.each([
    ['a TCP connection that is cut', undefined],
    ['a server that says it crashed (4015)', 4015],
  ])('%s is resumed, and what reaches the wire is heard without a gap', async (_name, closeCode) => {
    const alice = listens(ALICE);
    const connection = await speakingWith(alice);
    const { packets } = await tone(40);
    const speaking = speak(connection, packets, 5);
    server().cut({ guildId: GUILD, userId: BOT }, closeCode);
    await entersState(connection, VoiceConnectionStatus.Connecting, 2_000);
    await entersState(connection, VoiceConnectionStatus.Ready, 2_000);
    await speaking;
    const heard = await alice.utterance({ timeoutMs: 2_000, quietMs: 60 });
    // While it resumes the library drops frames without counting them: they are not on the wire.
    expect(heard).toMatchObject(EVERYTHING);
    expect(server().clients()).toMatchObject([{ resumes: 1, inGroup: true }]);
  });

  test('a kick (4014) leaves it disconnected, and the others’ group continues without it', async () => {
    const [alice, bob] = [listens(ALICE), listens(BOB)];
    const connection = await speakingWith(alice);
    server().drop({ guildId: GUILD, userId: BOT }, 4014);
    await entersState(connection, VoiceConnectionStatus.Disconnected, 2_000);
    expect(connection.state).toMatchObject({ closeCode: 4014 });
    await Promise.all([alice, bob].map((listener) => listener.ready({ timeoutMs: 2_000 })));
    expect(server().clients()).toEqual([]);
  });

  test('leaving closes at once and frees the place', async () => {
    const alice = listens(ALICE);
    const connection = await speakingWith(alice);
    connection.destroy();
    expect(server().clients()).toEqual([]);
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
    server().drop({ guildId: GUILD, userId: BOT }, 4014);
    await entersState(connection, VoiceConnectionStatus.Ready, 2_000);
    await encrypted(connection);
    await bob.ready({ timeoutMs: 2_000 });
    await speak(connection, (await tone(5)).packets);
    expect(await bob.utterance({ timeoutMs: 2_000, quietMs: 60 })).toMatchObject(EVERYTHING);
    expect(alice.heard().packets).toEqual([]);
  });

  test('without an answer to IP discovery it never gets ready', async () => {
    server().settings.answerIpDiscovery = false;
    const connection = bot();
    await expect(entersState(connection, VoiceConnectionStatus.Ready, 150)).rejects.toThrow();
    expect(connection.state.status).toBe(VoiceConnectionStatus.Connecting);
  });

  test('closing on identify is answered by the library with another try', async () => {
    server().settings.closeOnIdentify = 4021;
    const connection = bot();
    await entersState(connection, VoiceConnectionStatus.Signalling, 2_000);
    await entersState(connection, VoiceConnectionStatus.Connecting, 2_000);
    expect(server().faults[0]).toMatchObject({ closeCode: 4021 });
    server().settings.closeOnIdentify = undefined;
    await entersState(connection, VoiceConnectionStatus.Ready, 2_000);
  });

  test('a welcome or commit that was tampered with is reported by the library, and it joins by a second one', async () => {
    const alice = listens(ALICE);
    let tampered = 0;
    server().settings.alterDaveMessage = ({ userId, op, payload }) => {
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
