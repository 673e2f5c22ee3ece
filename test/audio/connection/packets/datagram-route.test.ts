import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { VoiceUDPSocket } from '@discordjs/voice';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  datagramRoute,
  RouteLostError,
  sendDatagram,
} from '../../../../src/audio/connection/packets/datagram-route.ts';

let server: Socket;
let udp: VoiceUDPSocket;
let received: string[];
let errors: NodeJS.ErrnoException[];

async function listen(port = 0): Promise<void> {
  server = createSocket('udp4');
  server.on('message', (bytes) => received.push(bytes.toString()));
  server.bind(port, '127.0.0.1');
  await once(server, 'listening');
}

beforeEach(async () => {
  received = [];
  await listen();
  udp = new VoiceUDPSocket({ ip: '127.0.0.1', port: server.address().port });
  errors = [];
  udp.on('error', (error) => errors.push(error));
  // The library sends its first keep-alive then, even by a socket that is closed meanwhile.
  await setImmediate();
});

afterEach(() => {
  udp.destroy();
  server.close();
  // A test that expects errors takes them out.
  expect(errors).toEqual([]);
});

const socketOf = (from: VoiceUDPSocket) => Reflect.get(from, 'socket') as Socket;
async function connectedRoute(now?: () => number) {
  const route = datagramRoute(udp, now);
  await once(socketOf(udp), 'connect');
  return route;
}

/** Sends each datagram in a turn of its own. */
async function sendFive(route: ReturnType<typeof datagramRoute>): Promise<void> {
  for (let i = 0; i < 5; i++) {
    sendDatagram(route, Buffer.from('lost'), 4);
    await setImmediate();
  }
}

/** What arrived, the library's keep-alive (binary, eight bytes) aside. */
const words = () => received.filter((text) => !text.includes('\0'));
const arrival = (...expected: string[]) => expect.poll(words).toEqual(expected);

describe('a route', () => {
  test('takes datagrams from the first moment on, in order, before and after it is connected', async () => {
    const route = datagramRoute(udp);
    const bytes = Buffer.from('one and more');
    sendDatagram(route, bytes, 3);
    bytes.write('two');
    sendDatagram(route, bytes, 3);
    await once(socketOf(udp), 'connect');
    bytes.write('six');
    sendDatagram(route, bytes, 3);
    bytes.write('ten');
    await arrival('one', 'two', 'six');
    expect(route.descriptor).toBeGreaterThan(2);
  });

  test('the library goes on sending by its own call, its keep-alive included', async () => {
    const route = datagramRoute(udp);
    udp.send(Buffer.from('early'));
    await once(socketOf(udp), 'connect');
    udp.send(Buffer.from('late'));
    await arrival('early', 'late');
    expect(datagramRoute(udp)).toBe(route);
    await expect.poll(() => received.some((text) => text.includes('\0'))).toBe(true);
  });

  test('writes to the socket no longer once it is closed, since its number may be a file by then, and takes what falls due', async () => {
    const route = await connectedRoute();
    const closed = once(socketOf(udp), 'close');
    sendDatagram(route, Buffer.from('late'), 4);
    udp.destroy();
    expect(route.descriptor).toBe(-1);
    await closed;
    expect(() => sendDatagram(route, Buffer.from('late'), 4)).not.toThrow();
    expect(() => udp.send(Buffer.from('late'))).not.toThrow();
    expect(words()).toEqual([]);
  });

  test('goes through Node where the socket has no number', async () => {
    const route = await connectedRoute();
    route.descriptor = -1;
    sendDatagram(route, Buffer.from('all the same'), 12);
    await arrival('all the same');
  });

  test('carries more in one go than waits at once, each datagram whole and by its own route', async () => {
    const other = new VoiceUDPSocket({ ip: '127.0.0.1', port: server.address().port });
    const [first, second] = [datagramRoute(udp), datagramRoute(other)];
    await Promise.all([udp, other].map((each) => once(socketOf(each), 'connect')));
    const sent = Array.from({ length: 150 }, (_, i) => `${i} ${'x'.repeat(i * 3)}`);
    for (const [i, text] of sent.entries()) sendDatagram(i % 2 === 0 ? first : second, Buffer.from(text), text.length);
    await arrival(...sent);
    other.destroy();
  });

  test('with the receiver gone, datagrams are lost and nothing else happens', async () => {
    const route = await connectedRoute();
    const port = server.address().port;
    server.close();
    await once(server, 'close');
    await sendFive(route);
    expect(errors).toEqual([]);
    await listen(port);
    const isBack = () => {
      sendDatagram(route, Buffer.from('back'), 4);
      return words().includes('back');
    };
    await expect.poll(isBack, { timeout: 2_000 }).toBe(true);
  });

  test('with no way to the server datagrams are lost, which is told once and not 50 times a second', async () => {
    const codes = () => errors.splice(0).map(({ code }) => code);
    const route = await connectedRoute();
    const { descriptor } = route;
    // What cannot be written to stands for whatever the system may refuse.
    const file = openSync('/dev/null', 'r');
    route.descriptor = file;
    await sendFive(route);
    closeSync(file);
    expect(codes()).toEqual(['EBADF']);
    const unreachable = Object.assign(new Error('recvmsg'), { code: 'EHOSTUNREACH', syscall: 'recvmsg' });
    for (let i = 0; i < 5; i++) socketOf(udp).emit('error', unreachable);
    expect(codes()).toEqual(['EHOSTUNREACH']);
    route.descriptor = descriptor;
    sendDatagram(route, Buffer.from('back'), 4);
    await arrival('back');
  });
});

describe('a route whose local address is gone', () => {
  const failure = (code: string) => Object.assign(new Error(code), { code });

  test('is reported as lost for each second in which nothing leaves: the connection may be resumed, on the same socket', () => {
    let nowMs = 5_000.5;
    const toldAtMs: number[] = [];
    udp.on('error', (error: Error) => {
      if (!(error instanceof RouteLostError)) return;
      expect(error.message).toMatch(/^No datagram has left this machine for a second \(E/);
      toldAtMs.push(nowMs - 5_000.5);
    });
    const route = datagramRoute(udp, () => nowMs);
    for (let i = 0; i < 150; i++) {
      nowMs += 20;
      route.lost(failure(i % 2 ? 'ENETUNREACH' : 'EADDRNOTAVAIL'));
    }
    expect(toldAtMs).toEqual([1_020, 2_020]);
    errors.length = 0;
  });

  test('is not, when datagrams leave in between, or are lost for other reasons', async () => {
    let nowMs = 0;
    const route = await connectedRoute(() => nowMs);
    route.lost(failure('ENETUNREACH'));
    nowMs = 1_500;
    sendDatagram(route, Buffer.from('one'), 3);
    await arrival('one');
    route.lost(failure('ENETUNREACH'));
    for (nowMs = 1_600; nowMs < 9_000; nowMs += 500) route.lost(failure('EMSGSIZE'));
    expect(errors.splice(0).filter((error) => error instanceof RouteLostError)).toEqual([]);
  });
});
