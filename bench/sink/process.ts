import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import {
  type EncryptionMode,
  type HeardPacket,
  type Listener,
  startVoiceServer,
  type VoiceServer,
} from '../../src/playground/voice/server.ts';
import { createMeter } from './meter.ts';

// The listening end, in a process of its own: voice servers, one listener a room, and the clock that times packets. All data
// of its calls crosses an IPC channel.

/** A channel in which one bot speaks and one member listens. */
interface Room {
  guildId: string;
  channelId: string;
  userId: string;
  dave: boolean;
}

/** One packet of a watched user. Times are the sink's performance.now(). */
export type Arrival = Pick<HeardPacket, 'atMs' | 'sequence' | 'timestamp' | 'silence' | 'encrypted'>;

export type SinkCalls = typeof calls;

const LISTENER = '999999999999999999';

interface Place {
  server: VoiceServer;
  listener: Listener | undefined;
  decode: boolean;
  room: Room;
}

const meter = createMeter();
const delay = monitorEventLoopDelay({ resolution: 1 });
const servers: VoiceServer[] = [];
const places = new Map<string, Place>();
/** Users with packets that are decrypted; those of others are timed and dropped before that. */
const watchedUsers = new Set<string>();
const userOf = new Map<string, string>();
const arrivals = new Map<string, Arrival[]>();
const audible = new Map<string, number>();
let headersSent: number[] = [];
let cpuAtBegin = process.cpuUsage();
let beganAtMs = 0;

function onDatagram({ sequence, userId }: { sequence: number; userId: string }): boolean {
  meter.packet(userId, sequence, performance.now());
  return !watchedUsers.has(userId);
}

function listen(place: Place, guildId: string): void {
  place.listener?.leave();
  const { channelId, dave } = place.room;
  place.listener = place.server.addListener({ guildId, channelId, userId: LISTENER, dave, decode: place.decode });
  place.listener.onPacket((packet: HeardPacket) => {
    const { atMs, sequence, timestamp, silence, encrypted } = packet;
    arrivals.get(guildId)?.push({ atMs, sequence, timestamp, silence, encrypted });
    if (packet.audible) audible.set(guildId, (audible.get(guildId) ?? 0) + 1);
  });
}

const calls = {
  /** Speakers are spread over the voice servers, as one socket buffer does not hold thousands. */
  async start({ servers: count, modes }: { servers: number; modes: readonly EncryptionMode[] }) {
    for (let i = 0; i < count; i++) servers.push(await startVoiceServer({ modes }));
    for (const server of servers) server.settings.losePacket = onDatagram;
    return { caCertificatesPem: servers.map((server) => server.caCertificatePem) };
  },
  /** The port of a UDP socket on loopback without a reader, for packets that are sent but not timed. */
  async unreadPort(): Promise<number> {
    const [port] = await once(new Worker(new URL('./unread-socket.ts', import.meta.url)), 'message');
    return port;
  },
  /** The main gateway's part: a bot comes into a room. The member that listens comes with `listens`. */
  expect({ listens, ...room }: Room & { sessionId: string; listens: boolean }) {
    let place = places.get(room.guildId);
    if (!place) {
      const server = servers[places.size % servers.length] as VoiceServer;
      place = { server, listener: undefined, decode: false, room };
      places.set(room.guildId, place);
      userOf.set(room.guildId, room.userId);
    }
    if (listens && !place.listener) listen(place, room.guildId);
    return place.server.expect(room);
  },
  drop({ guildId, userId }: { guildId: string; userId: string }) {
    const place = places.get(guildId);
    place?.server.drop({ guildId, userId }, 4014);
    place?.listener?.leave();
    places.delete(guildId);
  },
  /** From now on this room's packets go the whole way: opened, and (with `decode`) decrypted by the listener's own key. */
  watch({ guildId, decode }: { guildId: string; decode: boolean }) {
    const place = places.get(guildId);
    if (!place) throw new Error('No such room');
    arrivals.set(guildId, []);
    watchedUsers.add(userOf.get(guildId) as string);
    if (place.decode !== decode) {
      place.decode = decode;
      listen(place, guildId);
    }
  },
  /** Back to timing alone. */
  unwatch(guildId: string) {
    watchedUsers.delete(userOf.get(guildId) as string);
  },
  /** The frames of the watched room's listener since the last call; `heard` counts the audible ones. */
  watched(guildId: string) {
    const heard = places.get(guildId)?.listener?.heard();
    const result = {
      arrivals: arrivals.get(guildId) ?? [],
      unheard: (heard?.unencryptedFrames ?? 0) + (heard?.undecryptableFrames ?? 0),
      heard: audible.get(guildId) ?? 0,
    };
    arrivals.set(guildId, []);
    audible.set(guildId, 0);
    places.get(guildId)?.listener?.clear();
    return result;
  },
  begin() {
    delay.enable();
    delay.reset();
    cpuAtBegin = process.cpuUsage();
    beganAtMs = performance.now();
    meter.begin(beganAtMs);
  },
  end({ speakers }: { speakers: number }) {
    const nowMs = performance.now();
    const { user, system } = process.cpuUsage(cpuAtBegin);
    // The monitor's timer is due every 1 ms: a longer interval is lag.
    const lagMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - 1);
    const lag = { p999Ms: lagMs(delay.percentile(99.9)), maxMs: lagMs(delay.max) };
    delay.disable();
    return { ...meter.end(nowMs, speakers), lag, cpuShare: (user + system) / 1000 / (nowMs - beganAtMs) };
  },
  /** Each answer's headers are stamped. */
  async serveAudio({ base64, contentType }: { base64: string; contentType: string }) {
    const bytes = Buffer.from(base64, 'base64');
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': contentType, 'content-length': bytes.length });
      response.flushHeaders();
      headersSent.push(performance.now());
      response.end(bytes);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/speech` };
  },
  /** When the headers of the answers since the last call went out. */
  headersSentAtMs() {
    const sent = headersSent;
    headersSent = [];
    return sent;
  },
};

process.on('message', async ({ id, name, argument }: { id: number; name: keyof SinkCalls; argument: never }) => {
  const answer = await Promise.resolve()
    .then((): unknown => calls[name](argument))
    .then(
      (result) => ({ id, result }),
      (error: unknown) => ({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  // The last answers have no receiver when the parent closes the channel.
  process.send?.(answer, () => undefined);
});
// The parent process is gone: end as well.
process.on('disconnect', () => process.exit(0));
