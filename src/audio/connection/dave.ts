import {
  type Networking,
  type NetworkingReadyState,
  NetworkingStatusCode,
  type VoiceConnection,
} from '@discordjs/voice';
import type { Gate } from '../playing/clip-player.ts';
import { IS_KNOWN_RELEASE, readyTransport } from './library/borrowed.ts';

/**
 * How long voice packets wait for all members to use the encryption group's new key. One slow member must not hold back
 * the audio for longer.
 */
const TRANSITION_LIMIT_MS = 1_500;

export type DaveGate = ReturnType<typeof createDaveGate>;

/**
 * Tells whether listeners can hear voice packets that are sent now. @discordjs/voice reports Ready even while its
 * end-to-end encryption group (DAVE) does not exist. It would then send unencrypted packets, which no client plays, so
 * the bot holds packets until the group exists. `onOverdue` is called once if packets were held for `timeoutMs`; the
 * packets stay held.
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
   * The internal state of @discordjs/voice; undefined while the connection is not ready, or if the bot does not know
   * the internals of the installed release.
   */
  const known = () => (IS_KNOWN_RELEASE ? transport.ready : undefined);
  const isOn = ({ dave }: NetworkingReadyState) => dave !== undefined && dave.protocolVersion > 0;
  const isReady = ({ dave }: NetworkingReadyState) => dave?.session?.ready === true;
  /**
   * True if the bot is alone in the call. No encryption group forms then, so packets are held without a time limit
   * until members come.
   */
  const isAlone = ({ connectionData, connectionOptions }: NetworkingReadyState) => {
    const { connectedClients: members } = connectionData;
    // The voice server may list the bot itself as a member. The bot is not counted here: otherwise it would never seem
    // to be alone.
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
   * Must be called when no packet waits for the encryption group. The time limit starts again with the next waiting
   * packet.
   */
  function stopWaiting(): void {
    heldSinceMs = undefined;
    isOverdue = false;
  }

  /**
   * Decides whether packets may be sent if the bot does not know the internals of the installed @discordjs/voice. A
   * privacy code shows that an encryption group exists. Without a code, a group may never come, so packets are held for
   * a limited time. After that, the library sends them with or without a group.
   */
  function publicState(): Gate {
    if (connection.voicePrivacyCode) return 'encrypted';
    unknownSinceMs ??= now();
    return now() - unknownSinceMs >= timeoutMs ? 'clear' : 'hold';
  }

  /**
   * True if the bot's encryption group exists. If not, forgets the last key change: the next group has a new key, and
   * packets wait until all members have switched to it.
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
      // Calls without end-to-end encryption, such as those on stages, never get an encryption group: packets need not
      // wait.
      if (isOn(seen)) return 'hold';
      stopWaiting();
      return 'clear';
    }
    readySinceMs ??= now();
    return hasTransitioned || now() - readySinceMs >= TRANSITION_LIMIT_MS ? 'encrypted' : 'hold';
  }

  return {
    /**
     * Whether the next voice packet may be sent; 'hold' starts the time limit for the encryption group. Any other
     * result stays valid until the next voice gateway message or change of the connection's state.
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
     * Whether voice packets may be sent now. Unlike state(), does not start the time limit for the encryption group.
     * Must be called after each voice gateway message: otherwise a change of the encryption group would go unnoticed
     * while nothing plays.
     */
    look,
    stopWaiting,
    transitioned(): void {
      const seen = known();
      if (seen && isReady(seen)) hasTransitioned = true;
    },
    /** Must be called for each new connection to a voice server, because it gets an encryption group of its own. */
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
 * Opcodes of messages that do not concern the encryption group. @discordjs/voice gets them at once, while the bot keeps
 * all other messages until the library has resumed its connection.
 */
const NEVER_KEPT: ReadonlySet<number> = new Set([Op.heartbeatAck, Op.hello, Op.resumed]);

export interface GatewayMessage {
  readonly op: number;
  readonly d?: { readonly transition_id?: number } | null;
}

export type DaveMessages = ReturnType<typeof createDaveMessages>;

/**
 * Keeps a voice server's messages while @discordjs/voice resumes its connection, and delivers them in order afterwards.
 * `onLeftBehind` is called if the encryption group changed its keys without the bot.
 */
export function createDaveMessages(
  networking: Networking,
  onError: (error: unknown) => void,
  onLeftBehind: () => void,
) {
  /**
   * @discordjs/voice ignores encryption messages (binary) while it resumes its connection. The bot keeps all messages
   * until op 9 ('resumed'), because each is useless without the messages before.
   */
  let missed: (() => void)[] = [];

  /**
   * True if the encryption group switches to new keys whose message ('commit') never came. @discordjs/voice recovers
   * from an invalid commit by itself, but after a missing commit it continues with the old keys.
   */
  function isWithoutCommit({ op, d }: GatewayMessage): boolean {
    const { state } = networking;
    if (!IS_KNOWN_RELEASE || op !== Op.executeTransition || state.code !== NetworkingStatusCode.Ready) return false;
    const { dave } = state;
    if (dave?.session?.ready !== true || dave.reinitializing || d?.transition_id === undefined) return false;
    // The announced key changes of the encryption group, by id. The field is private in the types of @discordjs/voice,
    // so it is read by its name.
    const pending: unknown = Reflect.get(dave, 'pendingTransitions');
    return pending instanceof Map && !pending.has(d.transition_id) && dave.lastTransitionId !== d.transition_id;
  }

  return {
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
     * Must be called when @discordjs/voice has opened another voice gateway socket: messages of the old socket are
     * dropped.
     */
    socketChanged(): void {
      missed = [];
    },
  };
}
