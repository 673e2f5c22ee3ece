import type { Gate } from '../playing/clip-player.ts';
import type { NetworkingReadyState, VoiceConnection } from './library/voice-library.ts';
import { readyTransport } from './ready-transport.ts';

/**
 * After our group key is there, the others may still be switching to it: the server says so when all have
 * ('transitioned'). One slow member must not keep everybody from hearing us for longer than this.
 */
const TRANSITION_LIMIT_MS = 1_500;

/**
 * Whether listeners can hear what is sent now. @discordjs/voice is Ready before its DAVE group exists and then sends
 * frames in the clear, which nobody's client plays; the same again whenever the group is made anew.
 */
export interface DaveGate {
  /** Anything but 'hold' stays the answer until the voice gateway says something or the connection's state changes. */
  state(): Gate;
  /**
   * To be called after each message of the voice gateway: a group may be made anew while nothing is being said, and
   * nobody asks for the state.
   */
  heard(): void;
  /** To be called on the connection's 'transitioned' event. */
  transitioned(): void;
  /** A new connection to a voice server: what was known is void, the limit starts again. */
  reset(): void;
  /** Held for longer than the limit at least once since the last reset, and opened for it. */
  readonly gaveUp: boolean;
}

export function createDaveGate(options: {
  connection: VoiceConnection;
  /** How long one wait may last. */
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

  /** Whether there is a group of ours. Where there is none, the next one's members have yet to switch to it. */
  function hasGroup(seen: NetworkingReadyState): boolean {
    if (isOn(seen) && isReady(seen)) return true;
    hasTransitioned = false;
    readySinceMs = undefined;
    return false;
  }

  return {
    state() {
      const seen = transport.ready?.state;
      if (!seen) return 'hold';
      if (!hasGroup(seen)) {
        // Alone there is no group and nobody to miss anything; without DAVE, as on stages, there never will be one.
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
      // How long speech is held counts from its first packet: that is not begun here.
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
