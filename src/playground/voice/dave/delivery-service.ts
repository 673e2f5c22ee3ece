import { generateKeyPairSync } from 'node:crypto';
import { ClientFault, Close, DAVE_VERSION, Op, type Participant, type ProtocolVersion } from '../protocol.ts';
import { MlsDecodeError, u16, u64, vector } from './codec.ts';
import {
  type Commit,
  commitFault,
  externalSender,
  type KeyPackage,
  type MlsWelcome,
  type OpenProposal,
  proposeAdd,
  proposeRemove,
  readCommitWelcome,
  readKeyPackage,
  signProposal,
  welcomeFor,
} from './mls.ts';

/** Members have “roughly two seconds” to get ready for a change: https://daveprotocol.com/#member-remove */
const TRANSITION_TIMEOUT_MS = 2_000;

/** A change takes effect for all members at once: when all are ready (op 23), or when the time is over. */
function createTransitions(onExecute: (id: number) => void) {
  let lastId = 0;
  let current: { id: number; waiting: Set<Participant>; timer: NodeJS.Timeout } | undefined;

  function execute(): void {
    const executed = current;
    end();
    if (executed) onExecute(executed.id);
  }

  /** Even if all other participants are ready, the change does not take effect before `executeIfReady` is called. */
  function forget(participant: Participant): void {
    current?.waiting.delete(participant);
  }

  function executeIfReady(): void {
    if (current?.waiting.size === 0) execute();
  }

  function end(): void {
    clearTimeout(current?.timer);
    current = undefined;
  }

  return {
    get pending(): boolean {
      return current !== undefined;
    },
    begin(members: Iterable<Participant>): number {
      execute();
      lastId = (lastId % 0xffff) + 1;
      current = { id: lastId, waiting: new Set(members), timer: setTimeout(execute, TRANSITION_TIMEOUT_MS) };
      return lastId;
    },
    /** A call's first encryption group takes effect without waiting for its members, and has the transition id 0. */
    beginAtOnce(): number {
      execute();
      return 0;
    },
    ready(participant: Participant, id: number): void {
      if (current?.id !== id) return;
      forget(participant);
      executeIfReady();
    },
    forget,
    executeIfReady,
    end,
  };
}

/** Tracks a call's DAVE version and its changes: https://daveprotocol.com/#protocol-transitions */
function createCallVersion(members: { keys(): Iterable<Participant> }, sendSender: (to: Participant) => void) {
  const introduced = new WeakSet<Participant>();
  let current: ProtocolVersion = DAVE_VERSION;
  let change: 'down' | 'up' | undefined;

  function introduce(participant: Participant): void {
    if (introduced.has(participant)) return;
    introduced.add(participant);
    sendSender(participant);
  }

  function prepareVersion(participant: Participant, to: ProtocolVersion, transitionId: number): void {
    participant.send(Op.davePrepareTransition, { transition_id: transitionId, protocol_version: to });
  }

  function prepareFirstEpoch(participant: Participant): void {
    participant.send(Op.davePrepareEpoch, { transition_id: 0, protocol_version: DAVE_VERSION, epoch: 1 });
  }

  return {
    get current() {
      return current;
    },
    get isChangingDown() {
      return change === 'down';
    },
    /** If true, the call has no encryption group or will soon have none: messages about a group are then ignored. */
    get isWithoutGroup() {
      return current === 0 || change === 'down';
    },
    beginDowngrade(transitionId: number): void {
      change = 'down';
      for (const participant of members.keys()) prepareVersion(participant, 0, transitionId);
    },
    beginUpgrade(): void {
      current = DAVE_VERSION;
      change = 'up';
      for (const participant of members.keys()) {
        prepareFirstEpoch(participant);
        introduce(participant);
      }
    },
    downgraded(): void {
      change = undefined;
      current = 0;
    },
    /** In a call that was unencrypted, members have to change to the new group together. */
    isFirstAtOnce(): boolean {
      const isAtOnce = change !== 'up';
      change = undefined;
      return isAtOnce;
    },
    /** A newcomer to an encrypted call gets the server's identity (op 25), which is needed to join the group. */
    greet(participant: Participant): void {
      if (change === 'down') prepareVersion(participant, 0, 0);
      else if (current > 0) introduce(participant);
    },
    startAnew(participant: Participant): void {
      prepareFirstEpoch(participant);
      prepareVersion(participant, DAVE_VERSION, 0);
    },
  };
}

