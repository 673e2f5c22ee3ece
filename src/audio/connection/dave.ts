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

export type DaveGate = ReturnType<typeof createDaveGate>;

/**
 * Whether sent packets are audible to the listeners. @discordjs/voice is Ready before its DAVE group exists and then
 * sends unencrypted frames, which no client plays; the same happens whenever the group is formed again.
 * `onOverdue`: no group came within `timeoutMs`. The gate stays closed: frames without encryption would be sent to clients
 * that drop them. Called once for each wait, after the messages that had arrived by then.
 */
export function createDaveGate(
  connection: VoiceConnection,
  timeoutMs: number,
  onOverdue: () => void,
  now: () => number = () => performance.now(),
) {
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
    if (isOverdue || now() - heldSinceMs < timeoutMs) return;
    isOverdue = true;
    setImmediate(() => {
      if (isOverdue) onOverdue();
    });
  }

  /** No packet waits any more: the time limit starts with the next one that does. */
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
    return now() - unknownSinceMs >= timeoutMs ? 'clear' : 'hold';
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
    /**
     * For a packet that waits to be sent: starts the time limit. A result other than 'hold' stays valid until the next message
     * of the voice gateway or change of the connection's state.
     */
    state(): Gate {
      const gate = look();
      const seen = known();
      if (gate !== 'hold' || !seen || readySinceMs !== undefined) return gate;
      if (isAlone(seen)) stopWaiting();
      else startWaiting();
      return gate;
    },
    /**
     * The same without a packet. To be called after each message of the voice gateway, too: a group may be formed again while
     * nothing is being played.
     */
    look,
    stopWaiting,
    /** To be called on the connection's 'transitioned' event. */
    transitioned(): void {
      const seen = known();
      if (seen && isReady(seen)) hasTransitioned = true;
    },
    /** A new connection to a voice server: the earlier state is void, the time limit starts again. */
    reset(): void {
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
  readonly d?: { readonly transition_id?: number } | null;
}

export type DaveMessages = ReturnType<typeof createDaveMessages>;

/**
 * Brings the messages of one voice server to the library in an order in which it can use them. `onLeftBehind`: the group goes
 * on without this client, the others change to an epoch whose commit never came.
 */
export function createDaveMessages(
  networking: Networking,
  onError: (error: unknown) => void,
  onLeftBehind: () => void,
) {
  /** Undefined also where the library's fields are not those that are known. */
  const readyState = (): NetworkingReadyState | undefined =>
    networking.state.code === NetworkingStatusCode.Ready && misfitsOf(networking.state).length === 0
      ? networking.state
      : undefined;
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
    const [, memberId] =
      op === Op.proposals && error instanceof Error ? (UNEXPECTED_MEMBER.exec(error.message) ?? []) : [];
    const members = readyState()?.connectionData.connectedClients;
    if (memberId === undefined || !members || members.has(memberId)) return false;
    members.add(memberId);
    return true;
  }

  /**
   * After an invalid commit, the library restarts the group by itself. After a missing commit it stays in the old
   * epoch, which only the transition to the next one shows.
   */
  function isWithoutCommit({ op, d }: GatewayMessage): boolean {
    const dave = op === Op.executeTransition ? readyState()?.dave : undefined;
    if (dave?.session?.ready !== true || dave.reinitializing || d?.transition_id === undefined) return false;
    // Private in the library's types.
    const pending: unknown = Reflect.get(dave, 'pendingTransitions');
    return pending instanceof Map && !pending.has(d.transition_id) && dave.lastTransitionId !== d.transition_id;
  }

  return {
    /** `handle` gives a message to the library's own handlers of the present socket. */
    receive(message: GatewayMessage, handle: () => void): void {
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
    /** The library has another socket: what is kept belongs to the earlier one. */
    socketChanged(): void {
      missed = [];
    },
  };
}
