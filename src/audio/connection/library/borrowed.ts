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

/** The bot uses internals of this release. In another, a renamed counter could make all packets share a nonce. */
export const KNOWN_RELEASE = '0.19.2';

/** If false, the bot only uses public methods of @discordjs/voice, which take more CPU. */
export const IS_KNOWN_RELEASE = version === KNOWN_RELEASE;

/** The beginning of the library's error if it supports none of the voice server's encryption modes. */
export const NO_COMMON_MODE = 'No compatible encryption modes';

/** The library's WebSocket to the voice gateway is recognized by its listeners. */
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

export function reportLibrary(log: Logger): void {
  if (IS_KNOWN_RELEASE) return;
  log.warn({ version, expected: KNOWN_RELEASE }, 'Unexpected version of the voice library: speech takes more CPU');
}

/** Events keep the state current: with thousands of connections, look-ups would cost more than encrypting. */
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
