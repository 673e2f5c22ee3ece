import { DAVE_VERSION, Op } from '../protocol.ts';
import type { Participant, ProtocolVersion } from '../types.ts';

/** How long the server waits for op 23 of everybody: 'roughly two seconds', https://daveprotocol.com/#member-remove. */
const TRANSITION_TIMEOUT_MS = 2_000;

/** The one transition to a new epoch that may be under way: executed when all are ready, or have had their time. */
export function createTransitions(onExecute: (id: number) => void) {
  let lastId = 0;
  let current: { id: number; waiting: Set<Participant>; timer: NodeJS.Timeout } | undefined;

  function end(): void {
    clearTimeout(current?.timer);
    current = undefined;
  }

  function execute(): void {
    if (current === undefined) return;
    const { id } = current;
    end();
    onExecute(id);
  }

  const executeIfReady = () => {
    if (current?.waiting.size === 0) execute();
  };

  return {
    get pending(): boolean {
      return current !== undefined;
    },
    /** Returns the new transition's id; one still under way is executed first. */
    begin(members: Iterable<Participant>): number {
      execute();
      lastId = (lastId % 0xffff) + 1;
      current = { id: lastId, waiting: new Set(members), timer: setTimeout(execute, TRANSITION_TIMEOUT_MS) };
      return lastId;
    },
    /** The first of a group takes effect at once, as transition 0. */
    beginAtOnce(): number {
      execute();
      return 0;
    },
    /** Op 23 */
    ready(participant: Participant, id: number): void {
      if (current?.id !== id) return;
      current.waiting.delete(participant);
      executeIfReady();
    },
    /** This member is not waited for any more; `executeIfReady` decides the next step. */
    forget: (participant: Participant) => void current?.waiting.delete(participant),
    executeIfReady,
    /** Cancels the open transition without executing it. */
    end,
  };
}

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
    /** The last member starts over. */
    startAnew(participant: Participant): void {
      prepareFirstEpoch(participant);
      prepareVersion(participant, DAVE_VERSION, 0);
    },
  };
}
