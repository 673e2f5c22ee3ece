import { Buffer } from 'node:buffer';
import {
  type DiscordGatewayAdapterCreator,
  getVoiceConnection,
  joinVoiceChannel,
  type Networking,
  type NetworkingReadyState,
  NetworkingStatusCode,
  VoiceConnectionDisconnectReason,
  type VoiceConnectionState,
  VoiceConnectionStatus,
} from '@discordjs/voice';
import { createDaveMessages, type DaveMessages, type GatewayMessage, IS_KNOWN_RELEASE, isVoiceSocket } from './dave.ts';
import { KEEP_ALIVE_BYTES, onEcho } from './packets/keep-alive-echoes.ts';
import { preferredModes } from './packets/sealing.ts';
import type { SessionEvent } from './session-state.ts';
import type { JoinWait } from './voice-session-types.ts';

/** @discordjs/voice sends the IP discovery datagram only once, and waits forever if it is lost. */
const DISCOVERY_REPEAT_MS = 500;

/** The voice gateway's opcode Ready; https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-opcodes */
const VOICE_READY = 2;
/** The length of an RTP header; RFC 3550, section 5.1. Its last four bytes name the source (SSRC). */
const RTP_HEADER_BYTES = 12;

interface VoiceLinkEvents {
  /** Voice packets can be sent. `isNew`: the audio stream (SSRC) is new to listeners. */
  ready(isNew: boolean): void;
  dispatch(event: SessionEvent): void;
  /** @discordjs/voice has handled a voice gateway message, which may have changed the encryption group. */
  heard(): void;
  /** The end-to-end encryption group continued without the bot, so some listeners hear nothing. */
  groupLost(): void;
  /** The bot has switched to new keys of its end-to-end encryption group (DAVE). */
  transitioned(): void;
  /** An error on the voice link was caught. Errors alone do not end the link. */
  error(error: unknown): void;
}

export type VoiceLink = ReturnType<typeof openVoiceLink>;

const WAITS: Readonly<Partial<Record<NetworkingStatusCode, JoinWait>>> = {
  [NetworkingStatusCode.OpeningWs]: 'voice-gateway',
  [NetworkingStatusCode.Identifying]: 'voice-gateway',
  [NetworkingStatusCode.UdpHandshaking]: 'ip-discovery',
  [NetworkingStatusCode.SelectingProtocol]: 'session-description',
};

/** Each WebSocket is guarded once, although its connection changes state several times. */
const guardedSockets = new WeakSet<object>();

/** @discordjs/voice does not catch errors of its message handlers: an invalid message would end the process. */
function guardSocket(networking: Networking, messages: DaveMessages, events: VoiceLinkEvents): void {
  const ws: unknown = Reflect.get(networking.state, 'ws');
  // No WebSocket to guard: the voice gateway is closed, or the release of @discordjs/voice is unknown, which is reported at startup.
  if (!isVoiceSocket(ws) || guardedSockets.has(ws)) return;
  guardedSockets.add(ws);
  messages.socketChanged();
  // @discordjs/voice throws at a binary message of less than 3 bytes, and at the JSON value null.
  wrapMethod<unknown>(ws, 'onMessage', (onMessage) => (event) => {
    try {
      onMessage(event);
    } catch (error) {
      events.error(new Error('The voice server sent a message that cannot be read', { cause: error }));
    }
  });
  for (const name of ['packet', 'binary'] as const) {
    const handlers = ws.listeners(name);
    ws.removeAllListeners(name);
    ws.on(name, (message: GatewayMessage) => {
      if (Reflect.get(networking.state, 'ws') !== ws) return;
      messages.receive(message, () => {
        // A message that waited while the connection resumed is dropped if its WebSocket was replaced meanwhile.
        if (Reflect.get(networking.state, 'ws') !== ws) return;
        if (name === 'packet') preferMode(message);
        for (const handler of handlers) handler(message);
      });
      events.heard();
    });
  }
}

type Method<Argument> = (argument: Argument) => void;

/** Does nothing if the method is missing: an unknown release of @discordjs/voice is reported at startup. */
function wrapMethod<Argument>(of: object, name: string, wrap: (method: Method<Argument>) => Method<Argument>): void {
  const method: unknown = Reflect.get(of, name);
  if (typeof method === 'function') Reflect.set(of, name, wrap(method.bind(of) as Method<Argument>));
}

/**
 * Puts the bot's preferred encryption mode first, because @discordjs/voice takes the first mode that it supports. With
 * an unknown release of the library, the order stays: the library then encrypts, and cannot use XChaCha20.
 */
function preferMode(message: unknown): void {
  if (!IS_KNOWN_RELEASE) return;
  const { op, d } = message as { op: number; d: { modes: string[] } };
  if (op === VOICE_READY) d.modes = preferredModes(d.modes);
}

/** Catches errors of datagrams that a timer sends: uncaught errors would end the process. */
function sentByTimer(send: () => void, events: VoiceLinkEvents): () => void {
  return () => {
    try {
      send();
    } catch (error) {
      // The UDP socket closed after the timer was set, so no datagram is needed anymore.
      if ((error as NodeJS.ErrnoException).code === 'ERR_SOCKET_DGRAM_NOT_RUNNING') return;
      events.error(error);
    }
  };
}

