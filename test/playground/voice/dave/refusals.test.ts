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

/** A client's answer to the nth proposals it was sent. */
async function commitOf(client: Member, nth: number): Promise<{ commit: Buffer; welcome: Buffer }> {
  const { payload = Buffer.alloc(0) } = await client.next(Op.daveProposals, nth);
  const made = client.session.processProposals(payload.readUInt8(0), payload.subarray(1), [BOT, ALICE]);
  return { commit: made.commit ?? Buffer.alloc(0), welcome: made.welcome ?? Buffer.alloc(0) };
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
    const { commit, welcome } = await commitOf(bot, 1);
    const sent = Buffer.concat([commit, welcome]);
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

  // https://daveprotocol.com/#recovery-from-invalid-commit-or-welcome
  test('a commit tampered with in its signature is broadcast; a member refuses it with op 31 and is added anew', async () => {
    const [bot, alice] = await twoPending();
    const { commit, welcome } = await commitOf(bot, 1);
    // The signature ends before two tags of 32 bytes, each with its length.
    const at = commit.length - 2 * 33 - 1;
    commit[at] = (commit[at] ?? 0) ^ 1;
    sendBinary(bot, Op.daveCommitWelcome, Buffer.concat([commit, welcome]));
    const { payload: announced = Buffer.alloc(0) } = await bot.next(Op.daveAnnounceCommit);
    expect(server.refusedCommits).toEqual([]);
    expect(() => bot.session.processCommit(announced.subarray(2))).toThrow();
    const { payload: welcomed = Buffer.alloc(0) } = await alice.next(Op.daveWelcome);
    alice.session.processWelcome(welcomed.subarray(2));

    bot.send(Op.daveInvalidCommitWelcome, { transition_id: announced.readUInt16BE(0) });
    bot.session.reinit(1, BOT, CHANNEL);
    sendBinary(bot, Op.daveKeyPackage, bot.session.getSerializedKeyPackage());
    // Out with the old leaf, in with the new one.
    await commitOf(alice, 2);
    const anew = await commitOf(alice, 3);
    sendBinary(alice, Op.daveCommitWelcome, Buffer.concat([anew.commit, anew.welcome]));
    const { payload: accepted = Buffer.alloc(0) } = await alice.next(Op.daveAnnounceCommit);
    alice.session.processCommit(accepted.subarray(2));
    const { payload: again = Buffer.alloc(0) } = await bot.next(Op.daveWelcome);
    bot.session.processWelcome(again.subarray(2));
    expect([bot.session.epoch, alice.session.epoch]).toEqual([2n, 2n]);
    expect(bot.session.voicePrivacyCode).toBe(alice.session.voicePrivacyCode);
    expect(server.refusedCommits).toEqual([]);
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

  test('4020: op 31 before the external sender was announced', async () => {
    server.settings.daveHandshakeDelayMs = 60_000;
    const bot = await member(BOT);
    bot.send(Op.daveInvalidCommitWelcome, { transition_id: 0 });
    expect(await bot.closed()).toBe(4020);
  });
});
