import {
  type Networking,
  type NetworkingReadyState,
  NetworkingStatusCode,
  type VoiceConnection,
} from '@discordjs/voice';
import type { Gate } from '../playing/clip-player.ts';
import { IS_KNOWN_RELEASE, readyTransport } from './library/borrowed.ts';

/**
 * How long voice packets wait for other members to switch to a new key of the end-to-end encryption group. The voice
 * server reports when all have switched ('transitioned'). A slow member must not hold back the audio for longer.
 */
const TRANSITION_LIMIT_MS = 1_500;

export type DaveGate = ReturnType<typeof createDaveGate>;

/**
 * Tells whether listeners can hear sent voice packets. @discordjs/voice reports Ready before its end-to-end encryption
 * group (DAVE) exists, and while a group is formed again. It then sends unencrypted packets, which no client plays, so
 * packets are held meanwhile. `onOverdue` is called once if packets were held for `timeoutMs` without a group. Messages
 * that have already arrived are handled before the call, because one may complete the group. The packets stay held
 * afterwards.
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
  /**
   * The internal state of @discordjs/voice in which packets can be sent. Undefined while the connection is not ready.
   * Also undefined if the installed release is not the one whose internals the bot knows: then only public methods are
   * used.
   */
  const known = () => (IS_KNOWN_RELEASE ? transport.ready : undefined);
  const isOn = ({ dave }: NetworkingReadyState) => dave !== undefined && dave.protocolVersion > 0;
  const isReady = ({ dave }: NetworkingReadyState) => dave?.session?.ready === true;
  /**
   * True if the bot is alone in the call. No encryption group will come then, so the time limit does not run, and
   * packets are held until members come.
   */
  const isAlone = ({ connectionData, connectionOptions }: NetworkingReadyState) => {
    const { connectedClients: members } = connectionData;
    // The voice server's list of members may include the bot itself, which is not counted: otherwise the bot would
    // never seem to be alone.
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

  /**
   * Call when no packet waits for the encryption group any more. The time limit starts again with the next waiting
   * packet.
   */
  function stopWaiting(): void {
    heldSinceMs = undefined;
    isOverdue = false;
  }

  /**
   * Decides by public methods of @discordjs/voice whether packets may be sent, if the internals of the library's
   * release are unknown. A privacy code exists only with an encryption group. Without a code, a group may still come,
   * or never, as in an unencrypted call. Packets are therefore held only for a limited time. Then the library gets
   * them, and encrypts them itself if it can.
   */
  function publicState(): Gate {
    if (connection.voicePrivacyCode) return 'encrypted';
    unknownSinceMs ??= now();
    return now() - unknownSinceMs >= timeoutMs ? 'clear' : 'hold';
  }

  /**
   * True if the bot's end-to-end encryption group exists. Otherwise forgets that members switched to the earlier
   * group's key: they have yet to switch to the next group's.
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
      // Without end-to-end encryption (DAVE), as on stages, no encryption group ever comes.
      if (isOn(seen)) return 'hold';
      stopWaiting();
      return 'clear';
    }
    readySinceMs ??= now();
    return hasTransitioned || now() - readySinceMs >= TRANSITION_LIMIT_MS ? 'encrypted' : 'hold';
  }

  return {
    /**
     * Whether a waiting voice packet may be sent. Starts the time limit for the encryption group. A result other than
     * 'hold' stays valid until the next voice gateway message or change of the connection's state.
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
     * Whether voice packets may be sent, for a check while no packet waits: starts no time limit. Must also be called
     * after each voice gateway message. Otherwise an encryption group that is formed again while nothing plays would go
     * unnoticed.
     */
    look,
    stopWaiting,
    transitioned(): void {
      const seen = known();
      if (seen && isReady(seen)) hasTransitioned = true;
    },
    /**
     * Must be called for a new connection to a voice server. Forgets the earlier encryption group and restarts its time
     * limit.
     */
    reset(): void {
      hasTransitioned = false;
      readySinceMs = undefined;
      unknownSinceMs = undefined;
      stopWaiting();
    },
  };
}

/**
 * Opcodes of the voice gateway: https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-opcodes
 */
const Op = {
  heartbeatAck: 6,
  hello: 8,
  resumed: 9,
  executeTransition: 22,
} as const;
/**
 * Opcodes of messages that @discordjs/voice gets at once, even while it resumes a connection. All other messages are
 * kept until the connection is resumed. The listed messages say nothing about members or their encryption group, so
 * they may overtake the kept messages.
 */
const NEVER_KEPT: ReadonlySet<number> = new Set([Op.heartbeatAck, Op.hello, Op.resumed]);

export interface GatewayMessage {
  readonly op: number;
  readonly d?: { readonly transition_id?: number } | null;
}

export type DaveMessages = ReturnType<typeof createDaveMessages>;

/**
 * Brings a voice server's messages into an order that @discordjs/voice can use. `onLeftBehind`: the encryption group
 * continues without the bot, because the message ('commit') for its next epoch never came.
 */
export function createDaveMessages(
  networking: Networking,
  onError: (error: unknown) => void,
  onLeftBehind: () => void,
) {
  /**
   * @discordjs/voice drops binary messages while it resumes, and sends no key package. Discord does not document
   * whether missed messages come before op 9 ('resumed'). All messages are kept until op 9: a commit without its
   * proposals, or a transition without its commit, is useless.
   */
  let missed: (() => void)[] = [];

  /**
   * True if the message for an encryption group's next epoch ('commit') is missing. After an invalid commit,
   * @discordjs/voice restarts the group itself. After a missing commit the library stays in the old epoch, and only the
   * transition to the next epoch shows the loss.
   */
  function isWithoutCommit({ op, d }: GatewayMessage): boolean {
    const { state } = networking;
    if (!IS_KNOWN_RELEASE || op !== Op.executeTransition || state.code !== NetworkingStatusCode.Ready) return false;
    const { dave } = state;
    if (dave?.session?.ready !== true || dave.reinitializing || d?.transition_id === undefined) return false;
    // The key changes of the encryption group that the voice server has announced to @discordjs/voice, by their ids.
    // The library's types declare the field private, so it is read by its name.
    const pending: unknown = Reflect.get(dave, 'pendingTransitions');
    return pending instanceof Map && !pending.has(d.transition_id) && dave.lastTransitionId !== d.transition_id;
  }

  return {
    /** Takes a voice gateway message. `handle` passes it to the handlers of @discordjs/voice for the current socket. */
    receive(message: GatewayMessage, handle: () => void): void {
      if (networking.state.code === NetworkingStatusCode.Resuming && !NEVER_KEPT.has(message.op)) {
        missed.push(() => this.receive(message, handle));
        return;
      }
      const wasLeftBehind = isWithoutCommit(message);
      try {
        handle();
      } catch (error) {
        onError(error);
      }
      if (wasLeftBehind) onLeftBehind();
      if (message.op !== Op.resumed) return;
      const due = missed;
      missed = [];
      for (const receive of due) receive();
    },
    /**
     * Must be called when @discordjs/voice has another voice gateway socket: messages kept for the earlier socket are
     * dropped.
     */
    socketChanged(): void {
      missed = [];
    },
  };
}
