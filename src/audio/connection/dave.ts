import type { Gate } from '../playing/clip-player.ts';
import { misfitsOf, readyTransport, UNEXPECTED_MEMBER } from './library/borrowed.ts';
import {
  type Networking,
  type NetworkingReadyState,
  NetworkingStatusCode,
  type VoiceConnection,
} from './library/voice-library.ts';

/**
 * How long the gate waits for other members to switch to a new group key before packets are sent anyway. The server
 * reports when all members have switched ('transitioned'), and a slow member must not hold back the audio for longer.
 */
const TRANSITION_LIMIT_MS = 1_500;

export type DaveGate = ReturnType<typeof createDaveGate>;

/**
 * Tells whether listeners can hear sent packets. @discordjs/voice is Ready before its DAVE group exists and then sends
 * unencrypted frames, which no client plays. The same happens whenever the group is formed again. `onOverdue`: no group
 * came within `timeoutMs`. The gate stays closed, because clients would drop unencrypted frames. Called once for each
 * wait, after all messages that had arrived by then.
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
  /** Undefined while nothing can be sent, or if the voice library's internals are not as expected. */
  const known = () => (transport.ready?.misfits.length === 0 ? transport.ready.state : undefined);
  const isOn = ({ dave }: NetworkingReadyState) => dave !== undefined && dave.protocolVersion > 0;
  const isReady = ({ dave }: NetworkingReadyState) => dave?.session?.ready === true;
  /** Without other members there is no group, and no time limit: held packets are for members who come later. */
  const isAlone = ({ connectionData, connectionOptions }: NetworkingReadyState) => {
    const { connectedClients: members } = connectionData;
    // The bot's own ID may be listed too.
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

  /** Call when no packet waits any more: the time limit starts again with the next waiting packet. */
  function stopWaiting(): void {
    heldSinceMs = undefined;
    isOverdue = false;
  }

  /**
   * The gate by the library's public methods: if a privacy code exists, the group is ready. The methods do not tell
   * whether a group will come. After the time limit the library gets the packets, and encrypts them itself if it can.
   */
  function publicState(): Gate {
    if (connection.voicePrivacyCode) return 'encrypted';
    unknownSinceMs ??= now();
    return now() - unknownSinceMs >= timeoutMs ? 'clear' : 'hold';
  }

  /**
   * True if the bot's encryption group exists. Without a group, the members of the next group have yet to switch to it.
   */
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
      // Without DAVE, as on stages, no group ever comes.
      if (isOn(seen)) return 'hold';
      stopWaiting();
      return 'clear';
    }
    readySinceMs ??= now();
    return hasTransitioned || now() - readySinceMs >= TRANSITION_LIMIT_MS ? 'encrypted' : 'hold';
  }

  return {
    /**
     * The gate for a packet that waits to be sent: starts the time limit. A result other than 'hold' stays valid until
     * the next voice gateway message or change of the connection's state.
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
     * The gate without a waiting packet. Must also be called after each voice gateway message: a group may be formed
     * again while nothing plays.
     */
    look,
    stopWaiting,
    /** Must be called on the connection's 'transitioned' event. */
    transitioned(): void {
      const seen = known();
      if (seen && isReady(seen)) hasTransitioned = true;
    },
    /** Must be called for a new connection to a voice server: forgets the earlier state and restarts the time limit. */
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
/** The voice library handles these messages even while it resumes. They say nothing about members or their group. */
const NEVER_KEPT: ReadonlySet<number> = new Set([Op.heartbeatAck, Op.hello, Op.resumed]);
/** How often a proposal is tried again, each time with one more member: more than a call has members. */
const MAX_UNANNOUNCED = 100;

export interface GatewayMessage {
  readonly op: number;
  readonly d?: { readonly transition_id?: number } | null;
}

export type DaveMessages = ReturnType<typeof createDaveMessages>;

/**
 * Brings one voice server's messages into an order that the library can use. `onLeftBehind`: the group continues
 * without the bot, because the members change to an epoch whose commit never came.
 */
export function createDaveMessages(
  networking: Networking,
  onError: (error: unknown) => void,
  onLeftBehind: () => void,
) {
  /** Undefined also if the voice library's internals are not as expected. */
  const readyState = (): NetworkingReadyState | undefined =>
    networking.state.code === NetworkingStatusCode.Ready && misfitsOf(networking.state).length === 0
      ? networking.state
      : undefined;
  /**
   * The library drops binary messages while it resumes, and sends no key package. Discord does not document whether
   * missed messages come before op 9. All messages are kept until then: a commit without its proposals, or a transition
   * without its commit, is useless.
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
   * A proposal may name a member before op 11 does. Without that proposal, the next commit would be useless too and the
   * member would not count as a listener. Both messages come from the same server.
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
   * After an invalid commit, the library restarts the group itself. After a missing commit it stays in the old epoch:
   * only the transition to the next epoch shows the loss.
   */
  function isWithoutCommit({ op, d }: GatewayMessage): boolean {
    const dave = op === Op.executeTransition ? readyState()?.dave : undefined;
    if (dave?.session?.ready !== true || dave.reinitializing || d?.transition_id === undefined) return false;
    // `pendingTransitions` is private in the library's types.
    const pending: unknown = Reflect.get(dave, 'pendingTransitions');
    return pending instanceof Map && !pending.has(d.transition_id) && dave.lastTransitionId !== d.transition_id;
  }

  return {
    /** `handle` gives a message to the library's own handlers of the current socket. */
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
    /** The library has another socket: messages kept for the earlier socket are dropped. */
    socketChanged(): void {
      missed = [];
    },
  };
}
