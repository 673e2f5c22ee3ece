import type { Socket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import { fstatSync } from 'node:fs';
import {
  type Networking,
  type NetworkingReadyState,
  NetworkingStatusCode,
  type VoiceConnection,
  VoiceConnectionStatus,
  version,
} from '@discordjs/voice';
import type { Gate } from '../playing/clip-player.ts';

/** The @discordjs/voice release whose internals the bot uses. Another release could make all packets share a nonce. */
export const KNOWN_RELEASE = '0.19.2';

/** If false, the bot only uses public methods of @discordjs/voice, which take more CPU. */
export const IS_KNOWN_RELEASE = version === KNOWN_RELEASE;

/** The beginning of the library's error if it supports none of the voice server's encryption modes. */
export const NO_COMMON_MODE = 'No compatible encryption modes';

/** Recognizes the WebSocket of @discordjs/voice to the voice gateway by the events that the library listens for. */
export function isVoiceSocket(value: unknown): value is EventEmitter {
  return value instanceof EventEmitter && value.listenerCount('packet') > 0 && value.listenerCount('binary') > 0;
}

/** The UDP socket's file descriptor, which Node does not publish; undefined if it is not found, as on Windows. */
export function descriptorOf(socket: Socket): number | undefined {
  for (const symbol of Object.getOwnPropertySymbols(socket)) {
    const fd: unknown = (Reflect.get(socket, symbol) as { handle?: { fd?: unknown } } | undefined)?.handle?.fd;
    if (typeof fd === 'number' && fd > 2 && isSocket(fd)) return fd;
  }
  return undefined;
}

/** True if the file descriptor is a socket: writing voice packets to another descriptor could destroy a file. */
function isSocket(fd: number): boolean {
  try {
    return fstatSync(fd).isSocket();
  } catch {
    return false;
  }
}

/** Events update `ready`, a connection's state while it can send. With many connections, a lookup per packet costs more than encrypting. */
export interface ReadyTransport {
  ready: NetworkingReadyState | undefined;
  listeners: Set<() => void>;
}

const transports = new WeakMap<VoiceConnection, ReadyTransport>();

/** Returns one shared object for each voice connection, so that the connection's changes are followed only once. */
export function readyTransport(connection: VoiceConnection): ReadyTransport {
  const known = transports.get(connection);
  if (known) return known;
  const transport: ReadyTransport = { ready: undefined, listeners: new Set() };
  transports.set(connection, transport);
  let followed: Networking | undefined;

  function look(): void {
    const networking = 'networking' in connection.state ? connection.state.networking : undefined;
    if (networking !== followed) {
      followed?.off('stateChange', look);
      networking?.prependListener('stateChange', look);
      followed = networking;
    }
    const isReady = connection.state.status === VoiceConnectionStatus.Ready;
    const state = isReady ? networking?.state : undefined;
    transport.ready = state?.code === NetworkingStatusCode.Ready ? state : undefined;
    for (const listener of transport.listeners) listener();
  }

  // This listener must run before the connection's other listeners, which may send as soon as the connection is ready.
  connection.prependListener('stateChange', look);
  look();
  return transport;
}

/** Packets wait this long for all members to use a new key: one slow member must not hold back the audio. */
const TRANSITION_LIMIT_MS = 1_500;

export type DaveGate = ReturnType<typeof createDaveGate>;

/**
 * @discordjs/voice is ready before its end-to-end encryption group (DAVE) exists. It would then send unencrypted
 * packets, which no client plays. `onOverdue` is called once if packets were held for `timeoutMs`; they stay held.
 */
export function createDaveGate(
  connection: VoiceConnection,
  timeoutMs: number,
  onOverdue: () => void,
  now: () => number = () => performance.now(),
) {
  let heldSinceMs: number | undefined;
  /** When packets may be sent to the encryption group; undefined while no group is ready. */
  let flowsFromMs: number | undefined;
  let isOverdue = false;
  let unknownSinceMs: number | undefined;

  const transport = readyTransport(connection);
  /** Undefined while the connection is not ready, or if the installed release of @discordjs/voice is unknown. */
  const known = () => (IS_KNOWN_RELEASE ? transport.ready : undefined);
  const isOn = ({ dave }: NetworkingReadyState) => dave !== undefined && dave.protocolVersion > 0;
  const isReady = ({ dave }: NetworkingReadyState) => dave?.session?.ready === true;
  /** No group forms while the bot is alone, so packets are held without a time limit until members come. */
  const isAlone = ({ connectionData, connectionOptions }: NetworkingReadyState) => {
    const { connectedClients: members } = connectionData;
    // The voice server may list the bot itself as a member, so the bot is not counted.
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

  /** Must be called when no packet waits: the time limit starts again with the next waiting packet. */
  function stopWaiting(): void {
    heldSinceMs = undefined;
    isOverdue = false;
  }

  /**
   * Decides if packets are sent with an unknown release of @discordjs/voice. A privacy code shows that an encryption group exists.
   * Without a code, packets are held for up to `timeoutMs`, because a group may never exist. After this time, packets are sent in any case.
   */
  function publicState(): Gate {
    if (connection.voicePrivacyCode) return 'encrypted';
    unknownSinceMs ??= now();
    return now() - unknownSinceMs >= timeoutMs ? 'clear' : 'hold';
  }

  function look(): Gate {
    const seen = known();
    if (!seen) {
      stopWaiting();
      return transport.ready ? publicState() : 'hold';
    }
    if (isOn(seen) && isReady(seen)) {
      stopWaiting();
      flowsFromMs ??= now() + TRANSITION_LIMIT_MS;
      return now() >= flowsFromMs ? 'encrypted' : 'hold';
    }
    // No encryption group exists now: in the next group, packets wait until members have switched to its key.
    flowsFromMs = undefined;
    if (isOn(seen)) return 'hold';
    // Calls without end-to-end encryption, such as those on stages, never get an encryption group.
    stopWaiting();
    return 'clear';
  }

  return {
    /**
     * If packets must wait ('hold'), the encryption timeout starts. The answers 'encrypted' and 'clear' stay true until
     * the next voice gateway message or state change.
     */
    state(): Gate {
      const gate = look();
      const seen = known();
      if (gate !== 'hold' || !seen || flowsFromMs !== undefined) return gate;
      if (isAlone(seen)) stopWaiting();
      else startWaiting();
      return gate;
    },
    /** Answers like state(), but starts no encryption timeout. Must be called after each voice gateway message, even if nothing plays. */
    look,
    stopWaiting,
    transitioned(): void {
      const seen = known();
      if (seen && isReady(seen)) flowsFromMs = now();
    },
    /** Forgets the previous encryption group. Must be called for each new connection to a voice server, which gets a new group. */
    reset(): void {
      flowsFromMs = undefined;
      unknownSinceMs = undefined;
      stopWaiting();
    },
  };
}

/** Opcodes of the voice gateway; https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-opcodes */
const Op = {
  heartbeatAck: 6,
  hello: 8,
  resumed: 9,
  executeTransition: 22,
} as const;
/** These messages do not concern the encryption group, so a resuming connection gets them at once. */
const NEVER_KEPT: ReadonlySet<number> = new Set([Op.heartbeatAck, Op.hello, Op.resumed]);

export interface GatewayMessage {
  readonly op: number;
  readonly d?: { readonly transition_id?: number } | null;
}

export type DaveMessages = ReturnType<typeof createDaveMessages>;

/** `onLeftBehind` is called if the encryption group changed its keys without the bot. */
export function createDaveMessages(
  networking: Networking,
  onError: (error: unknown) => void,
  onLeftBehind: () => void,
) {
  /** Voice gateway messages kept until the connection has resumed: @discordjs/voice ignores encryption messages while it resumes. */
  let missed: (() => void)[] = [];

  /** @discordjs/voice recovers from an invalid MLS commit by itself, but keeps the old keys if the commit of a key change never came. */
  function isWithoutCommit({ op, d }: GatewayMessage): boolean {
    const { state } = networking;
    if (!IS_KNOWN_RELEASE || op !== Op.executeTransition || state.code !== NetworkingStatusCode.Ready) return false;
    const { dave } = state;
    if (dave?.session?.ready !== true || dave.reinitializing || d?.transition_id === undefined) return false;
    // The types of @discordjs/voice declare `pendingTransitions` private. The field holds the announced key changes by their ids.
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
    /** Drops the messages that were kept while resuming, because the voice WebSocket that sent them was replaced. */
    socketChanged(): void {
      missed = [];
    },
  };
}