interface Member {
  participant: Participant;
  /** The key package is kept after the member has joined, because later checks need its signature key. */
  keyPackage: KeyPackage | undefined;
  leafIndex: number | undefined;
  /**
   * True if the member could not process a change of the group, or sent a new key package as a member of the group. The
   * group then removes the member and may add it again.
   */
  lost: boolean;
}

interface Proposal extends OpenProposal {
  member: Member;
  message: Buffer;
}

interface DeliveryOptions {
  channelId: string;
  onChange(): void;
  /** Changes an encryption message on its way to a client, for tests of tampering; undefined loses the message. */
  alter(userId: string, op: number, payload: Buffer): Buffer | undefined;
}

/** The server's side of a call's encryption: https://daveprotocol.com/#delivery-service */
export type DeliveryService = ReturnType<typeof createDeliveryService>;

export function createDeliveryService(options: DeliveryOptions) {
  const groupId = u64(BigInt(options.channelId));
  const sender = externalSender(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  const members = new Map<Participant, Member>();
  const proposals = new Map<string, Proposal>();
  const leaves: (Member | undefined)[] = [];
  let epoch = 0n;
  const version = createCallVersion(members, (participant) =>
    send(memberOf(participant), Op.daveExternalSender, sender.bytes),
  );
  const transitions = createTransitions((id) => {
    const isDown = version.isChangingDown;
    const concerned = isDown ? [...members.values()] : grouped();
    for (const member of concerned) member.participant.send(Op.daveExecuteTransition, { transition_id: id });
    if (isDown) endEncryption();
    options.onChange();
  });

  const inGroup = (member: Member) => member.leafIndex !== undefined && !member.lost;
  const grouped = () => [...members.values()].filter(inGroup);

  /** Only group members can commit a proposal. While there is no group, everyone can, except the member that the proposal adds. */
  const canCommit = (member: Member, proposal: Proposal) => (epoch > 0n ? inGroup(member) : member !== proposal.member);

  function send(member: Member, op: number, payload: Buffer): void {
    const altered = options.alter(member.participant.userId, op, payload);
    if (altered) member.participant.sendBinary(op, altered);
  }

  function sendProposals(member: Member, list: readonly Proposal[]): void {
    const messages = list.filter((proposal) => canCommit(member, proposal)).map(({ message }) => message);
    if (messages.length > 0)
      send(member, Op.daveProposals, Buffer.concat([Buffer.of(0), vector(Buffer.concat(messages))]));
  }

  function propose(kind: 'add' | 'remove', member: Member, body: Buffer): Proposal {
    const keyPackageRef = kind === 'add' ? member.keyPackage?.ref : undefined;
    const proposal = { kind, member, keyPackageRef, ...signProposal(sender, groupId, epoch, body) };
    proposals.set(proposal.ref.toString('hex'), proposal);
    return proposal;
  }

  function revokeAll(): void {
    const list = [...proposals.values()];
    proposals.clear();
    for (const member of members.values()) {
      const refs = list.filter((proposal) => canCommit(member, proposal)).map(({ ref }) => vector(ref));
      if (refs.length > 0) send(member, Op.daveProposals, Buffer.concat([Buffer.of(1), vector(Buffer.concat(refs))]));
    }
  }

  const proposalsFor = (member: Member, kind: 'add' | 'remove') =>
    [...proposals.values()].filter((proposal) => proposal.member === member && proposal.kind === kind);

  /** Proposes removing members who left or are `lost`, and adding members outside the group who have a key package. */
  function proposeWhatIsDue(): void {
    const due: Proposal[] = [];
    for (const [leafIndex, member] of leaves.entries()) {
      const gone = member !== undefined && (member.lost || !members.has(member.participant));
      if (gone && proposalsFor(member, 'remove').length === 0)
        due.push(propose('remove', member, proposeRemove(leafIndex)));
    }
    for (const member of members.values()) {
      const pending = member.keyPackage !== undefined && !inGroup(member);
      if (pending && proposalsFor(member, 'add').length === 0)
        due.push(propose('add', member, proposeAdd(member.keyPackage?.bytes ?? groupId)));
    }
    for (const member of members.values()) sendProposals(member, due);
  }

  function forgetGroup(): void {
    epoch = 0n;
    leaves.length = 0;
    proposals.clear();
    for (const member of members.values()) {
      member.leafIndex = undefined;
      member.lost = false;
    }
  }

  function endEncryption(): void {
    version.downgraded();
    forgetGroup();
    for (const member of members.values()) member.keyPackage = undefined;
  }

  /** A last member must not keep the old group: https://daveprotocol.com/#sole-member-reset */
  function resetGroup(): void {
    const remaining = grouped();
    transitions.end();
    forgetGroup();
    for (const member of remaining) {
      member.keyPackage = undefined;
      version.startAnew(member.participant);
    }
  }

  /**
   * Unless `change` is 'added' (a commit, or a key package that replaces none), open proposals are revoked and sent again with
   * new ones in one message. The library davey welcomes new members only if the last message adds members.
   */
  function settle(change: 'added' | 'other'): void {
    if (epoch > 0n && (members.size <= 1 || grouped().length === 0)) resetGroup();
    else if (change === 'other' && proposals.size > 0) revokeAll();
    proposeWhatIsDue();
    options.onChange();
  }

  function apply(committer: Member, commit: Commit, welcome: MlsWelcome | undefined): void {
    const first = epoch === 0n;
    if (first) {
      committer.leafIndex = 0;
      leaves[0] = committer;
    }
    const before = grouped();
    const ordered = commit.references.flatMap((ref) => proposals.get(ref.toString('hex')) ?? []);
    const added = ordered.filter(({ kind }) => kind === 'add').map(({ member }) => member);
    for (const { kind, member } of ordered) {
      if (kind !== 'remove') continue;
      leaves[leaves.indexOf(member)] = undefined;
      member.leafIndex = undefined;
      member.lost = false;
    }
    for (const member of added) {
      const blank = leaves.indexOf(undefined);
      member.leafIndex = blank === -1 ? leaves.length : blank;
      member.lost = false;
      leaves[member.leafIndex] = member;
    }
    proposals.clear();
    epoch += 1n;
    const isAtOnce = first && version.isFirstAtOnce();
    const id = u16(
      isAtOnce ? transitions.beginAtOnce() : transitions.begin(grouped().map(({ participant }) => participant)),
    );
    for (const member of before) send(member, Op.daveAnnounceCommit, Buffer.concat([id, commit.bytes]));
    for (const member of added) {
      if (welcome === undefined || member.keyPackage === undefined) continue;
      send(member, Op.daveWelcome, Buffer.concat([id, welcomeFor(welcome, member.keyPackage.ref)]));
    }
  }

  function fault(member: Member, commit: Commit, welcome: MlsWelcome | undefined): string | undefined {
    if (member.keyPackage === undefined) return 'no key package yet';
    if (epoch > 0n && !inGroup(member)) return 'not a member of the group';
    return commitFault(commit, welcome, {
      groupId,
      epoch,
      senderLeaf: epoch === 0n ? 0 : (member.leafIndex ?? -1),
      senderSignatureKey: member.keyPackage.leaf.signatureKey,
      senderIdentity: member.keyPackage.leaf.identity,
      open: [...proposals.values()].filter((proposal) => canCommit(member, proposal)),
    });
  }

  const memberOf = (participant: Participant): Member => {
    const member = members.get(participant);
    if (member === undefined) throw new ClientFault(Close.badRequest, 'DAVE has not begun for this client');
    return member;
  };

  return {
    join(participant: Participant): void {
      const member: Member = { participant, keyPackage: undefined, leafIndex: undefined, lost: false };
      members.set(participant, member);
      version.greet(participant);
      if (epoch === 0n) sendProposals(member, [...proposals.values()]);
      options.onChange();
    },
    leave(participant: Participant): void {
      const member = members.get(participant);
      if (member === undefined) return;
      members.delete(participant);
      transitions.forget(participant);
      settle('other');
      transitions.executeIfReady();
    },
    keyPackage(participant: Participant, payload: Uint8Array): void {
      const member = memberOf(participant);
      if (version.isWithoutGroup) return;
      const keyPackage = decode(() => readKeyPackage(payload));
      const { identity, lifetime } = keyPackage.leaf;
      if (!identity.equals(u64(BigInt(participant.userId))))
        throw new ClientFault(Close.badRequest, 'A key package of another user');
      if (lifetime?.notBefore !== 0n || lifetime.notAfter !== 0xffff_ffff_ffff_ffffn) {
        throw new ClientFault(Close.badRequest, 'The lifetime of a key package is without limits in DAVE');
      }
      const replaces = proposalsFor(member, 'add').length > 0 || inGroup(member);
      member.keyPackage = keyPackage;
      // A group member that sends a new key package starts over: the group removes the member's old leaf.
      member.lost = member.leafIndex !== undefined;
      settle(replaces ? 'other' : 'added');
    },
    /** Returns why the commit is refused; undefined if the commit is accepted, or ignored in a call without a group. */
    commitWelcome(participant: Participant, payload: Uint8Array): string | undefined {
      const member = memberOf(participant);
      if (version.isWithoutGroup) return undefined;
      let reason: string | undefined;
      try {
        const { commit, welcome } = readCommitWelcome(payload);
        reason = fault(member, commit, welcome);
        if (reason === undefined) apply(member, commit, welcome);
      } catch (error) {
        if (!(error instanceof MlsDecodeError)) throw error;
        reason = error.message;
      }
      if (reason === undefined) settle('added');
      return reason;
    },
    transitionReady: (participant: Participant, id: number) => transitions.ready(participant, id),
    invalidCommitWelcome(participant: Participant): void {
      const member = memberOf(participant);
      transitions.forget(participant);
      if (member.leafIndex !== undefined) {
        member.lost = true;
        member.keyPackage = undefined;
      }
      settle('other');
    },
    get protocolVersion() {
      return version.current;
    },
    /** Starts a change of the DAVE version. Version 0 takes effect when all members are ready, or after two seconds. */
    setProtocolVersion(next: ProtocolVersion): void {
      if (next === version.current || version.isChangingDown) return;
      if (next === 0) {
        version.beginDowngrade(transitions.begin(members.keys()));
        transitions.executeIfReady();
      } else {
        version.beginUpgrade();
      }
      options.onChange();
    },
    /** The group's epoch, which counts changes of its keys; 0 if there is no group. */
    epoch: () => epoch,
    leafIndex: (participant: Participant) => {
      const member = members.get(participant);
      return member !== undefined && inGroup(member) ? member.leafIndex : undefined;
    },
    /** True if no transition is pending, and either the call is unencrypted or its group includes all members. */
    settled: () => !transitions.pending && (version.current === 0 || [...members.values()].every(inGroup)),
    close: () => transitions.end(),
  };
}

function decode<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MlsDecodeError) throw new ClientFault(Close.badRequest, error.message);
    throw error;
  }
}
