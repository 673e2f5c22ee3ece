import { afterEach, beforeEach, expect, test } from 'vitest';
import { Op } from '../../../../src/playground/voice/protocol.ts';
import { createGroup, type Group, type GroupClient } from './group-client.ts';

let group: Group;
let one: GroupClient;
let two: GroupClient;

beforeEach(() => {
  group = createGroup();
  one = group.join('1001');
  two = group.join('1002');
});

afterEach(() => group.service.close());

/** All are in one group, and the server knows each one's place in it. */
function expectOneGroup(...clients: GroupClient[]): void {
  for (const client of clients) {
    expect(client.session.ready).toBe(true);
    expect(client.session.voicePrivacyCode).toBe(clients[0]?.session.voicePrivacyCode);
    expect(client.session.epoch).toBe(group.service.epoch());
    expect(client.session.ownLeafIndex).toBe(group.service.leafIndex(client));
  }
  expect(group.service.settled()).toBe(true);
}

const flip = (payload: Buffer, at: number): Buffer => {
  const changed = Buffer.from(payload);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
};

// https://daveprotocol.com/#initial-group-creation
test('the first commit wins, later ones for the same epoch are dropped', () => {
  group.settle();
  expectOneGroup(one, two);
  expect(group.refused).toEqual(['another epoch']);
});

test('a pending member that leaves is not added: its proposal is revoked', () => {
  const three = group.join('1003');
  three.leave();
  group.settle();
  expectOneGroup(one, two);
  expect(one.session.getUserIds().toSorted()).toEqual(['1001', '1002']);
});

// https://daveprotocol.com/#member-add and #member-remove
test('a member is welcomed into the next epoch; one that leaves is removed, and its leaf is given to the next', () => {
  group.settle();
  const three = group.join('1003');
  group.settle();
  expectOneGroup(one, two, three);
  expect(three.received).toEqual([Op.daveExternalSender, Op.daveWelcome, Op.daveExecuteTransition]);
  const freed = group.service.leafIndex(two);
  two.leave();
  group.settle();
  expectOneGroup(one, three);
  const four = group.join('1004');
  group.settle();
  expectOneGroup(one, three, four);
  expect(group.service.leafIndex(four)).toBe(freed);
});

// In a first commit: version and wire format 4, group id 9, epoch 8, then the sender 5.
const SENDER = 22;

// https://daveprotocol.com/#voice-gateway-commit-validity
test.each([
  ['a commit of another group', (payload: Buffer) => flip(payload, 12), 'another group'],
  ["a commit in another member's name", (payload: Buffer) => flip(payload, SENDER + 3), 'signed as another member'],
  [
    'a welcome for another member',
    (payload: Buffer) => flip(payload, 203 + 6),
    'the welcome is not for exactly those who were added',
  ],
  ['bytes after the end', (payload: Buffer) => Buffer.concat([payload, Buffer.of(0)]), '1 bytes too many'],
  ['no commit at all', () => Buffer.from('tampered'), 'Not MLS 1.0'],
])('%s is refused, and the other member’s commit makes the group', (_name, alter, reason) => {
  one.alterCommit = alter;
  while (one.inbox.length > 0) one.step();
  expect(group.refused).toContainEqual(reason);
  expect(group.service.epoch()).toBe(0n);
  expect(one.received).not.toContain(Op.daveAnnounceCommit);
  group.settle();
  expectOneGroup(one, two);
});

test('a commit that leaves an open proposal out is refused', () => {
  one.step();
  const three = group.join('1003');
  one.step();
  expect(group.refused).toEqual(['an open proposal is missing']);
  group.settle();
  expectOneGroup(one, two, three);
});

// https://daveprotocol.com/#recovery-from-invalid-commit-or-welcome
test.each([
  ['a commit changed on its way', Op.daveAnnounceCommit],
  ['a welcome changed on its way', Op.daveWelcome],
])('%s is reported with op 31, and the member is removed and added anew', (_name, tampered) => {
  let done = false;
  group.alter = (_userId, op, payload) => {
    if (op !== tampered || done) return payload;
    done = true;
    return flip(payload, payload.length - 1);
  };
  group.settle();
  expect(done).toBe(true);
  expectOneGroup(one, two);
  expect(group.service.epoch()).toBeGreaterThan(1n);
});

// https://daveprotocol.com/#validation
test.each([
  ['of another MLS', (bytes: Buffer) => flip(bytes, 1), 'Not MLS 1.0'],
  ['that was tampered with', (bytes: Buffer) => flip(bytes, 80), 'Wrong leaf signature'],
  ['of another user', () => two.session.getSerializedKeyPackage(), 'A key package of another user'],
])('a key package closes with 4020 %s', (_what, change, reason) => {
  expect(() => group.service.keyPackage(one, change(one.session.getSerializedKeyPackage()))).toThrow(
    expect.objectContaining({ closeCode: 4020, message: reason }),
  );
});
