import type { Gate } from '../playing/clip-player.ts';
import type { NetworkingReadyState, VoiceConnection } from './library/voice-library.ts';
import { readyTransport } from './ready-transport.ts';

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
  /** A result other than 'hold' stays valid until the next message of the voice gateway or change of the connection's state. */
  state(): Gate;
  /**
   * To be called after each message of the voice gateway: a group may be formed again while nothing is being played, and
   * check() is not called.
   */
  heard(): void;
  /** To be called on the connection's 'transitioned' event. */
  transitioned(): void;
  /** A new connection to a voice server: the earlier state is void, the time limit starts again. */
  reset(): void;
  /** Opened at least once since the last reset because the time limit was over. */
  readonly gaveUp: boolean;
}

export function createDaveGate(options: {
  connection: VoiceConnection;
  /** The time limit of one wait. */
  timeoutMs: number;
  now?: () => number;
}): DaveGate {
  const { connection, now = () => performance.now() } = options;
  let hasTransitioned = false;
  let heldSinceMs: number | undefined;
  let readySinceMs: number | undefined;
  let gaveUp = false;

  const transport = readyTransport(connection);
  const isOn = ({ dave }: NetworkingReadyState) => dave !== undefined && dave.protocolVersion > 0;
  const isReady = ({ dave }: NetworkingReadyState) => dave?.session?.ready === true;
  /** Our own id may be listed too. */
  const isAlone = ({ connectionData: { connectedClients }, connectionOptions }: NetworkingReadyState) =>
    connectedClients.size - Number(connectedClients.has(connectionOptions.userId)) === 0;

  function hold(): Gate {
    heldSinceMs ??= now();
    if (now() - heldSinceMs < options.timeoutMs) return 'hold';
    gaveUp = true;
    return 'clear';
  }

  /** By the library's public methods alone: a group has a privacy code. Stages cannot be told from groups to come. */
  function publicState(): Gate {
    if (!connection.voicePrivacyCode) return hold();
    heldSinceMs = undefined;
    return 'encrypted';
  }

  /** Whether our group exists. Without one, the members of the next one have yet to switch to it. */
  function hasGroup(seen: NetworkingReadyState): boolean {
    if (isOn(seen) && isReady(seen)) return true;
    hasTransitioned = false;
    readySinceMs = undefined;
    return false;
  }

  return {
    state() {
      if (transport.ready && transport.ready.misfits.group.length > 0) return publicState();
      const seen = transport.ready?.state;
      if (!seen) return 'hold';
      if (!hasGroup(seen)) {
        // Alone in the channel there is no group and no listener; without DAVE, as on stages, there never will be a group.
        const isOpen = !isOn(seen) || isAlone(seen);
        if (isOpen) heldSinceMs = undefined;
        return isOpen ? 'clear' : hold();
      }
      if (!hasTransitioned) {
        readySinceMs ??= now();
        if (now() - readySinceMs < TRANSITION_LIMIT_MS) return 'hold';
      }
      heldSinceMs = undefined;
      return 'encrypted';
    },
    heard() {
      // The time limit starts with the first held packet, so not here.
      if (transport.ready) hasGroup(transport.ready.state);
    },
    transitioned() {
      const seen = transport.ready?.state;
      if (seen && isReady(seen)) hasTransitioned = true;
    },
    reset() {
      hasTransitioned = false;
      heldSinceMs = undefined;
      readySinceMs = undefined;
      gaveUp = false;
    },
    get gaveUp() {
      return gaveUp;
    },
  };
}
