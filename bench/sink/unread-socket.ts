import { createSocket } from 'node:dgram';
import { parentPort } from 'node:worker_threads';

// A worker with a bound UDP socket that is never read. Datagrams go through the kernel as usual, and are dropped when
// the socket's buffer is full.

const socket = createSocket('udp4');
socket.bind(0, '127.0.0.1', () => {
  parentPort?.postMessage(socket.address().port);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
