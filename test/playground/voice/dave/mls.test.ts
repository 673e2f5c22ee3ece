import { generateKeyPairSync } from 'node:crypto';
import Davey from '@snazzah/davey';
import fc from 'fast-check';
import { decodeExternalSender, decodeMlsMessage, encodeMlsMessage } from 'ts-mls';
import { describe, expect, test } from 'vitest';
import { MlsDecodeError, reader, u64, vector } from '../../../../src/playground/voice/dave/codec.ts';
import {
  externalSender,
  proposeAdd,
  proposeRemove,
  readCommitWelcome,
  readKeyPackage,
  signProposal,
  welcomeFor,
} from '../../../../src/playground/voice/dave/mls.ts';

const CHANNEL = '200000000000000001';
const groupId = u64(BigInt(CHANNEL));
const sender = externalSender(generateKeyPairSync('ec', { namedCurve: 'P-256' }));

/** A pending member that commits to adding another. */
function firstCommit() {
  const [one, two] = ['1001', '1002'].map((userId) => new Davey.DAVESession(1, userId, CHANNEL));
  if (!one || !two) throw new Error('unreachable');
  const keyPackage = two.getSerializedKeyPackage();
  one.setExternalSender(sender.bytes);
  const { message, ref } = signProposal(sender, groupId, 0n, proposeAdd(keyPackage));
  const { commit, welcome } = one.processProposals(0, vector(message), ['1002']);
  if (!commit || !welcome) throw new Error('davey made no commit');
  return { commit, welcome, ref, keyPackage };
}

describe('another implementation reads the server’s messages', () => {
  test('the external sender', () => {
    const [read, length] = decodeExternalSender(sender.bytes, 0) ?? [];
    expect(length).toBe(sender.bytes.length);
    expect(read).toMatchObject({ credential: { credentialType: 'basic', identity: Buffer.of(0) } });
    expect(read?.signaturePublicKey).toHaveLength(65);
  });

  test.each([
    ['remove', proposeRemove(3), { proposalType: 'remove', remove: { removed: 3 } }],
    ['add', proposeAdd(new Davey.DAVESession(1, '1001', CHANNEL).getSerializedKeyPackage()), { proposalType: 'add' }],
  ])('a proposal to %s', (_name, body, proposal) => {
    const { message } = signProposal(sender, groupId, 7n, body);
    const [read, length] = decodeMlsMessage(message, 0) ?? [];
    expect(length).toBe(message.length);
    expect(read).toMatchObject({
      wireformat: 'mls_public_message',
      publicMessage: {
        content: { epoch: 7n, sender: { senderType: 'external', senderIndex: 0 }, contentType: 'proposal', proposal },
      },
    });
    expect(read && Buffer.from(encodeMlsMessage(read))).toEqual(message);
  });
});

describe('the server reads members’ messages', () => {
  test('a commit and its welcome, as another implementation reads them', () => {
    const { commit, welcome, ref, keyPackage } = firstCommit();
    const read = readCommitWelcome(Buffer.concat([commit, welcome]));
    expect(read.commit).toMatchObject({
      epoch: 0n,
      sender: 0,
      references: [ref],
      inlineProposals: 0,
      pathLeaf: undefined,
    });
    expect(read.commit.bytes).toEqual(commit);
    const [other] = decodeMlsMessage(commit, 0) ?? [];
    expect(other).toMatchObject({ publicMessage: { content: { commit: { proposals: [{ reference: ref }] } } } });
    const keyPackageRef = readKeyPackage(keyPackage).ref;
    expect(read.welcome?.secrets.map((entry) => entry.keyPackageRef)).toEqual([keyPackageRef]);
    expect(read.welcome && welcomeFor(read.welcome, keyPackageRef)).toEqual(welcome);
  });

  test('a key package, bare or as an MLSMessage', () => {
    const bytes = new Davey.DAVESession(1, '1001', CHANNEL).getSerializedKeyPackage();
    const read = readKeyPackage(bytes);
    expect(read.leaf.identity).toEqual(u64(1001n));
    expect(readKeyPackage(Buffer.concat([Buffer.of(0, 1, 0, 5), bytes]))).toEqual(read);
  });

  test('a welcome of another ciphersuite is refused', () => {
    const { commit, welcome } = firstCommit();
    welcome.writeUInt16BE(1);
    expect(() => readCommitWelcome(Buffer.concat([commit, welcome]))).toThrow('Not the ciphersuite');
  });

  test('any other bytes are refused as such', () => {
    const { commit, welcome } = firstCommit();
    const whole = Buffer.concat([commit, welcome]);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.uint8Array({ maxLength: 40 }), (at, bytes) => {
        const damaged = Buffer.concat([whole.subarray(0, at), bytes]);
        try {
          readCommitWelcome(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(MlsDecodeError);
        }
      }),
    );
  });
});

describe('https://www.rfc-editor.org/rfc/rfc9420.html#section-2.1.2', () => {
  test('a vector of any length is read as it was written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(70), fc.integer({ min: 16_370, max: 16_400 })), (length) => {
        const bytes = Buffer.alloc(length, 5);
        const from = reader(vector(bytes));
        expect(from.vector()).toEqual(bytes);
        from.end();
      }),
    );
  });

  test.each([
    ['a length that is not minimal', [0x40, 1, 9]],
    ['a length of the forbidden form', [0xc0, 0, 0, 0, 0, 0, 0, 0]],
    ['more than there is', [3, 1, 2]],
  ])('%s is refused', (_name, bytes) => {
    expect(() => reader(Buffer.from(bytes)).vector()).toThrow(MlsDecodeError);
  });

  test('an element that reaches past its vector is refused', () => {
    expect(() => reader(Buffer.of(1, 0, 0)).vectorOf((element) => element.u16())).toThrow('past its vector');
  });
});
