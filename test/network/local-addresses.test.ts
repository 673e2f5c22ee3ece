import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchLocalAddresses } from '../../src/network/local-addresses.ts';
import { writtenLog } from '../silent-log.ts';

let server: Server;
let port: number;
let present: Set<string>;
let written: ReturnType<typeof writtenLog>;
let watch: ReturnType<typeof watchLocalAddresses>;
const peers: Socket[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  server = createServer((socket) => {
    peers.push(socket.on('error', () => undefined).resume());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  written = writtenLog('info');
  present = new Set(['127.0.0.1', '10.9.0.2']);
  watch = watchLocalAddresses(written.log, () => present);
});

afterEach(async () => {
  watch.close();
  for (const peer of peers.splice(0)) peer.destroy();
  server.close();
  await once(server, 'close');
});

const connected = async (): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};
const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000);

test('a connection whose local address has been gone for three seconds is ended, with or without TLS', async () => {
  const plain = await connected();
  const secure = connectTls({ port, host: '127.0.0.1' });
  secure.on('error', () => undefined);
  await once(secure, 'connect');
  pass(1);
  present.delete('127.0.0.1');
  pass(2);
  expect([plain.destroyed, secure.destroyed]).toEqual([false, false]);
  pass(1);
  expect([plain.destroyed, secure.destroyed]).toEqual([true, true]);
  expect(written.lines).toEqual([expect.objectContaining({ address: '127.0.0.1', connections: 2, level: 40 })]);
});

test('an address that comes back in time, or another one that goes, ends nothing', async () => {
  const socket = await connected();
  pass(1);
  present.delete('127.0.0.1');
  pass(2);
  present.add('127.0.0.1');
  present.delete('10.9.0.2');
  pass(2);
  present.delete('127.0.0.1');
  pass(2);
  expect(socket.destroyed).toBe(false);
  expect(written.lines).toEqual([]);
  socket.destroy();
});

test('where the addresses cannot be read, connections are left alone, and that is told once', async () => {
  watch.close();
  watch = watchLocalAddresses(written.log, () => {
    throw new Error('not permitted');
  });
  const socket = await connected();
  pass(20);
  expect(socket.destroyed).toBe(false);
  expect(written.lines).toHaveLength(1);
  socket.destroy();
});
