import { Socket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import { fstatSync } from 'node:fs';
import type { Logger } from 'pino';
import {
  DAVESession,
  type Networking,
  type NetworkingReadyState,
  NetworkingStatusCode,
  VoiceConnection,
  VoiceConnectionStatus,
  VoiceUDPSocket,
  version,
} from './voice-library.ts';

/**
 * Everything that the bot uses of @discordjs/voice beyond its public interface. A release that renames any of it would
 * go unnoticed: `undefined + 1` is NaN and is written as 0, a single nonce for all packets under one key. The shape is
 * therefore checked at each Ready, and the library's public methods do whatever does not fit. The same holds for a
 * field of Node, the file descriptor of a socket: without it, Node's own send() is used.
 */

/** The package versions whose internals the bot relies on; package.json requires exactly these. */
export const READ_VERSIONS = { '@discordjs/voice': '0.19.2', '@snazzah/davey': '0.1.12' } as const;

const KNOWN_MODES: ReadonlySet<unknown> = new Set(['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize']);
const KEY_BYTES = 32;

/**
 * davey rejects an unknown member and puts the ID into its error message. If the wording changes, the encryption group
 * is created again instead.
 */
export const UNEXPECTED_MEMBER = /UnexpectedUser\((\d+)\)/;

/**
 * The voice library's error if it supports none of the voice server's encryption modes. If the wording changes, the
 * join's deadline ends the waiting.
 */
export const NO_COMMON_MODE = 'No compatible encryption modes';

/** An internal state of the voice library: its fields may be missing or of another type. */
type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function isCounter(value: unknown, bits: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** bits;
}

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

const EXPECTED: Readonly<Record<string, (state: Fields, data: Fields) => boolean>> = {
  sequence: (_, { sequence }) => isCounter(sequence, 16),
  timestamp: (_, { timestamp }) => isCounter(timestamp, 32),
  ssrc: (_, { ssrc }) => isCounter(ssrc, 32),
  nonce: (_, { nonce }) => isCounter(nonce, 32),
  packetsPlayed: (_, { packetsPlayed }) => Number.isInteger(packetsPlayed),
  speaking: (_, { speaking }) => typeof speaking === 'boolean',
  secretKey: (_, { secretKey }) => secretKey instanceof Uint8Array && secretKey.length === KEY_BYTES,
  encryptionMode: (_, { encryptionMode }) => KNOWN_MODES.has(encryptionMode),
  connectedClients: (_, { connectedClients }) => connectedClients instanceof Set,
  userId: ({ connectionOptions }) => typeof fieldsOf(connectionOptions).userId === 'string',
  // At version 0 of the end-to-end encryption protocol, `dave` is present but undefined.
  dave: (state) => 'dave' in state,
  'dave.protocolVersion': ({ dave }) => dave === undefined || Number.isInteger(fieldsOf(dave).protocolVersion),
  'dave.session': ({ dave }) => {
    const { protocolVersion, session } = fieldsOf(dave);
    if (dave === undefined || protocolVersion === 0) return true;
    return typeof fieldsOf(session).ready === 'boolean';
  },
  'dave.pendingTransitions': ({ dave }) => dave === undefined || fieldsOf(dave).pendingTransitions instanceof Map,
  'dave.lastTransitionId': ({ dave }) => dave === undefined || 'lastTransitionId' in fieldsOf(dave),
  'dave.reinitializing': ({ dave }) => dave === undefined || typeof fieldsOf(dave).reinitializing === 'boolean',
  'dave.encrypt': ({ dave }) => dave === undefined || typeof Reflect.get(fieldsOf(dave), 'encrypt') === 'function',
  'udp.send': ({ udp }) => typeof fieldsOf(udp).send === 'function',
  'udp.socket': ({ udp }) => fieldsOf(udp).socket instanceof Socket,
  'udp.remote': ({ udp }) => {
    const { ip, port } = fieldsOf(fieldsOf(udp).remote);
    return typeof ip === 'string' && isCounter(port, 16);
  },
  // If @discordjs/voice handles keep-alives or messages in an unknown way, its other fields are not trusted either.
  'udp.keepAlive': ({ udp }) => typeof fieldsOf(udp).keepAlive === 'function',
  ws: ({ ws }) => isVoiceSocket(ws),
  'ws.onMessage': ({ ws }) => typeof fieldsOf(ws).onMessage === 'function',
};

/** The names of the voice library's fields that do not have the expected shape. */
export function misfitsOf(state: NetworkingReadyState): readonly string[] {
  const fields = state as unknown as Fields;
  const data = fieldsOf(fields.connectionData);
  return Object.keys(EXPECTED).filter((name) => !EXPECTED[name]?.(fields, data));
}

/** The voice library's methods that the bot uses and that are missing. Needs no connection. */
export function missingMethods(): string[] {
  const methods: readonly [string, object, string][] = [
    ['VoiceConnection.playOpusPacket', VoiceConnection.prototype, 'playOpusPacket'],
    ['DAVESession.encrypt', DAVESession.prototype, 'encrypt'],
    ['VoiceUDPSocket.send', VoiceUDPSocket.prototype, 'send'],
    ['VoiceUDPSocket.keepAlive', VoiceUDPSocket.prototype, 'keepAlive'],
    ['VoiceUDPSocket.onMessage', VoiceUDPSocket.prototype, 'onMessage'],
  ];
  return methods.filter(([, from, name]) => typeof Reflect.get(from, name) !== 'function').map(([label]) => label);
}

/** Logs at startup if another version of the voice library is installed or a method is missing. To be called once. */
export function reportLibrary(log: Logger, seen = { version, missing: missingMethods() }): void {
  const expected = READ_VERSIONS['@discordjs/voice'];
  if (seen.version === expected && seen.missing.length === 0) return;
  log.warn(
    { version: seen.version, expected, missing: seen.missing },
    'Unexpected version of the voice library: speech may take more CPU',
  );
}

/** The objects that a voice connection sends packets with while it is ready. */
interface Ready {
  networking: Networking;
  state: NetworkingReadyState;
  misfits: readonly string[];
}

/**
 * Follows a voice connection by its events. With thousands of connections, reading states before each packet would cost
 * more than encrypting.
 */
export interface ReadyTransport {
  /** Undefined while no voice packet can be sent. A new object after every change of the connection's state. */
  ready: Ready | undefined;
  listeners: Set<() => void>;
}

const transports = new WeakMap<VoiceConnection, ReadyTransport>();

/** Returns a voice connection's ReadyTransport, which all callers share. */
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
    transport.ready =
      networking && state?.code === NetworkingStatusCode.Ready
        ? { networking, state, misfits: misfitsOf(state) }
        : undefined;
    for (const listener of transport.listeners) listener();
  }

  // Follows the voice connection before its other listeners do: they may send as soon as the connection is ready.
  connection.prependListener('stateChange', look);
  look();
  return transport;
}
