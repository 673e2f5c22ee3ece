import { Buffer } from 'node:buffer';
import type { Socket } from 'node:dgram';
import { writeSync } from 'node:fs';
import type { NetworkingReadyState } from '@discordjs/voice';
import { descriptorOf } from '../dave.ts';

type VoiceUdpSocket = NetworkingReadyState['udp'];

/** After one of these errors, a connected socket never works again, because it keeps its local address. */
const LASTING_CODES: ReadonlySet<string | undefined> = new Set([
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
  'EINVAL',
]);
/** A route that fails for this long is lost: routes also disappear briefly when an interface restarts. */
const LASTING_MS = 1_000;
/** Means 'no failure' in `failingSinceMs`: a whole number, because V8 would store Infinity or fractions as separate objects. */
const WORKS = -1;

/** This machine's address or route to the voice server is gone, for example after a network change. */
export class RouteLostError extends Error {
  override readonly name = 'RouteLostError';

  constructor(cause: NodeJS.ErrnoException) {
    super(`No datagram has left this machine for a second (${cause.code})`, { cause });
  }
}

export interface DatagramRoute {
  /** The UDP socket's file descriptor; -1 if the socket is not connected or its descriptor is unknown. */
  descriptor: number;
  /** performance.now() when sending began to fail or the failure was last reported; -1 while datagrams can be sent. */
  failingSinceMs: number;
  udp: VoiceUdpSocket;
  /** Reports a lost datagram. Each error code is reported only once for a UDP socket. */
  lost(error: NodeJS.ErrnoException): void;
}

/** Datagrams that fail with these codes are not reported: if the voice server is gone, the voice gateway's heartbeats show it. */
const EVERYDAY_CODES: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'ENOBUFS', 'ECONNREFUSED']);

const routes = new WeakMap<VoiceUdpSocket, DatagramRoute>();

/** Node's send() costs twice the CPU of the system call, so the bot writes to the socket's file descriptor. */
export function datagramRoute(udp: VoiceUdpSocket, now: () => number = () => performance.now()): DatagramRoute {
  const known = routes.get(udp);
  if (known) return known;
  const socket = Reflect.get(udp, 'socket') as Socket;
  const remote = Reflect.get(udp, 'remote') as { ip: string; port: number };
  const sendToAddress = udp.send.bind(udp);
  /** Datagrams that wait until the UDP socket is connected: Node cannot send earlier. */
  let waiting: Buffer[] | undefined = [];
  let isConnected = false;
  let isClosed = false;
  const reported = new Set(EVERYDAY_CODES);
  const route: DatagramRoute = { descriptor: -1, failingSinceMs: WORKS, udp, lost };

  function lost(error: NodeJS.ErrnoException): void {
    if (LASTING_CODES.has(error.code)) {
      const nowMs = Math.round(now());
      if (route.failingSinceMs === WORKS) route.failingSinceMs = nowMs;
      else if (nowMs - route.failingSinceMs >= LASTING_MS) {
        // A lost route is reported every second: a report while the connection is being resumed has no effect.
        route.failingSinceMs = nowMs;
        udp.emit('error', new RouteLostError(error));
      }
    }
    if (reported.has(error.code)) return;
    reported.add(error.code);
    udp.emit('error', error);
  }

  function sendByNode(bytes: Buffer): void {
    // A keep-alive may still be due after the UDP socket has closed. It is dropped, because Node would throw.
    if (isClosed) return;
    sendBatch();
    if (waiting) waiting.push(Buffer.from(bytes));
    else if (isConnected) {
      socket.send(bytes, (error) => {
        if (error) lost(error);
        else route.failingSinceMs = WORKS;
      });
    } else sendToAddress(bytes);
  }

  socket.connect(remote.port, remote.ip, (error?: Error) => {
    const held = waiting ?? [];
    waiting = undefined;
    isConnected = error === undefined;
    if (isConnected) route.descriptor = descriptorOf(socket) ?? -1;
    for (const bytes of held) sendByNode(bytes);
  });
  // send() of @discordjs/voice is replaced, because it names a destination, which Node rejects on a connected socket.
  udp.send = sendByNode;
  // A connected socket emits errors of earlier datagrams. lost() reports each error code at most once, @discordjs/voice every error.
  socket.removeAllListeners('error');
  socket.on('error', lost);
  const { close } = socket;
  socket.close = (callback) => {
    // After the socket has closed, the system may give its descriptor to a file, which a voice packet would destroy.
    isClosed = true;
    route.descriptor = -1;
    waiting = undefined;
    return close.call(socket, callback);
  };

  routes.set(udp, route);
  return route;
}

const BATCH_BYTES = 16_384;
const MAX_BATCH = 64;
const copies = Buffer.alloc(BATCH_BYTES);
const batchRoutes: (DatagramRoute | undefined)[] = new Array(MAX_BATCH).fill(undefined);
const batchBytes: Buffer[] = new Array(MAX_BATCH).fill(copies);
const batchStarts: number[] = new Array(MAX_BATCH).fill(0);
const batchEnds: number[] = new Array(MAX_BATCH).fill(0);
let batched = 0;
let copied = 0;

/** The bytes are copied, so the caller may reuse the buffer at once. */
export function sendDatagram(route: DatagramRoute, bytes: Buffer, length: number): void {
  if (copied + length > BATCH_BYTES) sendBatch();
  bytes.copy(copies, copied, 0, length);
  copied += length;
  sendKept(route, copies, copied - length, copied);
}

/**
 * Datagrams of several players leave in one batch, so that the receiving side wakes up once for all of them. The bytes
 * must not change before process.nextTick() sends the batch.
 */
export function sendKept(route: DatagramRoute, bytes: Buffer, start: number, end: number): void {
  if (route.descriptor < 0) {
    route.udp.send(Buffer.from(bytes.subarray(start, end)));
    return;
  }
  if (batched === 0) process.nextTick(sendBatch);
  batchRoutes[batched] = route;
  batchBytes[batched] = bytes;
  batchStarts[batched] = start;
  batchEnds[batched] = end;
  batched += 1;
  if (batched === MAX_BATCH) sendBatch();
}

function sendBatch(): void {
  for (let i = 0; i < batched; i++) {
    write(batchRoutes[i] as DatagramRoute, batchBytes[i] as Buffer, batchStarts[i] as number, batchEnds[i] as number);
    batchRoutes[i] = undefined;
    batchBytes[i] = copies;
  }
  batched = 0;
  copied = 0;
}

function write(route: DatagramRoute, bytes: Buffer, start: number, end: number): void {
  if (route.descriptor < 0) return;
  try {
    writeSync(route.descriptor, bytes, start, end - start);
    route.failingSinceMs = WORKS;
  } catch (error) {
    route.lost(error as NodeJS.ErrnoException);
  }
}
