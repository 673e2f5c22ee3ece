import Davey from '@snazzah/davey';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Op } from '../../../../src/playground/voice/protocol.ts';
import { startVoiceServer, type VoiceServer } from '../../../../src/playground/voice/server.ts';
import { ALICE, BOT, CHANNEL } from '../parties.ts';
import { expectClient, identified, type RawClient } from '../raw-client.ts';
import { keyPackageFor, leafSource, OFFSET } from './key-package.ts';

const UNLIMITED = 'The lifetime of a key package is without limits in DAVE';

/** A key package in which some bits of one byte are others. */
function changedAt(offset: number, bits = 1): Buffer {
  const keyPackage = keyPackageFor(BOT);
  keyPackage[offset] = (keyPackage[offset] ?? 0) ^ bits;
  return keyPackage;
}

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

type Member = Awaited<ReturnType<typeof member>>;

/** The bot and alice, both pending, before there is a group. */
async function twoPending(): Promise<[Member, Member]> {
  const pending: [Member, Member] = [await member(BOT), await member(ALICE)];
  for (const client of pending) {
    const { payload } = await client.next(Op.daveExternalSender);
    client.session.setExternalSender(payload ?? Buffer.alloc(0));
    sendBinary(client, Op.daveKeyPackage, client.session.getSerializedKeyPackage());
  }
  return pending;
}

/** A client's answer to the proposals it was sent. */
async function commitOf(client: Member): Promise<Buffer> {
  const { payload = Buffer.alloc(0) } = await client.next(Op.daveProposals);
  const { commit, welcome } = client.session.processProposals(payload.readUInt8(0), payload.subarray(1), [BOT, ALICE]);
  return Buffer.concat([commit ?? Buffer.alloc(0), welcome ?? Buffer.alloc(0)]);
}

/** Resolves when the server has dealt with everything sent before. */
async function dealtWith(client: RawClient): Promise<void> {
  client.send(Op.heartbeat, { t: 1, seq_ack: -1 });
  await client.next(Op.heartbeatAck);
}

// https://discord.com/developers/docs/topics/voice-connections#end-to-end-encryption-dave-protocol
describe('https://daveprotocol.com/#voice-gateway-commit-validity, over the WebSocket', () => {
  test('a commit tampered with in its plaintext is not broadcast; the same one untouched is', async () => {
    const [bot, alice] = await twoPending();
    const sent = await commitOf(bot);
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

  // https://daveprotocol.com/#validation
  test.each([
    ['that ends', keyPackageFor(BOT, leafSource.keyPackage(0n, 2_000_000_000n)), UNLIMITED],
    ['that begins', keyPackageFor(BOT, leafSource.keyPackage(1n)), UNLIMITED],
    ['that is a leaf of a commit', keyPackageFor(BOT, leafSource.commit()), 'The leaf is not one of a key package'],
    ['of another MLS', changedAt(OFFSET.version), 'Not MLS 1.0'],
    ['of another ciphersuite', changedAt(OFFSET.ciphersuite), 'Not the ciphersuite of DAVE protocol 1'],
    ['with a certificate', changedAt(OFFSET.credentialType, 3), 'DAVE allows basic credentials only'],
    ['from nowhere', changedAt(OFFSET.leafSource, 3), 'A leaf node of source 2 has no place here'],
    ['that was tampered with', changedAt(80), 'Wrong leaf signature'],
    ['of another user', keyPackageFor(ALICE), 'A key package of another user'],
  ])('4020: a key package %s', async (_what, keyPackage, reason) => {
    const bot = await member(BOT);
    await bot.next(Op.daveExternalSender);
    sendBinary(bot, Op.daveKeyPackage, keyPackage);
    expect(await bot.closed()).toBe(4020);
    expect(server.faults).toEqual([{ closeCode: 4020, reason }]);
  });

  test('the same key package without a fault is taken', async () => {
    const bot = await member(BOT);
    await bot.next(Op.daveExternalSender);
    sendBinary(bot, Op.daveKeyPackage, keyPackageFor(BOT));
    await dealtWith(bot);
    expect(server.faults).toEqual([]);
  });

  test.each<[string, (bot: Member) => void]>([
    ['a commit', (bot) => sendBinary(bot, Op.daveCommitWelcome, Buffer.of(0))],
    ['op 31', (bot) => bot.send(Op.daveInvalidCommitWelcome, { transition_id: 0 })],
  ])('4020: %s before the external sender was announced', async (_what, send) => {
    server.settings.daveHandshakeDelayMs = 60_000;
    const bot = await member(BOT);
    send(bot);
    expect(await bot.closed()).toBe(4020);
  });
});
