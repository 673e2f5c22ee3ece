import type { Gate } from '../../playing/clip-player.ts';
import { readyTransport } from '../library/borrowed.ts';
import type { NetworkingReadyState, VoiceConnection } from '../library/voice-library.ts';

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
