import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import {
  entersState,
  joinVoiceChannel,
  NetworkingStatusCode,
  type VoiceConnection,
  VoiceConnectionStatus,
} from '@discordjs/voice';
import { pino } from 'pino';
import {
  createVoiceSessions,
  type DiscordGatewayAdapterCreator,
  type VoiceSession,
} from '../src/audio/connection/voice-sessions.ts';
import type { EncryptionMode } from '../src/playground/voice/server.ts';
import { type Sink, startSink } from './sink/client.ts';

export const silentLog = pino({ level: 'silent' });
/** Discord's encryption modes in Discord's order. */
const DISCORDS_MODES: readonly EncryptionMode[] = ['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'];
/** Thousands of simultaneous joins would only time out. */
const JOINS_AT_ONCE = 8;
const READY_TIMEOUT_MS = 20_000;

/** The speaking end: rooms on the sink, joined by Crier's code or by the library alone. */
interface Testbed {
  readonly sink: Sink;
  /** Joins with src/audio, like the bot. Resolves when speech would be heard. */
  joinOurs(options: RoomOptions): Promise<{ guildId: string; session: VoiceSession }>;
  /** Joins with the library alone, as its guide describes. */
  joinLibrary(options: RoomOptions): Promise<{ guildId: string; connection: VoiceConnection }>;
  close(): Promise<void>;
}

interface RoomOptions {
  dave: boolean;
}

export async function startTestbed(
  options: { servers?: number; modes?: readonly EncryptionMode[] } = {},
): Promise<Testbed> {
  const sink = startSink();
  const { caCertificatesPem } = await sink.start({
    servers: options.servers ?? 1,
    modes: options.modes ?? DISCORDS_MODES,
  });
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...caCertificatesPem]);
  const sessions = createVoiceSessions({
    log: silentLog,
    maySpeak: () => true,
    onPlayed: () => undefined,
    onJoin: () => undefined,
    onUnheard: () => undefined,
    times: { attemptTimeoutMs: READY_TIMEOUT_MS },
  });
  const connections: VoiceConnection[] = [];
  let rooms = 0;

  function newRoom({ dave }: RoomOptions) {
    rooms += 1;
    const number = (prefix: string) => `${prefix}${String(rooms).padStart(17, '0')}`;
    const room = { guildId: number('1'), channelId: number('2'), userId: number('3'), dave };
    return { ...room, adapterCreator: gatewayFor(sink, room) };
  }

  return {
    sink,
    async joinOurs(roomOptions) {
      const { guildId, channelId, adapterCreator } = newRoom(roomOptions);
      // Each room has its own shard. Discord's limit per shard would delay hundreds of joins by minutes.
      const target = {
        guildId,
        channelId,
        adapterCreator,
        shardId: rooms,
        knownChannel: () => channelId,
        isGatewayConnected: () => true,
      };
      const session = await sessions.join(target, { deadlineMs: READY_TIMEOUT_MS });
      const wanted = roomOptions.dave ? 'end-to-end' : 'transport-only';
      await until(() => session.encryption === wanted, `our encryption (${session.encryption})`);
      return { guildId, session };
    },
    async joinLibrary(roomOptions) {
      const { guildId, channelId, adapterCreator } = newRoom(roomOptions);
      const connection = joinVoiceChannel({ guildId, channelId, adapterCreator, selfDeaf: true });
      connections.push(connection);
      connection.on('error', (error) => console.error(`Library's connection: ${error.message}`));
      await entersState(connection, VoiceConnectionStatus.Ready, READY_TIMEOUT_MS);
      if (roomOptions.dave) await until(() => isEncrypted(connection), "the library's encryption");
      return { guildId, connection };
    },
    async close() {
      await sessions.closeAll();
      for (const connection of connections) {
        if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy(false);
      }
      await sink.close();
    },
  };
}

function isEncrypted(connection: VoiceConnection): boolean {
  if (connection.state.status !== VoiceConnectionStatus.Ready) return false;
  const { state } = connection.state.networking;
  return state.code === NetworkingStatusCode.Ready && state.dave?.session?.ready === true;
}

/** Redirects the connection's packets to a port without a reader. */
export async function redirect(connection: VoiceConnection, port: number): Promise<void> {
  if (connection.state.status !== VoiceConnectionStatus.Ready) throw new Error('Not connected');
  const { state } = connection.state.networking;
  if (state.code !== NetworkingStatusCode.Ready) throw new Error('Not ready');
  const remote = { ip: '127.0.0.1', port };
  Reflect.set(state.udp, 'remote', remote);
  const socket = Reflect.get(state.udp, 'socket') as Socket;
  if (!isConnected(socket)) return;
  socket.disconnect();
  const connected = once(socket, 'connect');
  socket.connect(remote.port, remote.ip);
  await connected;
}

function isConnected(socket: Socket): boolean {
  try {
    return socket.remoteAddress().port > 0;
  } catch {
    return false;
  }
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited too long for ${what}`);
    await sleep(5);
  }
}

/** The part of Discord's main gateway that joining needs. */
function gatewayFor(
  sink: Sink,
  room: { guildId: string; channelId: string; userId: string; dave: boolean },
): DiscordGatewayAdapterCreator {
  const { guildId, channelId, userId } = room;
  const sessionId = `session-${userId}`;
  return (library) => ({
    sendPayload(payload: { d: { channel_id: string | null } }) {
      if (payload.d.channel_id === null) {
        // During the shutdown the sink may already be gone.
        sink.drop({ guildId, userId }).catch(() => undefined);
        return true;
      }
      sink.expect({ ...room, sessionId, listens: true }).then(
        ({ token, endpoint }) => {
          library.onVoiceStateUpdate({
            guild_id: guildId,
            channel_id: channelId,
            user_id: userId,
            session_id: sessionId,
            deaf: false,
            mute: false,
            self_deaf: true,
            self_mute: false,
            self_video: false,
            suppress: false,
            request_to_speak_timestamp: null,
          });
          library.onVoiceServerUpdate({ token, guild_id: guildId, endpoint });
        },
        (error: unknown) => console.error('Joining:', error),
      );
      return true;
    },
    destroy: () => undefined,
  });
}

/** Makes `count` objects in order, a few at a time. */
export async function many<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  let started = 0;
  const worker = async () => {
    while (started < count) {
      started += 1;
      made.push(await make());
    }
  };
  await Promise.all(Array.from({ length: Math.min(JOINS_AT_ONCE, count) }, worker));
  return made;
}
