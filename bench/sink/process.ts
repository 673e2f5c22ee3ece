import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import type { Listener } from '../../src/playground/voice/listening/listener.ts';
import { startVoiceServer, type VoiceServer } from '../../src/playground/voice/server.ts';
import { voice, wav } from '../sound.ts';
import { startMeter } from './meter.ts';

// The listening process: voice servers, a listener for each room, and the clock that times packets. All data of its
// calls crosses an IPC channel.

/** A channel in which a bot speaks and a member listens. */
export interface Room {
  guildId: string;
  channelId: string;
  userId: string;
  dave: boolean;
}

export type SinkCalls = typeof calls;

const LISTENER = '999999999999999999';

interface Place {
  readonly server: VoiceServer;
  readonly room: Room;
  listener: Listener;
}

const delay = monitorEventLoopDelay({ resolution: 1 });
const servers: VoiceServer[] = [];
const places = new Map<string, Place>();
/** The users whose packets are decrypted. Packets of other users are timed, then dropped. */
const watchedUsers = new Set<string>();
const headersSent: number[] = [];
/** Undefined while packets are not timed. */
let timing: { meter: ReturnType<typeof startMeter>; fromMs: number; cpu: NodeJS.CpuUsage } | undefined;

function onDatagram({ sequence, userId }: { sequence: number; userId: string }): boolean {
  timing?.meter.packet(userId, sequence, performance.now());
  return !watchedUsers.has(userId);
}

const listen = (server: VoiceServer, { guildId, channelId, dave }: Room, decode: boolean) =>
  server.addListener({ guildId, channelId, userId: LISTENER, dave, decode });

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
      place = { server, room, listener: listen(server, room, false) };
      places.set(room.guildId, place);
    }
    return place.server.expect(room);
  },
  drop({ guildId, userId }: { guildId: string; userId: string }) {
    const place = places.get(guildId);
    place?.server.drop({ guildId, userId }, 4014);
    place?.listener.leave();
    places.delete(guildId);
  },
  /** Removes the transport encryption of the room's packets. With `decode`, its listener also hears them. */
  watch({ guildId, decode }: { guildId: string; decode: boolean }) {
    const place = placeOf(guildId);
    watchedUsers.add(place.room.userId);
    if (!decode) return;
    place.listener.leave();
    place.listener = listen(place.server, place.room, true);
  },
  /** The room's packets are only timed again. */
  unwatch(guildId: string) {
    watchedUsers.delete(placeOf(guildId).room.userId);
  },
  /** The packets that the room's listener received since the last call; `heard` counts the audible ones. */
  watched(guildId: string) {
    const { listener } = placeOf(guildId);
    const { packets: arrivals, unencryptedFrames, undecryptableFrames } = listener.heard();
    listener.clear();
    const heard = arrivals.filter(({ audible }) => audible).length;
    return { arrivals, heard, unheard: unencryptedFrames + undecryptableFrames };
  },
  begin() {
    delay.enable();
    delay.reset();
    const fromMs = performance.now();
    timing = { meter: startMeter(fromMs), fromMs, cpu: process.cpuUsage() };
  },
  end({ speakers }: { speakers: number }) {
    if (!timing) throw new Error('Packets are not timed');
    const { meter, fromMs, cpu } = timing;
    timing = undefined;
    const nowMs = performance.now();
    const { user, system } = process.cpuUsage(cpu);
    // The monitor's timer is due each 1 ms: a longer interval is lag.
    const lagMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - 1);
    delay.disable();
    return {
      ...meter.end(nowMs, speakers),
      sinkLagP999Ms: lagMs(delay.percentile(99.9)),
      sinkLagMaxMs: lagMs(delay.max),
      sinkCpuShare: (user + system) / 1000 / (nowMs - fromMs),
    };
  },
  /** Serves speech as a WAV file, and records when each response's headers were sent. */
  async serveSpeech(seconds: number) {
    const bytes = wav(voice(seconds));
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
  headersSentAtMs: () => headersSent.splice(0),
};

process.on('message', async ({ id, name, argument }: { id: number; name: keyof SinkCalls; argument: never }) => {
  // If the parent has closed the channel, the last answers are lost.
  const answer = (outcome: object) => process.send?.({ id, ...outcome }, () => undefined);
  try {
    answer({ result: await calls[name](argument) });
  } catch (error) {
    answer({ error: String(error) });
  }
});
// The parent process is gone: end too.
process.on('disconnect', () => process.exit(0));
