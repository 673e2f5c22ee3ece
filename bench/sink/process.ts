import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import {
  type HeardPacket,
  type Listener,
  startVoiceServer,
  type VoiceServer,
} from '../../src/playground/voice/server.ts';
import { createMeter } from './meter.ts';

// The listening process: voice servers, a listener for each room, and the clock that times packets. All data of its
// calls crosses an IPC channel.

/** A channel in which a bot speaks and a member listens. */
interface Room {
  guildId: string;
  channelId: string;
  userId: string;
  dave: boolean;
}

/** A packet of a watched user. Times are the sink's `performance.now()`. */
export type Arrival = Pick<HeardPacket, 'atMs' | 'sequence' | 'timestamp' | 'silence' | 'encrypted'>;

export type SinkCalls = typeof calls;

const LISTENER = '999999999999999999';

interface Place {
  readonly server: VoiceServer;
  readonly room: Room;
  listener: Listener | undefined;
  arrivals: Arrival[];
  audible: number;
}

const meter = createMeter();
const delay = monitorEventLoopDelay({ resolution: 1 });
const servers: VoiceServer[] = [];
const places = new Map<string, Place>();
/** The users whose packets are decrypted. Packets of other users are timed, then dropped. */
const watchedUsers = new Set<string>();
let headersSent: number[] = [];
let cpuAtBegin = process.cpuUsage();
let beganAtMs = 0;

function onDatagram({ sequence, userId }: { sequence: number; userId: string }): boolean {
  meter.packet(userId, sequence, performance.now());
  return !watchedUsers.has(userId);
}

function listen(place: Place, decode: boolean): void {
  place.listener?.leave();
  const { guildId, channelId, dave } = place.room;
  place.listener = place.server.addListener({ guildId, channelId, userId: LISTENER, dave, decode });
  place.listener.onPacket(({ atMs, sequence, timestamp, silence, encrypted, audible }: HeardPacket) => {
    if (watchedUsers.has(place.room.userId)) place.arrivals.push({ atMs, sequence, timestamp, silence, encrypted });
    if (audible) place.audible += 1;
  });
}

function placeOf(guildId: string): Place {
  const place = places.get(guildId);
  if (!place) throw new Error('No such room');
  return place;
}

const calls = {
  /** Speakers are spread over several voice servers, because a socket's buffer is too small for thousands. */
  async start(count: number) {
    for (let i = 0; i < count; i++) servers.push(await startVoiceServer());
    for (const server of servers) server.settings.losePacket = onDatagram;
    return { caCertificatesPem: servers.map((server) => server.caCertificatePem) };
  },
  /** The port of a UDP socket on loopback without a reader, for packets that are not timed. */
  async unreadPort(): Promise<number> {
    const [port] = await once(new Worker(new URL('./unread-socket.ts', import.meta.url)), 'message');
    return port;
  },
  /** Acts as the main gateway when a bot joins a room, in which a member listens. */
  expect(room: Room & { sessionId: string }) {
    let place = places.get(room.guildId);
    if (!place) {
      const server = servers[places.size % servers.length] as VoiceServer;
      place = { server, room, listener: undefined, arrivals: [], audible: 0 };
      places.set(room.guildId, place);
      listen(place, false);
    }
    return place.server.expect(room);
  },
  drop({ guildId, userId }: { guildId: string; userId: string }) {
    const place = places.get(guildId);
    place?.server.drop({ guildId, userId }, 4014);
    place?.listener?.leave();
    places.delete(guildId);
  },
  /**
   * Processes the room's packets completely: transport decryption and, with `decode`, decryption and decoding by the
   * listener.
   */
  watch({ guildId, decode }: { guildId: string; decode: boolean }) {
    const place = placeOf(guildId);
    watchedUsers.add(place.room.userId);
    if (decode) listen(place, true);
  },
  /** The room's packets are only timed again. */
  unwatch(guildId: string) {
    watchedUsers.delete(placeOf(guildId).room.userId);
  },
  /** The frames that the room's listener received since the last call; `heard` counts the audible frames. */
  watched(guildId: string) {
    const place = placeOf(guildId);
    const { arrivals, audible: heard, listener } = place;
    const { unencryptedFrames = 0, undecryptableFrames = 0 } = listener?.heard() ?? {};
    Object.assign(place, { arrivals: [], audible: 0 });
    listener?.clear();
    return { arrivals, heard, unheard: unencryptedFrames + undecryptableFrames };
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
    // The monitor's timer is due each 1 ms: a longer interval is lag.
    const lagMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - 1);
    const lag = { p999Ms: lagMs(delay.percentile(99.9)), maxMs: lagMs(delay.max) };
    delay.disable();
    return { ...meter.end(nowMs, speakers), lag, cpuShare: (user + system) / 1000 / (nowMs - beganAtMs) };
  },
  /** Serves a WAV file and records when each response's headers were sent. */
  async serveWav(base64: string) {
    const bytes = Buffer.from(base64, 'base64');
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': bytes.length });
      response.flushHeaders();
      headersSent.push(performance.now());
      response.end(bytes);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/speech`;
  },
  /** When the headers of the responses since the last call were sent. */
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
  // If the parent has closed the channel, the last answers are lost.
  process.send?.(answer, () => undefined);
});
// The parent process is gone: end too.
process.on('disconnect', () => process.exit(0));
