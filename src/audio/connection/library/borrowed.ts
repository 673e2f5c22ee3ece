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
import type { Logger } from 'pino';

/**
 * The release of @discordjs/voice whose internals the bot uses; package.json requires exactly this one. A release that
 * renames a counter would go unnoticed: `undefined + 1` is NaN and is written as 0, a single nonce for all packets under
 * one key.
 */
export const KNOWN_RELEASE = '0.19.2';

/**
 * True if the internals of the installed @discordjs/voice are known. If false, the bot only uses the library's public
 * methods, which take more CPU.
 */
export const IS_KNOWN_RELEASE = version === KNOWN_RELEASE;

/**
 * The voice library's error if it supports none of the voice server's encryption modes. If the wording changes, the
 * join's deadline ends the waiting.
 */
export const NO_COMMON_MODE = 'No compatible encryption modes';

/**
 * True for the WebSocket of @discordjs/voice to the voice gateway, recognized by its listeners for 'packet' and
 * 'binary'.
 */
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

/** Logs at startup if another version of the voice library is installed. To be called once. */
export function reportLibrary(log: Logger): void {
  if (IS_KNOWN_RELEASE) return;
  log.warn({ version, expected: KNOWN_RELEASE }, 'Unexpected version of the voice library: speech takes more CPU');
}

/**
 * Follows a voice connection by its events. With thousands of connections, reading states before each packet would cost
 * more than encrypting.
 */
export interface ReadyTransport {
  /** The state of @discordjs/voice in which voice packets can be sent; undefined in any other state. */
  ready: NetworkingReadyState | undefined;
  listeners: Set<() => void>;
}

const transports = new WeakMap<VoiceConnection, ReadyTransport>();

/**
 * Returns an object that holds the state of a voice connection while packets can be sent. All callers share one object
 * for each connection, so that the connection's changes are followed only once.
 */
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

  // Follows the voice connection before its other listeners do: they may send as soon as the connection is ready.
  connection.prependListener('stateChange', look);
  look();
  return transport;
}
