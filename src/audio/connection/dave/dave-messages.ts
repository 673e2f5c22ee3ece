import { misfitsOf, UNEXPECTED_MEMBER } from '../library/borrowed.ts';
import { type Networking, type NetworkingReadyState, NetworkingStatusCode } from '../library/voice-library.ts';

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-opcodes */
const Op = {
  heartbeatAck: 6,
  hello: 8,
  resumed: 9,
  executeTransition: 22,
  proposals: 27,
} as const;
/** The library handles these while it resumes, and they say nothing about members or their group. */
const NEVER_KEPT: ReadonlySet<number> = new Set([Op.heartbeatAck, Op.hello, Op.resumed]);
/** A call has fewer members than proposals are tried again for. */
const MAX_UNANNOUNCED = 100;

export interface GatewayMessage {
  readonly op: number;
  readonly d?: {
    readonly transition_id?: number;
  } | null;
}

/** Brings the messages of one voice server to the library in an order in which it can use them. */
export interface DaveMessages {
  /** `handle` gives a message to the library's own handlers of the present socket. */
  receive(message: GatewayMessage, handle: () => void): void;
  /** The library has another socket: what is kept belongs to the earlier one. */
  socketChanged(): void;
}

interface DaveMessagesOptions {
  readonly networking: Networking;
  readonly onError: (error: unknown) => void;
  /** The group goes on without this client: the others change to an epoch whose commit never came. */
  readonly onLeftBehind: () => void;
}

function unexpectedMember(error: unknown): string | undefined {
  return error instanceof Error ? UNEXPECTED_MEMBER.exec(error.message)?.[1] : undefined;
}

/** The library's fields are not those that are known. */
const isUnknown = (state: NetworkingReadyState): boolean => misfitsOf(state).length > 0;

export function createDaveMessages({ networking, onError, onLeftBehind }: DaveMessagesOptions): DaveMessages {
  /**
   * The library drops binary messages while it resumes, and sends no key package. Discord does not document whether missed
   * messages come before op 9. All of them are kept until then: a commit without its proposals, or a transition without its
   * commit, is of no use.
   */
  let missed: (() => void)[] = [];

  function deliver(message: GatewayMessage, handle: () => void, triesLeft = MAX_UNANNOUNCED): void {
    try {
      handle();
    } catch (error) {
      if (triesLeft > 0 && announce(message, error)) deliver(message, handle, triesLeft - 1);
      else onError(error);
    }
  }

  /**
   * A proposal may name a member before op 11 does: without it the next commit would be of no use either, and the member would
   * not count as a listener. Both messages are the same server's word.
   */
  function announce({ op }: GatewayMessage, error: unknown): boolean {
    const { state } = networking;
    const memberId = op === Op.proposals ? unexpectedMember(error) : undefined;
    if (memberId === undefined || state.code !== NetworkingStatusCode.Ready || isUnknown(state)) return false;
    const { connectedClients } = state.connectionData;
    if (connectedClients.has(memberId)) return false;
    connectedClients.add(memberId);
    return true;
  }

  /**
   * A commit that is there but of no use makes the library start anew by itself. One that never came leaves it in the old
   * epoch, and only the transition to the next one tells.
   */
  function isWithoutCommit({ op, d }: GatewayMessage): boolean {
    const { state } = networking;
    if (op !== Op.executeTransition || state.code !== NetworkingStatusCode.Ready || isUnknown(state)) return false;
    const { dave } = state;
    if (dave?.session?.ready !== true || dave.reinitializing || d?.transition_id === undefined) return false;
    // Private in the library's types.
    const pending: unknown = Reflect.get(dave, 'pendingTransitions');
    return pending instanceof Map && !pending.has(d.transition_id) && dave.lastTransitionId !== d.transition_id;
  }

  return {
    receive(message, handle) {
      if (networking.state.code === NetworkingStatusCode.Resuming && !NEVER_KEPT.has(message.op)) {
        missed.push(() => this.receive(message, handle));
        return;
      }
      const wasLeftBehind = isWithoutCommit(message);
      deliver(message, handle);
      if (wasLeftBehind) onLeftBehind();
      if (message.op !== Op.resumed) return;
      const due = missed;
      missed = [];
      for (const receive of due) receive();
    },
    socketChanged() {
      missed = [];
    },
  };
}
