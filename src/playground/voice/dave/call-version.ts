import { DAVE_VERSION, Op } from '../protocol/opcodes.ts';
import type { Participant, ProtocolVersion } from '../protocol/types.ts';

/** The protocol version of a call, and how its members are told of a change: https://daveprotocol.com/#protocol-transitions. */
export function createCallVersion(members: { keys(): Iterable<Participant> }, sendSender: (to: Participant) => void) {
  let version: ProtocolVersion = DAVE_VERSION;
  /** The transition under way to version 0, or from there to the next group. */
  let change: 'down' | 'up' | undefined;
  /** Have got op 25. */
  const introduced = new WeakSet<Participant>();

  function introduce(participant: Participant): void {
    if (introduced.has(participant)) return;
    introduced.add(participant);
    sendSender(participant);
  }

  function prepareVersion(participant: Participant, to: ProtocolVersion, transitionId: number): void {
    participant.send(Op.davePrepareTransition, { transition_id: transitionId, protocol_version: to });
  }

  /** Has a member begin a new group. */
  function prepareFirstEpoch(participant: Participant): void {
    participant.send(Op.davePrepareEpoch, { transition_id: 0, protocol_version: DAVE_VERSION, epoch: 1 });
  }

  return {
    get current() {
      return version;
    },
    get isChangingDown() {
      return change === 'down';
    },
    /** There is no group, or soon none: what members send about one is of no use. */
    get isWithoutGroup() {
      return version === 0 || change === 'down';
    },
    beginDowngrade(transitionId: number): void {
      change = 'down';
      for (const participant of members.keys()) prepareVersion(participant, 0, transitionId);
    },
    /** Members change to the next group together. */
    beginUpgrade(): void {
      version = DAVE_VERSION;
      change = 'up';
      for (const participant of members.keys()) {
        prepareFirstEpoch(participant);
        introduce(participant);
      }
    },
    downgraded(): void {
      change = undefined;
      version = 0;
    },
    /** Whether a first group takes effect at once: no member was in a call without one before. */
    isFirstAtOnce(): boolean {
      const isAtOnce = change !== 'up';
      change = undefined;
      return isAtOnce;
    },
    /** A newcomer was told the version when it connected; one that has ended since is told at once. */
    greet(participant: Participant): void {
      if (change === 'down') prepareVersion(participant, 0, 0);
      else if (version > 0) introduce(participant);
    },
    /** The last member starts anew. */
    startAnew(participant: Participant): void {
      prepareFirstEpoch(participant);
      prepareVersion(participant, DAVE_VERSION, 0);
    },
  };
}
