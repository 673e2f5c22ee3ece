import { type Networking, NetworkingStatusCode } from './library/voice-library.ts';

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-opcodes */
const Op = {
  heartbeatAck: 6,
  hello: 8,
  resumed: 9,
  clientsConnect: 11,
  clientDisconnect: 13,
  executeTransition: 22,
  proposals: 27,
} as const;
/** The library handles these while it resumes, and they say nothing about members or their group. */
const NEVER_KEPT: ReadonlySet<number> = new Set([Op.heartbeatAck, Op.hello, Op.resumed]);
/** More proposals for members without an op 11 than a call has members are not kept. */
const MAX_KEPT_PROPOSALS = 100;

export interface GatewayMessage {
  readonly op: number;
  readonly d?: { readonly user_ids?: readonly string[]; readonly user_id?: string; readonly transition_id?: number };
}

/** Brings the messages of one voice server to the library in an order in which it can use them. */
export interface DaveMessages {
  /** `handle` gives a message to the library's own handlers of the present socket. */
  receive(message: GatewayMessage, handle: () => void): void;
  /** The library has another socket: what is kept belongs to the earlier one. */
  socketChanged(): void;
  /** A member is to be added to the group, and op 11 has not named it yet. */
  readonly awaitsMember: boolean;
}

interface DaveMessagesOptions {
  readonly networking: Networking;
  readonly onError: (error: unknown) => void;
  /** The group goes on without this client: the others change to an epoch whose commit never came. */
  readonly onLeftBehind: () => void;
}

/** davey refuses to add members that it has not been told of; the id is in its message. */
function unexpectedMember(error: unknown): string | undefined {
  return error instanceof Error ? /UnexpectedUser\((\d+)\)/.exec(error.message)?.[1] : undefined;
}

export function createDaveMessages({ networking, onError, onLeftBehind }: DaveMessagesOptions): DaveMessages {
  /**
   * The library drops binary messages while it resumes, and sends no key package. Discord does not document whether missed
   * messages come before op 9. All of them are kept until then: a commit without its proposals, or a transition without its
   * commit, is of no use.
   */
  let missed: (() => void)[] = [];
  let unexpected: { memberId: string; again: () => void }[] = [];

  function deliver(message: GatewayMessage, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      if (!keepForMember(message, handle, error)) onError(error);
    }
  }

  /** Where the proposal names a member before op 11 does. */
  function keepForMember(message: GatewayMessage, handle: () => void, error: unknown): boolean {
    const memberId = message.op === Op.proposals ? unexpectedMember(error) : undefined;
    if (memberId === undefined || unexpected.length >= MAX_KEPT_PROPOSALS) return false;
    unexpected.push({ memberId, again: () => deliver(message, handle) });
    return true;
  }

  /**
   * A commit that is there but of no use makes the library start anew by itself. One that never came leaves it in the old
   * epoch, and only the transition to the next one tells.
   */
  function isWithoutCommit({ op, d }: GatewayMessage): boolean {
    const { state } = networking;
    if (op !== Op.executeTransition || state.code !== NetworkingStatusCode.Ready) return false;
    const { dave } = state;
    if (dave?.session?.ready !== true || dave.reinitializing || d?.transition_id === undefined) return false;
    // Private in the library's types.
    const pending: unknown = Reflect.get(dave, 'pendingTransitions');
    return pending instanceof Map && !pending.has(d.transition_id) && dave.lastTransitionId !== d.transition_id;
  }

  function membersChanged({ op, d }: GatewayMessage): void {
    if (op === Op.clientDisconnect) unexpected = unexpected.filter(({ memberId }) => memberId !== d?.user_id);
    if (op !== Op.clientsConnect) return;
    const due = unexpected.filter(({ memberId }) => d?.user_ids?.includes(memberId));
    unexpected = unexpected.filter((kept) => !due.includes(kept));
    for (const { again } of due) again();
  }

  return {
    receive(message, handle) {
      if (networking.state.code === NetworkingStatusCode.Resuming && !NEVER_KEPT.has(message.op)) {
        missed.push(() => this.receive(message, handle));
        return;
      }
      const wasLeftBehind = isWithoutCommit(message);
      deliver(message, handle);
      membersChanged(message);
      if (wasLeftBehind) onLeftBehind();
      if (message.op !== Op.resumed) return;
      const due = missed;
      missed = [];
      for (const receive of due) receive();
    },
    socketChanged() {
      missed = [];
    },
    get awaitsMember() {
      return unexpected.length > 0;
    },
  };
}
