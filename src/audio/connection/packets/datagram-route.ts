import { Buffer } from 'node:buffer';
import type { Socket } from 'node:dgram';
import { writeSync } from 'node:fs';
import type { NetworkingReadyState } from '@discordjs/voice';
import { descriptorOf } from '../library/borrowed.ts';

type VoiceUdpSocket = NetworkingReadyState['udp'];

/**
 * Error codes of a UDP socket whose local address or route is gone. A connected socket keeps its address, so the socket
 * never works again.
 */
const LASTING_CODES: ReadonlySet<string | undefined> = new Set([
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
  'EINVAL',
]);
/** How long sending datagrams may fail: routes disappear for a moment when an interface is set up again. */
const LASTING_MS = 1_000;
/**
 * Stands for no failure in `failingSinceMs`, whose values are all whole numbers: V8 would store fractions as objects.
 */
const WORKS = -1;

/** This machine's address or route to the voice server is gone, for example after a network change. */
export class RouteLostError extends Error {
  override readonly name = 'RouteLostError';

  constructor(cause: NodeJS.ErrnoException) {
    super(`No datagram has left this machine for a second (${cause.code})`, { cause });
  }
}

export interface DatagramRoute {
  /** The file descriptor of the connected UDP socket; -1 without one. */
  descriptor: number;
  /**
   * performance.now() of the first failed datagram since one was last sent, or of the last report of the lost route to
   * the voice session. The next report follows a second later. -1 while datagrams can be sent.
   */
  failingSinceMs: number;
  udp: VoiceUdpSocket;
  /** Reports why a datagram was lost. Losses may come 50 times a second, so each reason is reported once. */
  lost(error: NodeJS.ErrnoException): void;
}

/**
 * Codes of send errors that are not reported: a busy network, or a closed port while a voice server restarts. A failed
 * send loses the datagram, as is normal for datagrams, and the voice gateway handles a lost connection.
 */
const EVERYDAY_CODES: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'ENOBUFS', 'ECONNREFUSED']);

const routes = new WeakMap<VoiceUdpSocket, DatagramRoute>();

/**
 * Returns the shared route for datagrams of one UDP socket of @discordjs/voice, which can still send through the
 * socket. Node's send() costs twice the system call. It looks up the address, which is a number, waits a turn, and
 * allocates five objects. The socket is therefore connected to its only destination, which lets the kernel cache the
 * route. Writing to the socket needs no allocation. Until the socket is connected, and if it has no descriptor, send()
 * is used.
 */
export function datagramRoute(udp: VoiceUdpSocket, now: () => number = () => performance.now()): DatagramRoute {
  const known = routes.get(udp);
  if (known) return known;
  const socket = Reflect.get(udp, 'socket') as Socket;
  const remote = Reflect.get(udp, 'remote') as { ip: string; port: number };
  const sendToAddress = udp.send.bind(udp);
  /** Datagrams held for one turn of the event loop, until the UDP socket is connected: Node cannot send before. */
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
        // A lost network route is reported again after another second: while the voice connection resumes on the same
        // socket, a report has no effect.
        route.failingSinceMs = nowMs;
        udp.emit('error', new RouteLostError(error));
      }
    }
    if (reported.has(error.code)) return;
    reported.add(error.code);
    udp.emit('error', error);
  }

  function sendByNode(bytes: Buffer): void {
    // A probe or a keep-alive may still fall due after the UDP socket has closed; Node throws for a closed socket.
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
  // @discordjs/voice names a destination with each of its datagrams (discovery, keep-alive), which Node rejects on a
  // connected socket. The library's method for sending is therefore replaced by a function that names no destination.
  udp.send = sendByNode;
  // A connected UDP socket also emits the errors of earlier datagrams, so the handler of @discordjs/voice is replaced.
  socket.removeAllListeners('error');
  socket.on('error', lost);
  const { close } = socket;
  socket.close = (callback) => {
    // The operating system may give the descriptor of a closed UDP socket to a file at once. The descriptor is
    // forgotten before the socket closes, because a voice packet written to it could destroy the file.
    isClosed = true;
    route.descriptor = -1;
    waiting = undefined;
    return close.call(socket, callback);
  };

  routes.set(udp, route);
  return route;
}

/** The maximum bytes of copied datagrams, which are sent when the current callback has returned. */
const BATCH_BYTES = 16_384;
const MAX_BATCH = 64;
const copies = Buffer.alloc(BATCH_BYTES);
const batchRoutes: (DatagramRoute | undefined)[] = new Array(MAX_BATCH).fill(undefined);
const batchBytes: Buffer[] = new Array(MAX_BATCH).fill(copies);
const batchStarts: number[] = new Array(MAX_BATCH).fill(0);
const batchEnds: number[] = new Array(MAX_BATCH).fill(0);
let batched = 0;
let copied = 0;

/**
 * Sends a datagram in one batch with other players' datagrams. The first `length` bytes are copied, so the caller may
 * reuse `bytes` at once.
 */
export function sendDatagram(route: DatagramRoute, bytes: Buffer, length: number): void {
  if (route.descriptor < 0) {
    route.udp.send(Buffer.from(bytes.subarray(0, length)));
    return;
  }
  if (copied + length > BATCH_BYTES) sendBatch();
  bytes.copy(copies, copied, 0, length);
  copied += length;
  sendKept(route, copies, copied - length, copied);
}

/**
 * Sends a datagram in one batch with other players' datagrams, so that the receiving side, in the kernel and behind it,
 * wakes up once for all. The bytes are not copied. They must not change until the current callback, and everything it
 * has passed to process.nextTick() before, have run.
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
  // A datagram is dropped if its UDP socket has closed since the datagram was queued.
  if (route.descriptor < 0) return;
  try {
    writeSync(route.descriptor, bytes, start, end - start);
    route.failingSinceMs = WORKS;
  } catch (error) {
    route.lost(error as NodeJS.ErrnoException);
  }
}
