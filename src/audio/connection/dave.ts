import type { Gate } from '../playing/clip-player.ts';
import { misfitsOf, readyTransport, UNEXPECTED_MEMBER } from './library/borrowed.ts';
import {
  type Networking,
  type NetworkingReadyState,
  NetworkingStatusCode,
  type VoiceConnection,
} from './library/voice-library.ts';

/**
 * After our group key arrives, the other members may still be switching to it: the server reports when all have
 * ('transitioned'). A slow member must not hold back the audio for longer than this.
 */
const TRANSITION_LIMIT_MS = 1_500;

/**
 * Whether sent packets are audible to the listeners. @discordjs/voice is Ready before its DAVE group exists and then
 * sends unencrypted frames, which no client plays; the same happens whenever the group is formed again.
 */
export interface DaveGate {
  /**
   * For a packet that waits to be sent: starts the time limit. A result other than 'hold' stays valid until the next message
   * of the voice gateway or change of the connection's state.
   */
  state(): Gate;
  /** The same without a packet. */
  readonly current: Gate;
  /**
   * To be called after each message of the voice gateway: a group may be formed again while nothing is being played, and
   * state() is not called.
   */
  heard(): void;
  /** No packet waits any more: the time limit starts with the next one that does. */
  stopWaiting(): void;
  /** To be called on the connection's 'transitioned' event. */
  transitioned(): void;
  /** A new connection to a voice server: the earlier state is void, the time limit starts again. */
  reset(): void;
}

export function createDaveGate(options: {
  connection: VoiceConnection;
  /** The time limit of one wait for a group. */
  timeoutMs: number;
  /**
   * The time limit is over. The gate stays closed: frames without encryption would be sent to clients that drop them. Called
   * once for each wait, after the messages that had arrived by then.
   */
  onOverdue(): void;
  now?: () => number;
}): DaveGate {
  const { connection, now = () => performance.now() } = options;
  let hasTransitioned = false;
  let heldSinceMs: number | undefined;
  let readySinceMs: number | undefined;
  let isOverdue = false;
  let unknownSinceMs: number | undefined;

  const transport = readyTransport(connection);
  /** Undefined while nothing can be sent, and where the library's fields are not those that are known. */
  const known = () => (transport.ready?.misfits.length === 0 ? transport.ready.state : undefined);
  const isOn = ({ dave }: NetworkingReadyState) => dave !== undefined && dave.protocolVersion > 0;
  const isReady = ({ dave }: NetworkingReadyState) => dave?.session?.ready === true;
  /** In a call without others there is no group, and no time limit for one: what is held is for those who come. */
  const isAlone = ({ connectionData, connectionOptions }: NetworkingReadyState) => {
    const { connectedClients: members } = connectionData;
    // Our own id may be listed too.
    return members.size - Number(members.has(connectionOptions.userId)) === 0;
  };

  function startWaiting(): void {
    heldSinceMs ??= now();
    if (isOverdue || now() - heldSinceMs < options.timeoutMs) return;
    isOverdue = true;
    setImmediate(() => {
      if (isOverdue) options.onOverdue();
    });
  }

  function stopWaiting(): void {
    heldSinceMs = undefined;
    isOverdue = false;
  }

  /**
   * By the library's public methods: a group has a privacy code. Whether there will be one is not known there, so the time limit
   * ends with the packets in the library's hands, which encrypts them itself where it can.
   */
  function publicState(): Gate {
    if (connection.voicePrivacyCode) return 'encrypted';
    unknownSinceMs ??= now();
    return now() - unknownSinceMs >= options.timeoutMs ? 'clear' : 'hold';
  }

  /** Whether our group exists. Without one, the members of the next one have yet to switch to it. */
  function hasGroup(seen: NetworkingReadyState): boolean {
    if (isOn(seen) && isReady(seen)) {
      stopWaiting();
      return true;
    }
    hasTransitioned = false;
    readySinceMs = undefined;
    return false;
  }

  function look(): Gate {
    const seen = known();
    if (!seen) {
      stopWaiting();
      return transport.ready ? publicState() : 'hold';
    }
    if (!hasGroup(seen)) {
      // Without DAVE, as on stages, there never will be a group.
      if (isOn(seen)) return 'hold';
      stopWaiting();
      return 'clear';
    }
    readySinceMs ??= now();
    return hasTransitioned || now() - readySinceMs >= TRANSITION_LIMIT_MS ? 'encrypted' : 'hold';
  }

  return {
    state() {
      const gate = look();
      const seen = known();
      if (gate !== 'hold' || !seen || readySinceMs !== undefined) return gate;
      if (isAlone(seen)) stopWaiting();
      else startWaiting();
      return gate;
    },
    get current() {
      return look();
    },
    heard: () => void look(),
    stopWaiting,
    transitioned() {
      const seen = known();
      if (seen && isReady(seen)) hasTransitioned = true;
    },
    reset() {
      hasTransitioned = false;
      readySinceMs = undefined;
      unknownSinceMs = undefined;
      stopWaiting();
    },
  };
}

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
   * After an invalid commit, the library restarts the group by itself. After a missing commit it stays in the old
   * epoch, which only the transition to the next one shows.
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
