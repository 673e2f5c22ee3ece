import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import {
  type AudioPlayer,
  AudioPlayerStatus,
  createAudioPlayer,
  createAudioResource,
  type DiscordGatewayAdapterCreator,
  entersState,
  getVoiceConnection,
  joinVoiceChannel,
  NetworkingStatusCode,
  StreamType,
  type VoiceConnection,
  VoiceConnectionStatus,
} from '@discordjs/voice';
import { pino } from 'pino';
import type { Clip } from '../src/audio/clips/clip.ts';
import { createVoiceSessions, type VoiceSession } from '../src/audio/connection/voice-sessions.ts';
import { type Sink, startSink } from './sink/client.ts';
import type { Room } from './sink/process.ts';

export const silentLog = pino({ level: 'silent' });
/** Thousands of simultaneous joins would only time out. */
const JOINS_AT_ONCE = 8;
const READY_TIMEOUT_MS = 20_000;

const { signal } = new AbortController();
/** An audio file of any length, which is a text's only one, and which nobody takes back. */
export const WHOLE = { signal, utterance: undefined, maxDurationMs: Infinity, minSoundMs: 0, mayBeLate: true };

/** A room on the sink, joined with src/audio, like the bot. */
interface OurRoom {
  readonly guildId: string;
  readonly session: VoiceSession;
  readonly connection: VoiceConnection;
}

/** A room on the sink, joined with the library alone, as its guide describes, and with its player. */
interface LibraryRoom {
  readonly guildId: string;
  readonly connection: VoiceConnection;
  readonly player: AudioPlayer;
}

interface Rooms {
  readonly sink: Sink;
  readonly ours: readonly OurRoom[];
  readonly library: readonly LibraryRoom[];
}

interface RoomsOptions {
  readonly ours: number;
  readonly library: number;
  readonly dave: boolean;
  /** Voice servers over which the rooms are spread. Default: 1. */
  readonly servers?: number;
}

/** Joins a room of ours and one of the library, whose packets the sink decrypts. */
export const withPair = <Result>(
  work: (pair: { sink: Sink; ours: OurRoom; library: LibraryRoom }) => Promise<Result>,
): Promise<Result> =>
  withRooms({ ours: 1, library: 1, dave: true }, async ({ sink, ours: [ours], library: [library] }) => {
    if (!ours || !library) throw new Error('No rooms');
    for (const { guildId } of [ours, library]) await sink.watch({ guildId, decode: false });
    return work({ sink, ours, library });
  });

/** Joins rooms on the listening end, and leaves them after `work`. In each of them, speech would be heard. */
export async function withRooms<Result>(
  { ours, library, dave, servers = 1 }: RoomsOptions,
  work: (rooms: Rooms) => Promise<Result>,
): Promise<Result> {
  const sink = startSink();
  const { caCertificatesPem } = await sink.start(servers);
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

  function newRoom() {
    rooms += 1;
    const number = (prefix: string) => `${prefix}${String(rooms).padStart(17, '0')}`;
    const room = { guildId: number('1'), channelId: number('2'), userId: number('3'), dave };
    return { ...room, adapterCreator: gatewayFor(sink, room) };
  }

  async function joinOurs(): Promise<OurRoom> {
    const { guildId, channelId, adapterCreator } = newRoom();
    // Each room has its own shard. Discord's limit per shard would delay hundreds of joins by minutes.
    const place = { guildId, channelId, adapterCreator, shardId: rooms };
    const target = { ...place, knownChannel: () => channelId, isGatewayConnected: () => true };
    const session = await sessions.join(target, { signal, audible: () => undefined });
    const wanted = dave ? 'end-to-end' : 'transport-only';
    await until(() => session.encryption === wanted, `our encryption (${session.encryption})`);
    const connection = getVoiceConnection(guildId);
    if (!connection) throw new Error('The library does not know our connection');
    return { guildId, session, connection };
  }

  async function joinLibrary(): Promise<LibraryRoom> {
    const { guildId, channelId, adapterCreator } = newRoom();
    const connection = joinVoiceChannel({ guildId, channelId, adapterCreator, selfDeaf: true });
    connections.push(connection);
    connection.on('error', (error) => console.error(`Library's connection: ${error.message}`));
    await entersState(connection, VoiceConnectionStatus.Ready, READY_TIMEOUT_MS);
    if (dave) await until(() => networkingOf(connection).dave?.session?.ready === true, "the library's encryption");
    const player = createAudioPlayer();
    player.on('error', (error) => console.error(`Library's player: ${error.message}`));
    connection.subscribe(player);
    return { guildId, connection, player };
  }

  try {
    return await work({ sink, ours: await many(ours, joinOurs), library: await many(library, joinLibrary) });
  } finally {
    await sessions.closeAll();
    for (const connection of connections) {
      if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy(false);
    }
    await sink.close();
  }
}

/** Starts playing. Returns what stops it. */
export function startSession({ session }: OurRoom, clip: Clip): () => void {
  const stopping = new AbortController();
  void session.play(clip, { signal: stopping.signal, onFlowing: () => undefined });
  return () => stopping.abort();
}

/** Starts playing. Returns what stops it. */
export function startPlayer({ player }: LibraryRoom, frames: readonly Buffer[]): () => void {
  player.play(framesResource(frames));
  return () => void player.stop(true);
}

/** Plays finished Opus frames with the library's own player, which is the library's fastest way. */
export function framesResource(frames: Iterable<Buffer> | AsyncIterable<Buffer>) {
  return createAudioResource(Readable.from(frames, { objectMode: true }), { inputType: StreamType.Opus });
}

/** Resolves at the end of playback. */
export async function idle({ player }: LibraryRoom, timeoutMs: number): Promise<void> {
  await entersState(player, AudioPlayerStatus.Idle, timeoutMs);
}

/** What the library keeps about a ready connection. */
export function networkingOf(connection: VoiceConnection) {
  if (connection.state.status !== VoiceConnectionStatus.Ready) throw new Error('Not connected');
  const { state } = connection.state.networking;
  if (state.code !== NetworkingStatusCode.Ready) throw new Error('Not ready');
  return state;
}

/** Redirects the connection's packets to a port without a reader. */
export async function redirect(connection: VoiceConnection, port: number): Promise<void> {
  const { udp } = networkingOf(connection);
  const remote = { ip: '127.0.0.1', port };
  Reflect.set(udp, 'remote', remote);
  const socket = Reflect.get(udp, 'socket') as Socket;
  try {
    socket.disconnect();
  } catch {
    // The library does not connect its sockets: it names the remote with each packet.
    return;
  }
  const connected = once(socket, 'connect');
  socket.connect(remote.port, remote.ip);
  await connected;
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited too long for ${what}`);
    await sleep(5);
  }
}

/** The part of Discord's main gateway that joining needs. */
function gatewayFor(sink: Sink, room: Room): DiscordGatewayAdapterCreator {
  const { guildId, channelId, userId } = room;
  const sessionId = `session-${userId}`;
  return (library) => ({
    sendPayload(payload: { d: { channel_id: string | null } }) {
      if (payload.d.channel_id === null) {
        // During the shutdown the sink may already be gone.
        sink.drop({ guildId, userId }).catch(() => undefined);
        return true;
      }
      sink.expect({ ...room, sessionId }).then(
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

/** Makes `count` objects, a few at a time. */
async function many<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  let left = count;
  const worker = async () => {
    while (left-- > 0) made.push(await make());
  };
  await Promise.all(Array.from({ length: JOINS_AT_ONCE }, worker));
  return made;
}
