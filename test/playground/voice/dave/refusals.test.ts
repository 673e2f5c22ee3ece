import Davey from '@snazzah/davey';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Op } from '../../../../src/playground/voice/protocol.ts';
import { startVoiceServer, type VoiceServer } from '../../../../src/playground/voice/server.ts';
import { ALICE, BOT, CHANNEL } from '../client.ts';
import { expectClient, identified, type RawClient } from '../raw-client.ts';

let server: VoiceServer;

beforeEach(async () => {
  server = await startVoiceServer();
});
afterEach(() => server.close());

const sendBinary = (client: RawClient, op: number, payload: Uint8Array) =>
  client.socket.send(Buffer.concat([Buffer.of(op), payload]));

/** A client with a DAVE session that answers nothing by itself. */
async function member(userId: string) {
  const client = await identified(server, expectClient(server, { userId }));
  const mode = 'aead_aes256_gcm_rtpsize';
  client.send(Op.selectProtocol, { protocol: 'udp', data: { address: '127.0.0.1', port: 1, mode } });
  const session = new Davey.DAVESession(1, userId, CHANNEL);
  return { ...client, session };
}

/** Resolves when the server has dealt with everything sent before. */
async function dealtWith(client: RawClient): Promise<void> {
  client.send(Op.heartbeat, { t: 1, seq_ack: -1 });
  await client.next(Op.heartbeatAck);
}

// https://discord.com/developers/docs/topics/voice-connections#end-to-end-encryption-dave-protocol
describe('https://daveprotocol.com/#voice-gateway-commit-validity, over the WebSocket', () => {
  test('a tampered commit is not broadcast; the same one untouched is', async () => {
    const [bot, alice] = [await member(BOT), await member(ALICE)];
    for (const client of [bot, alice]) {
      const { payload } = await client.next(Op.daveExternalSender);
      client.session.setExternalSender(payload ?? Buffer.alloc(0));
      sendBinary(client, Op.daveKeyPackage, client.session.getSerializedKeyPackage());
    }
    const { payload = Buffer.alloc(0) } = await bot.next(Op.daveProposals);
    const { commit, welcome } = bot.session.processProposals(payload.readUInt8(0), payload.subarray(1), [BOT, ALICE]);
    const sent = Buffer.concat([commit ?? Buffer.alloc(0), welcome ?? Buffer.alloc(0)]);
    const tampered = Buffer.from(sent);
    // Within the reference of the proposal: see delivery-service.test.ts for each place of a commit.
    tampered[40] = (tampered[40] ?? 0) ^ 1;

    sendBinary(bot, Op.daveCommitWelcome, tampered);
    await dealtWith(bot);
    expect(server.refusedCommits).toEqual([{ userId: BOT, reason: 'a proposal that is not open' }]);
    expect(bot.messages.map(({ op }) => op)).not.toContain(Op.daveAnnounceCommit);

    sendBinary(bot, Op.daveCommitWelcome, sent);
    await bot.next(Op.daveAnnounceCommit);
    const { payload: announced = Buffer.alloc(0) } = await alice.next(Op.daveWelcome);
    alice.session.processWelcome(announced.subarray(2));
    expect(alice.session.ready).toBe(true);
    expect(server.refusedCommits).toHaveLength(1);
  });

  test('4020: a key package that was tampered with', async () => {
    const bot = await member(BOT);
    await bot.next(Op.daveExternalSender);
    const keyPackage = Buffer.from(bot.session.getSerializedKeyPackage());
    keyPackage[80] = (keyPackage[80] ?? 0) ^ 1;
    sendBinary(bot, Op.daveKeyPackage, keyPackage);
    expect(await bot.closed()).toBe(4020);
    expect(server.faults).toEqual([{ closeCode: 4020, reason: 'Wrong leaf signature' }]);
  });

  test('4020: the key package of another user', async () => {
    const bot = await member(BOT);
    await bot.next(Op.daveExternalSender);
    sendBinary(bot, Op.daveKeyPackage, new Davey.DAVESession(1, ALICE, CHANNEL).getSerializedKeyPackage());
    expect(await bot.closed()).toBe(4020);
  });

  test('4020: a commit before the external sender was announced', async () => {
    server.settings.daveHandshakeDelayMs = 60_000;
    const bot = await member(BOT);
    sendBinary(bot, Op.daveCommitWelcome, Buffer.of(0));
    expect(await bot.closed()).toBe(4020);
  });
});