function guardDatagrams(udp: NetworkingReadyState['udp'], events: VoiceLinkEvents): void {
  // @discordjs/voice throws at a datagram of 9 to 11 bytes, too short for an RTP header: a port scan would end the process.
  wrapMethod<Buffer>(udp, 'onMessage', (onMessage) => (bytes) => {
    if (bytes.length === KEEP_ALIVE_BYTES || bytes.length >= RTP_HEADER_BYTES) onMessage(bytes);
  });
  // The voice server may send the first keep-alive back before the packet sender listens, so its return is recorded from the start.
  onEcho(udp, () => undefined);
  // A kick may close the UDP socket just before the library's first keep-alive, whose error would end the process.
  wrapMethod<undefined>(udp, 'keepAlive', (keepAlive) => sentByTimer(() => keepAlive(undefined), events));
}

function discoveryDatagram(ssrc: number): Buffer {
  // The datagram of IP discovery: https://discord.com/developers/docs/topics/voice-connections#ip-discovery
  const datagram = Buffer.alloc(74);
  datagram.writeUInt16BE(1, 0);
  datagram.writeUInt16BE(70, 2);
  datagram.writeUInt32BE(ssrc, 4);
  return datagram;
}

/**
 * Wraps the VoiceConnection of @discordjs/voice, and blocks the library's own attempts to rejoin. The caller must have
 * destroyed the server's previous voice link.
 */
export function openVoiceLink(
  target: { guildId: string; channelId: string; adapterCreator: DiscordGatewayAdapterCreator },
  events: VoiceLinkEvents,
) {
  // Destroys an old connection, for example after a kick: joinVoiceChannel() would reuse it, and it might never become ready.
  const stale = getVoiceConnection(target.guildId);
  if (stale && stale.state.status !== VoiceConnectionStatus.Destroyed) stale.destroy(false);

  /** Blocks the rejoin (op 4) that @discordjs/voice sends after nearly every close code, at once and without limit. */
  let isRejoinHeld = false;
  let isDestroyed = false;
  let networking: Networking | undefined;
  let isNew = true;
  let discovery: NodeJS.Timeout | undefined;

  function follow(next: Networking): void {
    networking = next;
    isNew = true;
    const messages = createDaveMessages(next, events.error, () => {
      if (next === networking && !isDestroyed) events.groupLost();
    });
    guardSocket(next, messages, events);
    next.on('stateChange', (_: unknown, state: Networking['state']) => {
      if (next !== networking) return;
      guardSocket(next, messages, events);
      clearInterval(discovery);
      if (state.code !== NetworkingStatusCode.UdpHandshaking) return;
      const { udp, connectionData } = state;
      if (udp) guardDatagrams(udp, events);
      const discover = () => udp.send(discoveryDatagram(connectionData.ssrc));
      discovery = setInterval(sentByTimer(discover, events), DISCOVERY_REPEAT_MS);
    });
    // This listener must run before the library's own handler, whose rejoin it blocks.
    next.prependOnceListener('close', (closeCode: number) => {
      clearInterval(discovery);
      if (next !== networking || isDestroyed) return;
      isRejoinHeld = true;
      // A listener may destroy the connection only after @discordjs/voice has handled the closing.
      setImmediate(() => {
        if (isDestroyed || next !== networking) return;
        isRejoinHeld = false;
        events.dispatch({ type: 'lost', closeCode });
      });
    });
  }

  function onStateChange(_: VoiceConnectionState, state: VoiceConnectionState): void {
    if (isDestroyed) return;
    const current = 'networking' in state ? state.networking : undefined;
    if (current && current !== networking) follow(current);
    if (state.status === VoiceConnectionStatus.Ready) {
      const wasNew = isNew;
      isNew = false;
      events.ready(wasNew);
    } else if (state.status === VoiceConnectionStatus.Connecting) {
      events.dispatch({ type: 'interrupted' });
    } else if (state.status === VoiceConnectionStatus.Disconnected) {
      const { reason } = state;
      if (reason === VoiceConnectionDisconnectReason.EndpointRemoved) events.dispatch({ type: 'server-gone' });
      else if (reason === VoiceConnectionDisconnectReason.AdapterUnavailable) events.dispatch({ type: 'unavailable' });
    }
  }

  const connection = joinVoiceChannel({
    guildId: target.guildId,
    channelId: target.channelId,
    selfDeaf: true,
    selfMute: false,
    adapterCreator(library) {
      const adapter = target.adapterCreator(library);
      return { ...adapter, sendPayload: (payload) => isRejoinHeld || adapter.sendPayload(payload) };
    },
  });
  connection.on('error', (error) => {
    if (!isDestroyed) events.error(error);
  });
  connection.on('stateChange', onStateChange);
  connection.on('transitioned', () => {
    if (!isDestroyed) events.transitioned();
  });
  if (connection.state.status === VoiceConnectionStatus.Disconnected)
    setImmediate(() => onStateChange(connection.state, connection.state));

  return {
    connection,
    /** The event or answer for which joining waits. At 'admission', VoiceSignaling knows which main gateway event is missing. */
    get waitsFor(): JoinWait | undefined {
      const { status } = connection.state;
      if (status === VoiceConnectionStatus.Signalling) return 'admission';
      return networking && WAITS[networking.state.code];
    },
    /** Closes the voice connection. The link reports no events afterwards. `leave`: also tells Discord that the bot leaves. Idempotent. */
    destroy({ leave }: { readonly leave: boolean }): void {
      if (isDestroyed) return;
      isDestroyed = true;
      isRejoinHeld = false;
      clearInterval(discovery);
      if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy(leave);
    },
  };
}
