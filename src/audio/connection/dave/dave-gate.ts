import type { Gate } from '../../playing/clip-player.ts';
import { readyTransport } from '../library/borrowed.ts';
import type { NetworkingReadyState, VoiceConnection } from '../library/voice-library.ts';
import { createAnnouncedCall } from './announced-call.ts';
import type { GatewayMessage } from './dave-messages.ts';

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
  heard(message: GatewayMessage): void;
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

  const transport = readyTransport(connection);
  const announced = createAnnouncedCall();
  const isOn = ({ dave }: NetworkingReadyState) => dave !== undefined && dave.protocolVersion > 0;
  const isReady = ({ dave }: NetworkingReadyState) => dave?.session?.ready === true;
  /** In a call without others there is no group, and no time limit for one: what is held is for those who come. */
  const isAlone = ({ connectionData, connectionOptions }: NetworkingReadyState) => {
    if (fallsBack() && announced.protocolVersion === undefined) return false;
    const members = fallsBack() ? announced.memberIds : connectionData.connectedClients;
    // Our own id may be listed too; in the fallback it may not be known.
    return members.size - Number(members.has(connectionOptions?.userId)) === 0;
  };

  /** The library's fields about the group are not those that are known. */
  const fallsBack = () => transport.ready !== undefined && transport.ready.misfits.group.length > 0;

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
   * By the library's public methods, where a group has a privacy code, and the voice gateway's messages. Where those are not
   * heard either, the wait ends with the packets in the library's hands, which encrypts them itself where it can.
   */
  function publicState(): Gate {
    const { protocolVersion } = announced;
    if (connection.voicePrivacyCode || protocolVersion === 0) {
      stopWaiting();
      return connection.voicePrivacyCode ? 'encrypted' : 'clear';
    }
    const isOver = heldSinceMs !== undefined && now() - heldSinceMs >= options.timeoutMs;
    return protocolVersion === undefined && isOver ? 'clear' : 'hold';
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
    const seen = transport.ready?.state;
    if (!seen) {
      stopWaiting();
      return 'hold';
    }
    if (fallsBack()) return publicState();
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
      const seen = transport.ready?.state;
      if (gate !== 'hold' || !seen || readySinceMs !== undefined) return gate;
      if (isAlone(seen)) stopWaiting();
      else startWaiting();
      return gate;
    },
    get current() {
      return look();
    },
    heard(message) {
      announced.heard(message);
      look();
    },
    stopWaiting,
    transitioned() {
      const seen = transport.ready?.state;
      if (seen && isReady(seen)) hasTransitioned = true;
    },
    reset() {
      hasTransitioned = false;
      readySinceMs = undefined;
      stopWaiting();
    },
  };
}
